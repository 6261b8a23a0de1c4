"""Writes the type stubs of the Python package: one .pyi file beside each module, made from its annotations and the public headers.

In the modules `**values: CpsBodyDef` means "the fields of that struct as keyword arguments" and `-> CpsStepInfo` "a Record with the
fields of that struct". Here both become what editors and type checkers can read: keyword arguments with their types (enums as the
words that they take), and a class for each struct. A field that joins a struct in a header is in the stubs without a line of code.

    python3 stubs.py --include ../include --cc cc --package capstan --output build/python/capstan
"""

import argparse
import ast
import keyword
import pathlib
import sys

import cffi

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from capstan_build import HEADERS, declarations  # noqa: E402

_VECTORS = {"CpsVec3": 3, "CpsQuat": 4}
_COUNTS = {"cookie", "user"}
_WHOLE = {"int", "int32_t", "int64_t", "uint8_t", "uint32_t", "uint64_t", "size_t", "unsigned int", "long", "unsigned long"}


class Structs:
    """The structs of the headers, as types of Python."""

    def __init__(self, ffi):
        self.ffi = ffi
        self.used = []

    def fields(self, name):
        ctype = self.ffi.typeof(name)
        return [(field, info.type) for field, info in ctype.fields or []]

    def words(self, ctype):
        constants = [name for _, name in sorted(ctype.elements.items())]
        parts = [name.split("_") for name in constants]
        common = 0
        while all(len(p) > common + 1 and p[common] == parts[0][common] for p in parts):
            common += 1
        return [word for p in parts if not (word := "-".join(p[common:]).lower()).endswith("count")]

    def argument(self, ctype):
        """The type of a keyword argument; None for what Python does not set."""
        name = ctype.cname.replace("struct ", "").replace(" const", "").replace("const ", "")
        if ctype.kind == "primitive":
            return "bool" if name in ("_Bool", "bool") else "int" if name in _WHOLE else "float"
        if ctype.kind == "enum":
            return "Literal[" + ", ".join(repr(word) for word in self.words(ctype)) + "]"
        if ctype.kind == "struct":
            return "Vector" if name in _VECTORS else "Any"
        if ctype.kind == "array":
            return "Union[float, Sequence[float]]"
        if ctype.kind == "pointer" and ctype.item.kind != "function":
            item = ctype.item.cname.replace(" const", "").replace("const ", "")
            return "str" if item == "char" else None if item == "void" else "Any"
        return None

    def result(self, ctype):
        """The type of a field of a record; None for what records leave out."""
        name = ctype.cname.replace("struct ", "")
        if ctype.kind == "primitive":
            return self.argument(ctype)
        if ctype.kind == "enum":
            return "str"
        if ctype.kind == "struct":
            if name in _VECTORS:
                return "Tuple[" + ", ".join(["float"] * _VECTORS[name]) + "]"
            self.use(name)
            return name[3:]
        if ctype.kind == "array":
            item = self.result(ctype.item)
            return "str" if ctype.item.cname == "char" else f"Tuple[{item}, ...]"
        if ctype.kind == "pointer" and ctype.item.cname in ("char", "char const"):
            return "Optional[str]"
        return None

    def use(self, name):
        if name not in self.used:
            self.used.append(name)

    def keywords(self, name):
        """The fields as keyword arguments, without counts, which the lengths of arrays give, and without functions."""
        fields = self.fields(name)
        names = {field for field, _ in fields}
        out = []
        for field, ctype in fields:
            counted = field.endswith("_count") and field[:-6] + "s" in names
            hidden = field in _COUNTS or counted or keyword.iskeyword(field)
            kind = None if hidden else self.argument(ctype)
            if kind is not None:
                out.append((field, kind))
        return out

    def classes(self):
        lines = ['"""What calls return: a class for each struct of the library. docs/reference/api.md describes the fields."""',
                 "from typing import Optional, Tuple", "from ._structs import Record", ""]
        done = 0
        while done < len(self.used):  # nested ones are found on the way
            name = self.used[done]
            done += 1
            lines.append(f"class {name[3:]}(Record):")
            if name == "CpsStepInfo":
                lines.append("    unsolved_steps: int")
            body = [f"    {field}: {kind}" for field, ctype in self.fields(name)
                    if field not in _COUNTS and (kind := self.result(ctype)) is not None]
            lines += body or ["    ..."]
        return "\n".join(lines) + "\n"


