"""Between Python's values and the structs of the library, by what the headers declare.

`fill` sets fields of a definition from keyword arguments, `Record` shows a struct that came back, and `view` shows an array
of C as a numpy array without a copy. A field that joins a struct in a header is known here without a line of code.
"""

import difflib
import html
import operator

import numpy as np

from ._capstan import ffi, lib
from ._errors import text

# Arrays of definitions and the field with the number of their entries; NULL arrays have none.
_COUNTS = {
    "points": "point_count", "triangles": "triangle_count", "parts": "part_count", "curvature": "curvature_count",
    "natural": "natural_count", "branches": "branch_count", "seams": "seam_count", "pleats": "pleat_count",
    "pins": "pin_count", "vertices": "vertex_count", "tetrahedra": "tetrahedron_count", "regions": "region_count",
    "key_times": "key_count", "times": "count", "fibres": "fibre_count",
}
# Entries of such an array that are one of Python's: vertices of a triangle, numbers of a corner of texture.
_PER_ENTRY = {"triangles": 3, "tetrahedra": 4}
# Arrays without a number of their own: entries that the library reads for each of another field.
_LENGTHS = {("CpsShape", "normals"): ("point_count", 1),
    ("CpsFibreDef", "element_lengths"): ("elements", 1), ("CpsFibreDef", "element_curvature"): ("elements", 1),
    ("CpsSheetDef", "texture"): ("triangle_count", 6), ("CpsSolidDef", "rest"): ("vertex_count", 1),
    ("CpsSolidDef", "region"): ("tetrahedron_count", 1), ("CpsMotion", "key_poses"): ("key_count", 1),
    ("CpsCurve", "values"): ("count", 1),
}
_MOST_NAMES = 40  # in one message: a scene may have thousands of objects
_HIDDEN = {"cookie", "user", *_COUNTS.values()}


def suggestion(name, names):
    """"; did you mean 'mass'?" for a name that is near to one of those there are."""
    near = difflib.get_close_matches(name, names, 1)
    known = list(dict.fromkeys(names))
    shown = sorted(known) if len(known) <= _MOST_NAMES else known[:_MOST_NAMES] + ["…"]
    return f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(shown)}"


def reals(values):
    """Values as an array of doubles. Complex ones are refused: numpy would drop their imaginary parts."""
    if np.iscomplexobj(values):
        raise TypeError("expected real numbers, found complex ones")
    return np.ascontiguousarray(values, dtype=np.float64)


def rows_of_three(values, what):
    """Points or vectors as an array of doubles with three columns; an empty list has no rows."""
    rows = reals(values)
    if rows.size == 0:
        return rows.reshape(0, 3)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise ValueError(f"{what}: expected rows of 3 numbers, found an array of shape {rows.shape}")
    return rows


def count_of(count, kind):
    """"1 body", "2 bodies"."""
    return f"{count} {kind if count == 1 else {'body': 'bodies'}.get(kind, kind + 's')}"


def entry_index(i, count, what):
    """An index that may count from the end, as one from 0; an IndexError that names what was sought if there is no such entry."""
    i = operator.index(i)
    if not -count <= i < count:
        raise IndexError(f"{what} {i} does not exist: " + (f"indices go from {-count} to {count - 1}" if count else "there are none"))
    return i % count


# -- enums -----------------------------------------------------------------------------------------------------------

def _enum_names(ctype):
    """{"clamped": 2, …}: what is different in the names of an enum, in lower case and with hyphens, as scenes spell it."""
    constants = {name: value for value, name in ctype.elements.items()}
    parts = [name.split("_") for name in constants]
    common = 0
    while all(len(p) > common + 1 and p[common] == parts[0][common] for p in parts):
        common += 1
    return {"-".join(name.split("_")[common:]).lower(): value for name, value in constants.items()}


def enum_value(ctype, value):
    if isinstance(value, str):
        names = _enum_names(ctype)
        found = names.get(value.lower().replace("_", "-"))
        if found is None:
            raise ValueError(f"there is no '{value}'{suggestion(value, names)}")
        return found
    return int(value)


def enum_name(ctype, value):
    for name, number in _enum_names(ctype).items():
        if number == value:
            return "none" if name == "count" else name  # the count means none of them, as CPS_LOCAL_COUNT does
    return str(value)


# -- from Python to C ------------------------------------------------------------------------------------------------

_VECTORS = {"CpsVec3": "xyz", "CpsQuat": "wxyz"}


def name_of(ctype):
    """"CpsVec3" for what CFFI calls "struct CpsVec3"."""
    return ctype.cname.replace("struct ", "").replace("enum ", "")


