"""Worlds: objects in contact, and their time steps.

    import capstan as cps

    world = cps.World(step=2e-3)
    world.add_obstacle(cps.plane())
    ball = world.add_body(cps.sphere(0.1), position=(0, 0, 1))
    world.step(500)
    print(ball.position, world.energy.error)
"""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, Dict, Generic, Iterator, List, Optional, Tuple, Type, TypeVar, Union, overload

import numpy as np

from ._callbacks import Calls
from ._capstan import ffi
from ._errors import NotSolved, call, check, refuse, status_name, text
from ._guard import Guard, GuardedWorld, lib
from ._progress import Bar
from ._structs import Record, count_of, dtype, entry_index, enum_value, fill, reals, suggestion, table_html
from ._types import Array, Friction, Numbers, Path, Progress, Vector
from .contacts import Contacts
from .files import find_fabric
from .model import Model, ModelHandle
from .problem import Problem
from .shapes import Shape
from .things import Anchor, Body, Fibre, Flow, Grains, Obstacle, Pull, Sheet, Solid, Thing, Tie, numbers_of

_CONTACT = dtype(ffi.typeof("CpsContact"))
_TIE = dtype(ffi.typeof("CpsTieState"))
T = TypeVar("T", bound=Thing)


class _View:
    """The owner of a numpy array in the memory of a world: keeps the world alive."""

    def __init__(self, world, kind, found):
        self.world, self.kind = world, kind
        number = {lib.CPS_NUMBER_DOUBLE: "<f8", lib.CPS_NUMBER_INT32: "<i4", lib.CPS_NUMBER_UINT8: "|u1"}[found.type]
        shape, strides = (found.count, found.width), (found.stride, np.dtype(number).itemsize)
        if found.width == 1:
            shape, strides = shape[:1], strides[:1]
        self.__array_interface__ = {"version": 3, "typestr": number, "shape": shape, "strides": strides,
                                    "data": (int(ffi.cast("uintptr_t", found.data)), True)}


class Things(Generic[T]):
    """All objects of a kind: a sequence of handles, and arrays over all of them."""

    def __init__(self, world: World, handle: Type[T]) -> None:
        self._world, self._handle = world, handle

    def __len__(self) -> int:
        return getattr(lib, f"cps_world_{self._handle.kind}_count")(self._world._c)

    def __iter__(self) -> Iterator[T]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, i: Union[int, str]) -> T: ...
    @overload
    def __getitem__(self, i: slice) -> List[T]: ...
    def __getitem__(self, i):
        """An object by its index or its name in the scene, or a slice."""
        if isinstance(i, str):
            return self._named(i)
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        i = entry_index(i, len(self), self._handle.kind)
        return self._handle(self._world, getattr(lib, f"cps_world_{self._handle.kind}")(self._world._c, i))

    def _named(self, name):
        kind = self._handle.kind
        ids = self._world._named.get(kind, {})
        if name not in ids:
            raise KeyError(f"there is no {kind} '{name}'{suggestion(name, ids) if ids else ''}")
        thing = self._handle(self._world, ids[name])
        if not thing.exists:
            raise KeyError(f"{kind} '{name}' was removed")
        return thing

    def _all(self):
        thing = ffi.new("CpsThing*")
        thing.kind = getattr(lib, f"CPS_THING_{self._handle.kind.upper()}")
        return thing[0]

    def array(self, quantity: str) -> Array:
        """"position", "velocity", "orientation", "angular-velocity" or "centre" of all objects, one row per entry; a copy."""
        return self._world._array(self._all(), quantity)

    def view(self, quantity: str) -> Array:
        """
        "position", "velocity" or "centre" (of mass) of all objects without a copy: a read-only array in the memory of the world,
        which changes with each step. NotImplementedError if the library does not store these numbers at equal distances: `array`
        copies them. While a view exists, objects of this kind cannot be added or removed (BufferError).
        """
        return self._world._view(self._all(), self._handle.kind, quantity)

    def set_array(self, quantity: str, values: Numbers) -> None:
        """
        Sets a quantity of bodies, sheets or solids from such an array, or from one row for all. If a row is invalid, nothing
        changes.
        """
        self._world._set_array(self._all(), quantity, values)

    @property
    def positions(self) -> Array:
        """Positions, m: one row per object or per point. A copy; `view` has none. Can be set."""
        return self.array("position")

    @positions.setter
    def positions(self, values: Numbers) -> None:
        self.set_array("position", values)

    @property
    def velocities(self) -> Array:
        """Velocities, m/s, with the same rows. A copy; `view` has none. Can be set."""
        return self.array("velocity")

    @velocities.setter
    def velocities(self, values: Numbers) -> None:
        self.set_array("velocity", values)

    def __repr__(self) -> str:
        return count_of(len(self), self._handle.kind)