class Stub(ast.NodeTransformer):
    """A module as its stub."""

    def __init__(self, structs, top):
        self.structs, self.top = structs, top
        self.records = set()

    def is_struct(self, node):
        return isinstance(node, ast.Name) and node.id.startswith("Cps")

    def visit_Name(self, node):
        if self.is_struct(node):
            self.structs.use(node.id)
            self.records.add(node.id[3:])
            return ast.copy_location(ast.Name(node.id[3:] + "_", ast.Load()), node)
        return node

    def visit_FunctionDef(self, node):
        if node.name.startswith("_") and not (node.name.startswith("__") or node.name.startswith("_repr_")):
            return None
        arguments = node.args
        if arguments.kwarg is not None and self.is_struct(arguments.kwarg.annotation):
            taken = {a.arg for a in arguments.args + arguments.kwonlyargs}
            for name, kind in self.structs.keywords(arguments.kwarg.annotation.id):
                if name not in taken:
                    arguments.kwonlyargs.append(ast.arg(name, ast.parse(kind, mode="eval").body))
                    arguments.kw_defaults.append(ast.Constant(...))
            arguments.kwarg = None
        for given in arguments.args + arguments.kwonlyargs + [a for a in (arguments.vararg, arguments.kwarg) if a]:
            if given.annotation is not None:
                given.annotation = self.visit(given.annotation)
        arguments.defaults = [ast.Constant(...) for _ in arguments.defaults]
        arguments.kw_defaults = [None if d is None else ast.Constant(...) for d in arguments.kw_defaults]
        node.returns = None if node.returns is None else self.visit(node.returns)
        said = ast.get_docstring(node)
        node.body = [ast.Expr(ast.Constant(said))] if said else [ast.Expr(ast.Constant(...))]
        return node

    def visit_ClassDef(self, node):
        if node.name.startswith("_"):
            return None
        kept, overloaded = [], set()
        for part in node.body:
            if isinstance(part, ast.Assign):
                target = part.targets[0].id
                if not target.startswith("_"):
                    kept.append(ast.AnnAssign(ast.Name(target), ast.Name(type(ast.literal_eval(part.value)).__name__), None, 1))
                continue
            if isinstance(part, ast.AnnAssign):
                part.value = None
            if getattr(part, "name", None) in overloaded and not part.decorator_list:
                continue  # the function behind the overloads
            if any(getattr(d, "id", "") == "overload" for d in getattr(part, "decorator_list", [])):
                overloaded.add(part.name)
            made = self.visit(part)
            if made is not None:
                kept.append(made)
        node.body = kept
        return node

    def visit_Module(self, node):
        kept = []
        for part in node.body:
            if isinstance(part, ast.If):  # if TYPE_CHECKING
                kept += part.body
            elif isinstance(part, ast.Assign):
                if not isinstance(part.targets[0], ast.Name) or part.targets[0].id.startswith("_"):
                    if getattr(part.targets[0], "id", "") != "__all__":
                        continue
                kept.append(part)
            elif isinstance(part, ast.AnnAssign):
                part.value = None
                kept.append(part)
            elif isinstance(part, (ast.Import, ast.ImportFrom)):
                module = getattr(part, "module", "") or ""
                if module == "_structs":
                    part.names = [name for name in part.names if name.name == "Record"]
                private = module in ("_capstan", "_callbacks", "_progress", "__future__") or (module == "_errors" and not self.top)
                if part.names and not private:
                    kept.append(part)
            elif isinstance(part, (ast.FunctionDef, ast.ClassDef)):
                made = self.visit(part)
                if made is not None:
                    kept.append(made)
            elif isinstance(part, ast.Expr):
                kept.append(part)
        records = [ast.alias(name, name + "_") for name in sorted(self.records)]
        if records:
            kept.insert(1, ast.ImportFrom("_records", records, 1))
        node.body = kept
        return node


HEAD = "from typing import Any, Literal, Optional, Sequence, Union\n\nfrom ._types import Vector\n"
RECORD = '''"""Between Python's values and the structs of the library."""
from typing import Any, Iterator, Tuple

class Record:
    """The fields of a struct of the library as attributes, read once; docs/reference/api.md says what each is."""
    def __init__(self, source: Any) -> None: ...
    def __iter__(self) -> Iterator[Tuple[str, Any]]: ...
    def __eq__(self, other: object) -> bool: ...
    def __repr__(self) -> str: ...
    def _repr_html_(self) -> str: ...
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, about in (("include", "folder of the public headers"), ("package", "folder of the modules"), ("output", "folder to write to")):
        parser.add_argument("--" + name, required=True, help=about)
    parser.add_argument("--cc", default="cc", help="C compiler whose preprocessor reads the headers")
    args = parser.parse_args()
    ffi = cffi.FFI()
    ffi.cdef(declarations(args.include, args.cc, HEADERS + ["render", "view"]))
    structs, output = Structs(ffi), pathlib.Path(args.output)
    for path in sorted(pathlib.Path(args.package).glob("*.py")):
        if path.name in ("_callbacks.py", "_structs.py"):
            continue
        tree = ast.parse(path.read_text())
        stub = Stub(structs, path.name == "__init__.py").visit(tree)
        if path.name not in ("__init__.py", "_types.py", "_errors.py"):
            stub.body[1:1] = ast.parse(HEAD).body
        (output / (path.stem + ".pyi")).write_text(ast.unparse(ast.fix_missing_locations(stub)) + "\n")
    (output / "_structs.pyi").write_text(RECORD)
    (output / "_records.pyi").write_text(structs.classes())


if __name__ == "__main__":
    main()