def _array(item, value, keep, per_entry):
    """Values as an array of C of `item`s, with the number of entries of Python's."""
    if item.kind == "struct" and name_of(item) in _VECTORS:
        width = len(_VECTORS[name_of(item)])
        numbers = reals(value)
        if numbers.size % width or numbers.ndim > 2 or (numbers.ndim == 2 and numbers.shape[1] != width):
            raise ValueError(f"expected rows of {width} numbers, found an array of shape {numbers.shape}")
        numbers = numbers.reshape(-1, width)
        keep.append(numbers)
        return ffi.cast(ffi.typeof(item.cname + "*"), ffi.from_buffer(numbers)), len(numbers)
    if item.kind == "primitive" and item.cname in ("double", "int32_t", "int"):
        kind = np.float64 if item.cname == "double" else np.int32
        given = np.asarray(value)
        if kind is np.int32 and given.size and not np.issubdtype(given.dtype, np.integer):
            raise TypeError("expected integers")
        numbers = np.ascontiguousarray(given, dtype=kind) if kind is np.int32 else reals(given)
        if numbers.size % per_entry:
            raise ValueError(f"expected rows of {per_entry} numbers, found {numbers.size} numbers in all")
        if kind is np.int32 and given.size and not np.array_equal(numbers, given):
            raise OverflowError("a number does not fit in 32 bits")
        keep.append(numbers)
        return ffi.cast(ffi.typeof(item.cname + "*"), ffi.from_buffer(numbers)), numbers.size // per_entry
    entries = ffi.new(ffi.typeof(item.cname + "[]"), len(value))
    keep.append(entries)
    for i, entry in enumerate(value):
        assign(entries, i, item, entry, keep)
    return entries, len(value)


def assign(owner, key, ctype, value, keep):
    """owner[key] = value (an index of an array or the name of a field), as the type of the place needs it."""
    def put(what):
        if isinstance(key, str):
            setattr(owner, key, what)
        else:
            owner[key] = what

    if isinstance(value, str) and name_of(ctype) != "CpsShape" and "kind" in dict(getattr(ctype, "fields", None) or ()):
        value = {"kind": value}  # root="clamped"
    if isinstance(value, ffi.CData):
        put(value)
    elif ctype.kind == "enum":
        put(enum_value(ctype, value))
    elif ctype.kind == "primitive":
        put(bool(value) if ctype.cname in ("_Bool", "bool") else value)
    elif ctype.kind == "struct" and isinstance(value, dict) and isinstance(key, str):
        fill(ffi.addressof(owner[0], key), value, keep, name_of(ctype))  # fields that are not given keep their defaults
    elif ctype.kind == "struct":
        put(struct(ctype, value, keep)[0])
    elif ctype.kind == "array":
        numbers = [float(value)] * ctype.length if np.isscalar(value) else list(value)
        if len(numbers) != ctype.length:
            raise ValueError(f"expected {ctype.length} numbers, found {len(numbers)}")
        put(numbers)
    elif ctype.kind == "pointer" and ctype.item.cname == "char":
        keep.append(ffi.new("char[]", str(value).encode()))
        put(keep[-1])
    else:
        raise TypeError(f"no Python value corresponds to {ctype.cname}")


# What errors call the values that a function of the package makes.
_WANTED = {"CpsShape": "a shape, such as capstan.sphere(0.1)",
           "CpsAnchor": "a point: give thing.at(…), or three coordinates for a point of the world"}


def struct(ctype, value, keep):
    """A new struct from a handle, a sequence of numbers, or a dict of its fields."""
    if hasattr(value, "_as_c"):
        made = value._as_c(name_of(ctype), keep)
        if made is None:
            raise TypeError(f"{value!r} is not {_WANTED.get(name_of(ctype), 'a ' + name_of(ctype))}")
        return made
    new = ffi.new(ctype.cname + "*")
    if name_of(ctype) in _VECTORS:
        names = _VECTORS[name_of(ctype)]
        if not np.iterable(value) or isinstance(value, str):
            raise TypeError(f"expected {len(names)} numbers, found {value!r}")
        numbers = [float(x) for x in value]
        if len(numbers) != len(names):
            raise ValueError(f"expected {len(names)} numbers, found {len(numbers)}")
        for name, number in zip(names, numbers):
            setattr(new, name, number)
    elif name_of(ctype) == "CpsPose":
        position, rotation = value if len(value) == 2 else (value, (1, 0, 0, 0))
        new.position = struct(ffi.typeof("CpsVec3"), position, keep)[0]
        new.rotation = struct(ffi.typeof("CpsQuat"), rotation, keep)[0]
    elif name_of(ctype) == "CpsPin":
        new[0] = lib.cps_pin_default()
        fill(new, value, keep, "a pin")
    elif name_of(ctype) == "CpsAnchor":
        if isinstance(value, str) or np.shape(value) != (3,):
            raise TypeError(f"{value!r} is not {_WANTED['CpsAnchor']}")
        new[0] = lib.cps_anchor_world(struct(ffi.typeof("CpsVec3"), value, keep)[0])
    elif isinstance(value, dict):
        fill(new, value, keep, name_of(ctype))
    else:
        raise TypeError(f"expected {_WANTED.get(name_of(ctype), 'a dict with fields of ' + name_of(ctype))}, found {value!r}")
    return new