class World:
    """A simulated world. Settings here and in `configure` are the fields of CpsWorldDef."""

    bodies: Things[Body]
    obstacles: Things[Obstacle]
    fibres: Things[Fibre]
    sheets: Things[Sheet]
    solids: Things[Solid]
    ties: Things[Tie]
    grains: Grains

    def __init__(self, tolerance: Optional[float] = None, friction: Optional[Friction] = None, **settings: CpsWorldDef) -> None:
        """
        tolerance: that of the solver. friction: a function that takes a contact and returns mu or (mu, restitution); slow.
        """
        definition = ffi.new("CpsWorldDef*", lib.cps_world_def_default())
        out = ffi.new("CpsWorld**")
        self._set(definition, tolerance, friction, settings)
        call(lib.cps_world_create, definition, out)
        self._own(ffi.gc(out[0], lib.cps_world_destroy))

    def _own(self, pointer):
        self._busy, self._named = Guard(), {}
        self._c = GuardedWorld(pointer, self._busy)
        self._forces, self._models, self._tension, self._scene = [], [], None, None
        self.bodies, self.obstacles = Things(self, Body), Things(self, Obstacle)
        self.fibres, self.sheets, self.solids = Things(self, Fibre), Things(self, Sheet), Things(self, Solid)
        self.ties, self.grains = Things(self, Tie), Grains(self)

    def _check_own(self, value, who):
        """Refuses objects of another world, whose numbers would name others here; looks into dicts and lists of them."""
        if isinstance(value, Anchor):
            value = value.thing
        if isinstance(value, Thing) and value.world is not self:
            raise ValueError(f"{who}: {value!r} belongs to another world")
        if isinstance(value, dict):
            value = list(value.values())
        elif not (isinstance(value, (list, tuple)) and value and isinstance(value[0], (Thing, Anchor, dict))):
            return  # numbers
        for part in value:
            self._check_own(part, who)

    def _fill(self, definition, values, keep, who):
        self._check_own(values, who)
        fill(definition, values, keep, who)

    @classmethod
    def _of(cls, pointer, names):
        world = cls.__new__(cls)
        world._own(ffi.gc(pointer, lib.cps_world_destroy))
        for kind, known in names.items():  # by id: an index changes when an object before it is removed
            number_of = getattr(lib, f"cps_world_{kind}")
            world._named[kind] = {name: number_of(world._c, i) for i, name in enumerate(known)}
        definition = ffi.new("CpsWorldDef*", lib.cps_world_settings(world._c))
        world._set(definition, None, None, {})
        call(lib.cps_world_configure, world._c, definition)
        return world

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a World cannot be copied or pickled; Scene.save() writes one to files")

    def _set(self, definition, tolerance, friction, settings):
        if friction is not None and not callable(friction):
            raise TypeError(f"friction must be a function of a contact, found {friction!r}")
        fill(definition, settings, [], "a world")
        if tolerance is not None:
            fill(ffi.addressof(definition, "solver"), {"tolerance": tolerance}, [], "a world")
        self._calls = Calls(friction)
        definition.cancel, definition.cancel_data = lib.capstan_py_cancel, self._calls.handle
        if friction is not None:
            definition.friction, definition.friction_data = lib.capstan_py_friction, self._calls.handle

    @property
    def settings(self) -> CpsWorldDef:
        """The settings in force."""
        return Record(ffi.new("CpsWorldDef*", lib.cps_world_settings(self._c)))

    def configure(self, tolerance: Optional[float] = None, friction: Optional[Friction] = None, **settings: CpsWorldDef) -> None:
        """Changes settings between steps."""
        definition = ffi.new("CpsWorldDef*", lib.cps_world_settings(self._c))
        calls = self._calls
        try:
            self._set(definition, tolerance, friction or calls.function, settings)
            with self._busy:
                call(lib.cps_world_configure, self._c, definition)
        except Exception:
            self._calls = calls
            raise

    # -- building ----------------------------------------------------------------------------------------------------

    def _add(self, kind, handle, values):
        keep = []
        definition = ffi.new(f"Cps{kind.capitalize()}Def*", getattr(lib, f"cps_{kind}_def_default")())
        self._fill(definition, values, keep, f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}")
        id = ffi.new(f"Cps{kind.capitalize()}Id*")
        with self._busy:
            self._busy.keep_in_place(kind)
            call(getattr(lib, f"cps_world_add_{kind}"), self._c, definition, id)
        return handle(self, id[0])

    def add_material(self, mu: float = float("nan"), restitution: float = float("nan")) -> int:
        """Adds a material and returns its number. Values left out come from less specific settings."""
        id = ffi.new("CpsMaterialId*")
        with self._busy:
            call(lib.cps_world_add_material, self._c, {"mu": mu, "restitution": restitution}, id)
        return id[0]

    def set_pair(self, a: int, b: int, mu: float = float("nan"), restitution: float = float("nan")) -> None:
        """Sets the friction and restitution of two materials against each other."""
        with self._busy:
            call(lib.cps_world_set_pair, self._c, a, b, {"mu": mu, "restitution": restitution})

    def add_body(self, shape: Shape, **values: CpsBodyDef) -> Body:
        """Adds a rigid body; values are the fields of CpsBodyDef: position, rotation, velocity, density, mass, mu, …"""
        return self._add("body", Body, {"shape": shape, **values})

    def add_obstacle(self, shape: Shape, position: Optional[Vector] = None, rotation: Optional[Vector] = None,
                     **values: CpsObstacleDef) -> Obstacle:
        """
        Adds an obstacle at a position, with a rotation (a quaternion w, x, y, z); other values are the fields of CpsObstacleDef:
        motion, surface_velocity, mu, …; pose stands for both, position and rotation.
        """
        if position is not None or rotation is not None:
            if values.get("pose") is not None:
                raise TypeError("an obstacle: give pose, or position and rotation, not both")
            values["pose"] = ((0, 0, 0) if position is None else position, (1, 0, 0, 0) if rotation is None else rotation)
        return self._add("obstacle", Obstacle, {"shape": shape, **values})

    def add_fibre(self, **values: CpsFibreDef) -> Fibre:
        """Adds a fibre; values are the fields of CpsFibreDef: model, points, length, radius, young, root, …"""
        return self._add("fibre", Fibre, values)

    def add_sheet(self, vertices: Numbers, triangles: Numbers, fabric: Any = None, **values: CpsSheetDef) -> Sheet:
        """
        Adds a sheet; values are the fields of CpsSheetDef. fabric: a name ("cotton", …) or one made by `read_fabric`; values
        override it.
        """
        keep = []
        definition = ffi.new("CpsSheetDef*", lib.cps_sheet_def_default())
        if fabric is not None:
            lib.cps_sheet_def_use_fabric(definition, find_fabric(fabric))
        self._fill(definition, {"vertices": vertices, "triangles": triangles, **values}, keep, "a sheet")
        id = ffi.new("CpsSheetId*")
        with self._busy:
            self._busy.keep_in_place("sheet")
            call(lib.cps_world_add_sheet, self._c, definition, id)
        return Sheet(self, id[0])

    def add_solid(self, vertices: Numbers, tetrahedra: Numbers, young: Optional[float] = None, poisson: Optional[float] = None,
                  density: Optional[float] = None, damping: Optional[float] = None, law: Optional[str] = None,
                  **values: CpsSolidDef) -> Solid:
        """
        Adds a soft solid; values are the fields of CpsSolidDef: matter, pins, radius, mu, … The material of the whole solid can be
        given by young, poisson, density, damping and law, as in scenes, or by `matter`, a dict of them.
        """
        given = {"young": young, "poisson": poisson, "density": density, "damping": damping, "law": law}
        given = {name: value for name, value in given.items() if value is not None}
        if given:
            if values.get("matter") is not None:
                raise TypeError(f"a solid: give the material by `matter` or by {', '.join(given)}, not by both")
            values["matter"] = given
        return self._add("solid", Solid, {"vertices": vertices, "tetrahedra": tetrahedra, **values})

    def add_tie(self, kind: str = "point", **values: CpsTieDef) -> Tie:
        """Ties `a` to `b` (points from `thing.at(…)`, or world coordinates); values are the fields of CpsTieDef."""
        return self._add("tie", Tie, {"kind": kind, **values})

    def add_pull(self, at: Anchor, **values: CpsPullDef) -> Pull:
        """Pulls on a point from `thing.at(…)`. Values are the fields of CpsPullDef: force, or stiffness, damping and target."""
        return self._add("pull", Pull, {"at": at, **values})

    def add_load(self, thing: Optional[Body] = None, **values: CpsLoadDef) -> None:
        """Adds a force and a torque on a body, or on all bodies; values are the fields of CpsLoadDef."""
        if thing is not None and not isinstance(thing, Thing):
            raise TypeError(f"a load: expected a body, found {thing!r}")
        keep = []
        definition = ffi.new("CpsLoadDef*", lib.cps_load_def_default())
        self._fill(definition, {"thing": thing, **values}, keep, "a load")
        with self._busy:
            call(lib.cps_world_add_load, self._c, definition)

    def set_grid(self, **values: CpsGridDef) -> None:
        """Sets the grid for grains; call it before `add_grains`. Values are the fields of CpsGridDef: cell, particles, …"""
        definition = ffi.new("CpsGridDef*", lib.cps_grid_def_default())
        self._fill(definition, values, [], "a grid")
        with self._busy:
            self._busy.keep_in_place("grains")
            call(lib.cps_world_set_grid, self._c, definition)

    def add_grains(self, **values: CpsGrainsDef) -> Grains:
        """Adds grains; values are the fields of CpsGrainsDef: lower and upper corners of a box, density, mu, …"""
        keep = []
        definition = ffi.new("CpsGrainsDef*", lib.cps_grains_def_default())
        self._fill(definition, values, keep, "grains")
        with self._busy:
            self._busy.keep_in_place("grains")
            call(lib.cps_world_add_grains, self._c, definition)
        return self.grains

    def add_flow(self, left: Optional[Dict[str, Any]] = None, right: Optional[Dict[str, Any]] = None,
                 bottom: Optional[Dict[str, Any]] = None, top: Optional[Dict[str, Any]] = None,
                 front: Optional[Dict[str, Any]] = None, back: Optional[Dict[str, Any]] = None, **values: CpsFlowDef) -> Flow:
        """
        Adds a dense flow of grains in a fixed domain, in the plane or, with cells_y, in space. The sides are dicts with fields of
        CpsFlowBorder: kind, velocity, pressure; values are the fields of CpsFlowDef: lower, upper, cells_x, cells_y, cells_z, mu,
        viscosity, …
        """
        keep: List[Any] = []
        definition = ffi.new("CpsFlowDef*", lib.cps_flow_def_default())
        self._fill(definition, values, keep, "a flow")
        for name, side in (("left", left), ("right", right), ("bottom", bottom), ("top", top)):
            if side is not None:
                fill(ffi.addressof(definition.border[getattr(lib, f"CPS_FLOW_{name.upper()}")]), side, keep, f"the side '{name}'")
        for name, side in (("front", front), ("back", back)):
            if side is not None:
                fill(ffi.addressof(definition, name), side, keep, f"the side '{name}'")
        with self._busy:
            call(lib.cps_world_add_flow, self._c, definition)
        return Flow(self, lib.cps_flow_point_count(definition))

    def add_force(self, at: Anchor, function: Callable[[float, Array, Array], Vector]) -> None:
        """
        Adds a force computed in Python: `function(t, position, velocity)` of the point is called at the beginning of each step and
        returns a force in N, which is constant over the step. It is slow (microseconds per call) and explicit: a stiff spring needs
        short steps. Prefer `add_pull`, which is faster and implicit, where it suffices.
        """
        if not isinstance(at, Anchor) or not isinstance(at.thing, (Body, Fibre, Sheet, Solid)):
            raise TypeError(f"a force acts at a point of a body, fibre, sheet or solid, such as ball.at(); found {at!r}")
        if not callable(function):
            raise TypeError(f"a force must be a function of time, position and velocity, found {function!r}")
        self._check_own(at, "a force")
        self._forces.append([at, function, None])

    def add_model(self, model: Model, mu: float = float("nan"), restitution: float = float("nan"), material: int = 0,
                  group: int = 0) -> ModelHandle:
        """Adds a model written in Python, which collides through its balls and cannot be removed. Slow."""
        return ModelHandle(self, model, {"mu": mu, "restitution": restitution, "material": material, "group": group})

    # -- running -----------------------------------------------------------------------------------------------------

    def step(self, count: int = 1, strict: bool = False, progress: Union[Progress, bool, None] = None) -> CpsStepInfo:
        """
        Takes `count` steps and returns the report of the last one, or None if `count` is 0; its `unsolved_steps` counts the steps
        that missed the tolerance. strict: raise NotSolved at the first such step. progress: a function called with the report of
        each step, which may return False to stop; or True for a progress bar. Other threads can run meanwhile, and Ctrl-C stops
        after or within a step.
        """
        count = operator.index(count)
        if count < 0:
            raise ValueError(f"count: {count} must be at least 0")
        info, error = ffi.new("CpsStepInfo*"), ffi.new("CpsError*")
        said, unsolved = None, 0
        bar = Bar(progress is True)
        with self._busy:
            for i in range(count):
                self._apply_forces()
                status = lib.cps_world_step(self._c, info, error)
                self._calls.reraise()
                for model in self._models:
                    model._calls.reraise()
                if status < 0:
                    refuse(status, text(error.text))
                unsolved += status > 0
                if status > 0 and strict:
                    raise NotSolved(text(error.text) or status_name(status))
                bar((i + 1) / count)
                if callable(progress) and progress(Record(info)) is False:
                    break
        if count > 0:
            said = Record(info)
            said.unsolved_steps = unsolved
        return said

    def _apply_forces(self):
        for entry in self._forces:
            at, function, pull = entry
            force = np.asarray(function(self.time, at.position, at.velocity), dtype=np.float64)
            if pull is not None:
                call(lib.cps_world_remove_pull, self._c, pull[0])
                entry[2] = None
            keep, id = [], ffi.new("CpsPullId*")
            definition = ffi.new("CpsPullDef*", lib.cps_pull_def_default())
            fill(definition, {"at": at, "force": force}, keep, "a force")
            call(lib.cps_world_add_pull, self._c, definition, id)
            entry[2] = id

    def run(self, until: float, progress: Union[Progress, bool, None] = None, **options: Any) -> CpsStepInfo:
        """
        Steps until a simulated time, s, and returns what `step` returns, or None if that time has passed. Options as for `step`.
        """
        said, unsolved, begin = None, 0, self.time
        if not math.isfinite(until):
            raise ValueError(f"until: {until} is not a time")
        bar = Bar(progress is True)
        while self.time < until - 1e-9 * max(1.0, abs(until)):
            said = self.step(**options)
            unsolved += said.unsolved_steps
            said.unsolved_steps = unsolved
            bar((self.time - begin) / (until - begin))
            if callable(progress) and progress(said) is False:
                break
        return said

    def separate(self) -> List[CpsOverlap]:
        """Moves overlapping objects apart and returns the original overlaps."""
        with self._busy:
            call(lib.cps_world_separate, self._c)
        return self.overlaps(find=False)

    def overlaps(self, find: bool = True) -> List[CpsOverlap]:
        """Pairs of objects that currently overlap; with find=False, those found by the last call."""
        if find:
            with self._busy:
                call(lib.cps_world_find_overlaps, self._c)
        with self._busy.reading():
            return [Record(lib.cps_world_overlap(self._c, i)) for i in range(lib.cps_world_overlap_count(self._c))]

    def keep_overlaps(self, kind: str = "fibre") -> List[CpsOverlap]:
        """Accepts the current overlaps between objects of a kind: steps report such a pair only if it gets deeper."""
        with self._busy:
            call(lib.cps_world_keep_overlaps, self._c, enum_value(ffi.typeof("CpsThingKind"), kind))
        return self.overlaps(find=False)

    def passes(self) -> List[CpsPass]:
        """Places where a fibre passed through something in the last step."""
        with self._busy.reading():
            return [Record(lib.cps_world_pass(self._c, i)) for i in range(lib.cps_world_pass_count(self._c))]

    def invert(self, **options: CpsInvertOptions) -> CpsInvertInfo:
        """
        Changes natural shapes so that fibres are at equilibrium in their current shape; options are the fields of
        CpsInvertOptions.
        """
        definition, keep = ffi.new("CpsInvertOptions*", lib.cps_invert_options_default()), []
        fill(definition, options, keep, "invert")
        info = ffi.new("CpsInvertInfo*")
        with self._busy:
            call(lib.cps_world_invert, self._c, definition, info)
        return Record(info)

    @property
    def last_inversion(self) -> CpsInvertInfo:
        """Report of the last inversion, including the one made when a scene was built."""
        return Record(lib.cps_world_last_inversion(self._c))

    def invert_problem(self, **options: CpsInvertOptions) -> Problem:
        """The problem whose solution are the contact forces that `invert` would find."""
        definition, keep = ffi.new("CpsInvertOptions*", lib.cps_invert_options_default()), []
        fill(definition, options, keep, "invert")
        out = ffi.new("CpsProblem**")
        with self._busy:
            call(lib.cps_world_invert_problem, self._c, definition, out)
        return Problem._of(out[0])

    def write_rest(self, path: Path) -> None:
        """Writes the natural strains of all fibres to an HDF5 file for scenes and `read_rest`."""
        info = ffi.new("CpsInvertInfo*", lib.cps_world_last_inversion(self._c))
        call(lib.cps_rest_write, str(path).encode(), self._c, info)

    def read_rest(self, path: Path, first: int = 0, count: Optional[int] = None) -> None:
        """Sets the natural strains of `count` fibres from number `first` on (all of them by default) from such a file."""
        with self._busy:
            call(lib.cps_rest_read, str(path).encode(), self._c, first, len(self.fibres) - first if count is None else count)

    # -- looking -----------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return lib.cps_world_time(self._c)

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return lib.cps_world_step_count(self._c)

    @property
    def last_step(self) -> float:
        """Length of the last step, s; NaN before the first."""
        return lib.cps_world_last_step(self._c)

    @property
    def hash(self) -> int:
        """A 64-bit hash of time, poses and velocities, for comparing runs on one machine."""
        return lib.cps_world_hash(self._c)

    @property
    def energy(self) -> CpsEnergy:
        """The energy balance after the last step, J."""
        return Record(lib.cps_world_energy(self._c))

    @property
    def momentum(self) -> Tuple[Array, Array]:
        """Linear momentum and angular momentum about the origin, as two arrays."""
        linear, angular = ffi.new("CpsVec3*"), ffi.new("CpsVec3*")
        lib.cps_world_momentum(self._c, linear, angular)
        return numbers_of(linear), numbers_of(angular)

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last step."""
        with self._busy.reading():
            count = lib.cps_world_contact_count(self._c)
            table = np.zeros(count, dtype=_CONTACT)
            if count:
                lib.cps_world_contacts(self._c, ffi.cast("CpsContact*", ffi.from_buffer(table)), count)
        return Contacts(table)

    def contact_array(self, quantity: str) -> Array:
        """
        One quantity of all contacts, one row per contact: "point", "normal", "impulse", "velocity", "gap", "place", "friction" or
        "residual" as numbers; "status", "thing", "part", "island" or "feature" as integers. Vectors are in world axes.
        """
        with self._busy.reading():
            count = lib.cps_world_contact_count(self._c)
            if quantity in ("status", "thing", "part", "island", "feature"):
                label = enum_value(ffi.typeof("CpsContactLabel"), quantity)
                out = np.empty((count, lib.cps_contact_label_width(label)), dtype=np.int32)
                check(lib.cps_world_contact_labels(self._c, label, ffi.from_buffer("int32_t[]", out), 4 * out.shape[1]))
            else:
                number = enum_value(ffi.typeof("CpsContactQuantity"), quantity)
                out = np.empty((count, lib.cps_contact_quantity_width(number)))
                check(lib.cps_world_contact_array(self._c, number, ffi.from_buffer("double[]", out), 8 * out.shape[1]))
        return out

    def contact_view(self, quantity: str) -> Array:
        """
        One quantity of all contacts without a copy: a read-only array in the memory of the world. "normal", "impulse", "velocity"
        (the last two along the normal and the tangents, as in `contacts`), "gap" or "residual" as numbers; "status", "island" or
        "feature" as integers. The memory belongs to the last step: while the view exists, calls that change the world raise
        BufferError. NotImplementedError if the contacts are not in one array, which happens when islands come to rest:
        `contact_array` copies them.
        """
        if self._busy.owned():
            raise RuntimeError("a view of contacts lasts until the next step and cannot be made in a callback of step(): use contact_array")
        found = ffi.new("CpsArrayView*")
        with self._busy.reading():
            if quantity in ("status", "thing", "part", "island", "feature"):
                call(lib.cps_world_contact_label_view, self._c, enum_value(ffi.typeof("CpsContactLabel"), quantity), found)
            else:
                call(lib.cps_world_contact_view, self._c, enum_value(ffi.typeof("CpsContactQuantity"), quantity), found)
            return self._shared("contact", found)

    def tie_table(self) -> Array:
        """The states of all ties as one structured array."""
        with self._busy.reading():
            count = lib.cps_world_tie_count(self._c)
            table = np.zeros(count, dtype=_TIE)
            if count:
                lib.cps_world_tie_states(self._c, ffi.cast("CpsTieState*", ffi.from_buffer(table)), count)
        return table

    def problem(self) -> Tuple[Problem, Array]:
        """The problem of the last step and its impulses: (Problem, r)."""
        with self._busy.reading():
            out, r = ffi.new("CpsProblem**"), np.zeros(lib.cps_world_problem_rows(self._c))
            call(lib.cps_world_problem, self._c, out, ffi.from_buffer("double[]", r))
        return Problem._of(out[0]), r

    def save(self) -> bytes:
        """The state of the world as bytes, for `load`."""
        with self._busy.reading():
            size = lib.cps_world_state_size(self._c)
            state = ffi.new("char[]", size)
            call(lib.cps_world_save, self._c, state, size)
        return bytes(ffi.buffer(state, size))

    def load(self, state: bytes) -> None:
        """Restores a saved state into a world built by the same calls; further steps are bit-identical."""
        with self._busy:
            call(lib.cps_world_load, self._c, ffi.from_buffer(state), len(state))

    def _tensions(self):
        """The axial forces of all fibres, looked up once after each change."""
        with self._busy.reading():
            if self._tension is None:
                self._tension = [ffi.gc(lib.cps_tensions_create(), lib.cps_tensions_destroy), -1]
            if self._tension[1] != self._busy.times:
                check(lib.cps_tensions_update(self._tension[0], self._c))
                self._tension[1] = self._busy.times
            return self._tension[0]

    def _array(self, thing, quantity):
        number = enum_value(ffi.typeof("CpsQuantity"), quantity)
        with self._busy.reading():
            count, width = lib.cps_world_array_count(self._c, thing, number), lib.cps_quantity_width(number)
            out = np.empty((count, width))
            if count:
                check(lib.cps_world_array(self._c, thing, number, ffi.from_buffer("double[]", out), 8 * width))
        return out

    def _view(self, thing, kind, quantity):
        found = ffi.new("CpsArrayView*")
        with self._busy.reading():
            call(lib.cps_world_view, self._c, thing, enum_value(ffi.typeof("CpsQuantity"), quantity), found)
            return self._shared(kind, found)

    def _shared(self, kind, found):
        view = _View(self, kind, found)
        if found.count:
            self._busy.views.add(view)
            return np.asarray(view)
        empty = np.empty(view.__array_interface__["shape"], dtype=view.__array_interface__["typestr"])
        empty.flags.writeable = False
        return empty

    def _set_array(self, thing, quantity, values):
        number = enum_value(ffi.typeof("CpsQuantity"), quantity)
        width, rows = lib.cps_quantity_width(number), reals(values)
        if rows.shape == (width,):
            rows = np.broadcast_to(rows, (lib.cps_world_array_count(self._c, thing, number), width))
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ValueError(f"{quantity}: expected rows of {width} numbers, found an array of shape {rows.shape}")
        rows = np.ascontiguousarray(rows)  # one row for all has no memory of its own
        with self._busy:
            call(lib.cps_world_set_array, self._c, thing, number, ffi.from_buffer("double[]", rows), len(rows), 8 * width)

    def _repr_html_(self) -> str:
        kinds = {"bodies": self.bodies, "obstacles": self.obstacles, "fibres": self.fibres, "sheets": self.sheets,
                 "solids": self.solids, "ties": self.ties}
        rows = {"time": f"{self.time:g} s", "steps": self.steps, **{kind: len(all) for kind, all in kinds.items() if len(all)}}
        rows["contacts"] = lib.cps_world_contact_count(self._c)
        return table_html("World", rows)

    def __repr__(self) -> str:
        kinds = (self.bodies, self.obstacles, self.fibres, self.sheets, self.solids, self.ties)
        return f"World(t = {self.time:g} s; {', '.join(repr(k) for k in kinds if len(k)) or 'empty'})"