def fill(target, values, keep, who):
    """Sets fields of the struct behind a pointer from a dict. What arrays of C point to goes into `keep`."""
    fields, lengths = dict(ffi.typeof(target).item.fields), {}
    names = [name for name in fields if name not in _HIDDEN]
    for name, value in values.items():
        if name not in names:
            raise TypeError(f"{who} has no '{name}'{suggestion(name, names)}")
        ctype = fields[name].type
        if value is None:
            continue
        try:
            if ctype.kind == "pointer" and ctype.item.cname not in ("char", "void"):
                pointer, count = _array(ctype.item, value, keep, _PER_ENTRY.get(name, 1))
                setattr(target, name, pointer)
                lengths[name] = count
                counter = _COUNTS.get(name)
                if counter in fields:
                    setattr(target, counter, count)
            else:
                assign(target, name, ctype, value, keep)
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"{who}: {name}: {error}") from None
    for name, count in lengths.items():
        counter, each = _LENGTHS.get((name_of(ffi.typeof(target).item), name), (None, 0))
        if counter is not None and count != each * getattr(target, counter):
            raise ValueError(f"{who}: {name}: expected {each * getattr(target, counter)} entries, found {count}")
    return target


# -- from C to Python ------------------------------------------------------------------------------------------------

def value_of(ctype, value):
    """A field of C as a value of Python: numbers, strings, tuples for vectors, records for structs."""
    if ctype.kind == "primitive":
        return value
    if ctype.kind == "enum":
        return enum_name(ctype, int(value))
    if ctype.kind == "struct" and name_of(ctype) in _VECTORS:
        return tuple(getattr(value, name) for name in _VECTORS[name_of(ctype)])
    if ctype.kind == "struct":
        return Record(value)
    if ctype.kind == "array":
        if ctype.item.cname == "char":
            return text(ffi.cast("char*", value))
        return tuple(value_of(ctype.item, value[i]) for i in range(ctype.length))
    if ctype.kind == "pointer" and ctype.item.cname in ("char", "char const"):
        return text(value)
    return None


def _short(value):
    """A value as tables show it: six digits of a number, also inside tuples and records."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_short, value))})"
    if isinstance(value, Record):
        return "; ".join(f"{name} {_short(part)}" for name, part in value)
    return str(value)


def _blank(value):
    """Whether a value says nothing: zeros, "none", records and tuples of such values."""
    if isinstance(value, (Record, tuple)):
        return all(_blank(part[1] if isinstance(value, Record) else part) for part in value)
    return value in (0, "none", None)


def table_html(title, rows):
    """A small table for notebooks, without blank records. What comes from files is escaped."""
    lines = "".join(f"<tr><th style='text-align:left'>{html.escape(str(k))}</th><td>{html.escape(_short(v))}</td></tr>"
                    for k, v in rows.items() if not (isinstance(v, Record) and _blank(v)))
    return f"<table><caption>{html.escape(title)}</caption>{lines}</table>"


class Record:
    """The fields of a struct of the library as attributes, read once; docs/reference/api.md says what each is."""

    def __init__(self, source):
        ctype = ffi.typeof(source)
        self._name = name_of(ctype.item if ctype.kind == "pointer" else ctype)
        fields = (ctype.item if ctype.kind == "pointer" else ctype).fields
        for name, field in fields:
            if name not in ("cookie", "user") and field.type.kind != "function" and not (
                    field.type.kind == "pointer" and field.type.item.cname not in ("char", "char const")):
                setattr(self, name, value_of(field.type, getattr(source, name)))

    def __iter__(self):
        return ((name, value) for name, value in vars(self).items() if not name.startswith("_"))

    def __eq__(self, other):
        return isinstance(other, Record) and dict(self) == dict(other)

    def __repr__(self):
        shown = (f"{k}={v!r}" for k, v in self if not (isinstance(v, Record) and _blank(v)))
        return f"{self._name.removeprefix('Cps')}({', '.join(shown)})"

    def _repr_html_(self):
        return table_html(self._name.removeprefix("Cps"), dict(self))


_SCALARS = {"double": "f8", "int32_t": "i4", "int": "i4", "int64_t": "i8", "uint32_t": "u4", "uint64_t": "u8",
            "_Bool": "?", "bool": "?", "uint8_t": "u1"}


def dtype(ctype):
    """The layout of a type of C as a numpy dtype; vectors and quaternions become 3 and 4 numbers."""
    if ctype.kind == "primitive":
        return np.dtype(_SCALARS[ctype.cname])
    if ctype.kind == "enum":
        return np.dtype(f"u{ffi.sizeof(ctype)}")
    if ctype.kind == "array":
        return np.dtype((dtype(ctype.item), (ctype.length,)))
    if name_of(ctype) in _VECTORS:
        return np.dtype(("f8", (len(_VECTORS[name_of(ctype)]),)))
    names, formats, offsets = [], [], []
    for name, field in ctype.fields:
        names.append(name)
        formats.append(dtype(field.type))
        offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(ctype)})


def view(pointer, count):
    """An array of C as a numpy array that shares its memory; of no entries where the pointer is NULL."""
    item = ffi.typeof(pointer).item
    kind = dtype(ffi.typeof(item.cname.replace(" const", "").replace("const ", "")))
    if pointer == ffi.NULL or count == 0:
        return np.empty((0,), dtype=kind)
    return np.frombuffer(ffi.buffer(pointer, count * ffi.sizeof(item)), dtype=kind, count=count)
