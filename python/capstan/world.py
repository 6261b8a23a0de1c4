"""Worlds: things that touch, and their time steps.

    import capstan as cps

    world = cps.World(step=2e-3)
    world.add_obstacle(cps.plane())
    ball = world.add_body(cps.sphere(0.1), position=(0, 0, 1))
    world.step(500)
    print(ball.position, world.energy.error)
"""

import threading

import numpy as np

from ._callbacks import Calls
from ._capstan import ffi, lib
from ._errors import NotSolved, call, check, refuse, status_name, text
from ._structs import Record, dtype, enum_value, fill, name_of, struct, suggestion
from .problem import Problem

_CONTACT = dtype(ffi.typeof("CpsContact"))
_TIE = dtype(ffi.typeof("CpsTieState"))
STATUSES = ("take-off", "stick", "slide")


def _vec3(numbers):
    return struct(ffi.typeof("CpsVec3"), numbers, [])[0]


class Thing:
    """Something in a world. It stays valid until it is removed; a stale one is refused, never mistaken for another."""

    kind = ""

    def __init__(self, world, id):
        self.world, self.id = world, id

    @property
    def index(self):
        """Its place among its kind."""
        return self.id.index

    def _thing(self):
        thing = ffi.new("CpsThing*")
        thing.kind = getattr(lib, f"CPS_THING_{self.kind.upper()}")
        thing.index, thing.generation = self.id.index, self.id.generation
        return thing[0]

    def _as_c(self, name, keep):
        if name == "CpsThing":
            keep.append(ffi.new("CpsThing*", self._thing()))
        elif name == name_of(ffi.typeof(self.id)):
            keep.append(ffi.new(name + "*", self.id))
        else:
            return None
        return keep[-1]

    def at(self, point=(0, 0, 0), s=0.0, vertex=0):
        """A material point: of a body or an obstacle in its own axes, of a fibre by arc length, of a sheet by vertex."""
        return Anchor(self, point, s, vertex)

    def _array(self, quantity):
        return self.world._array(self._thing(), quantity)

    def _set_array(self, quantity, values):
        self.world._set_array(self._thing(), quantity, values)

    def __repr__(self):
        return f"{type(self).__name__}({self.index})"


class Anchor:
    """A point of a thing that ties and pulls take hold of."""

    def __init__(self, thing, point, s, vertex):
        self.thing, self.point, self.s, self.vertex = thing, point, s, vertex

    def _as_c(self, name, keep):
        if name != "CpsAnchor":
            return None
        anchor = ffi.new("CpsAnchor*")
        fill(anchor, {"thing": self.thing, "point": self.point, "s": self.s, "vertex": self.vertex}, keep, "a point")
        keep.append(anchor)
        return anchor


class Body(Thing):
    """A rigid body."""

    kind = "body"

    def _state(self):
        state = ffi.new("CpsBodyState*")
        if lib.cps_world_body_state(self.world._c, self.id, state) < 0:
            raise KeyError(f"body {self.index} was removed")
        return state

    @property
    def state(self):
        """Pose, velocities, centre and mass."""
        return Record(self._state())

    @property
    def position(self):
        """Of the origin of its shape, m."""
        return np.array(self.state.pose.position)

    @property
    def rotation(self):
        """Unit quaternion w, x, y, z."""
        return np.array(self.state.pose.rotation)

    @property
    def velocity(self):
        """Of the centre of mass, m/s."""
        return np.array(self.state.velocity)

    @property
    def angular_velocity(self):
        """In world axes, rad/s."""
        return np.array(self.state.angular_velocity)

    def set(self, **values):
        """Sets `pose`, `velocity` or `angular_velocity`; what is not named stays."""
        state = self._state()
        allowed = ("pose", "velocity", "angular_velocity")
        for name in values:
            if name not in allowed:
                raise TypeError(f"a state has no '{name}'{suggestion(name, allowed)}")
        fill(state, values, [], "a state")
        with self.world._busy:
            call(lib.cps_world_set_body_state, self.world._c, self.id, state)

    def apply_impulse(self, impulse, point):
        """Adds an impulse (N·s) at once, at a point of the world."""
        with self.world._busy:
            call(lib.cps_world_apply_impulse, self.world._c, self.id, _vec3(impulse), _vec3(point))

    def remove(self):
        """Removes it from its world."""
        with self.world._busy:
            call(lib.cps_world_remove_body, self.world._c, self.id)


class Obstacle(Thing):
    """Touched, never moved by what touches it."""

    kind = "obstacle"

    @property
    def pose(self):
        """Position and rotation now."""
        pose = ffi.new("CpsPose*")
        check(lib.cps_world_obstacle_pose(self.world._c, self.id, pose))
        return Record(pose)

    def remove(self):
        """Removes it from its world."""
        with self.world._busy:
            call(lib.cps_world_remove_obstacle, self.world._c, self.id)


class Fibre(Thing):
    """A thin elastic rod."""

    kind = "fibre"

    @property
    def info(self):
        """Model, length, mass, energies."""
        info = ffi.new("CpsFibreInfo*")
        check(lib.cps_world_fibre_info(self.world._c, self.id, info))
        return Record(info)

    def points(self, count=None):
        """The centreline, m: at `count` equal arc lengths, or at the ends of its elements."""
        if count is None:
            return self._array("position")
        out = np.empty((int(count), 3))
        check(lib.cps_world_fibre_points(self.world._c, self.id, int(count), ffi.cast("CpsVec3*", ffi.from_buffer(out))))
        return out

    def tension(self, count=32):
        """The axial force at `count` equal arc lengths, N, positive where it is pulled."""
        out = np.empty(int(count))
        check(lib.cps_world_fibre_tension(self.world._c, self.id, int(count), ffi.from_buffer("double[]", out)))
        return out

    def remove(self):
        """Removes it from its world."""
        with self.world._busy:
            call(lib.cps_world_remove_fibre, self.world._c, self.id)


class _Surface(Thing):
    @property
    def info(self):
        """Counts, mass, energies."""
        info = ffi.new(f"Cps{self.kind.capitalize()}Info*")
        check(getattr(lib, f"cps_world_{self.kind}_info")(self.world._c, self.id, info))
        return Record(info)

    @property
    def vertices(self):
        """Positions of all vertices, m. Can be set; vertices that are held must stay where they are."""
        return self._array("position")

    @vertices.setter
    def vertices(self, values):
        self._set_array("position", values)

    @property
    def velocities(self):
        """Velocities of all vertices, m/s. Can be set; those of vertices that are held stay as they are."""
        return self._array("velocity")

    @velocities.setter
    def velocities(self, values):
        self._set_array("velocity", values)

    @property
    def triangles(self):
        """Three vertices of each triangle of the surface."""
        pointer = getattr(lib, f"cps_world_{self.kind}_triangles")(self.world._c, self.id)
        count = self.info.triangle_count
        return np.frombuffer(ffi.buffer(pointer, 12 * count), dtype=np.int32).reshape(-1, 3).copy()

    def remove(self):
        """Removes it from its world."""
        with self.world._busy:
            call(getattr(lib, f"cps_world_remove_{self.kind}"), self.world._c, self.id)

    def hold(self, vertex, place):
        """Holds a vertex at a place of the world from the next step on."""
        with self.world._busy:
            call(lib.cps_world_hold_vertex, self.world._c, self._thing(), vertex, _vec3(place))

    def release(self, vertex):
        """Lets a vertex go, whoever holds it."""
        with self.world._busy:
            call(lib.cps_world_release_vertex, self.world._c, self._thing(), vertex)


class Sheet(_Surface):
    """A sheet of cloth, paper or foil."""

    kind = "sheet"


class Solid(_Surface):
    """A soft solid of tetrahedra."""

    kind = "solid"

    @property
    def stress(self):
        """Cauchy's stress in each tetrahedron: xx yy zz xy yz zx, Pa."""
        out = np.empty((self.info.tetrahedron_count, 6))
        check(lib.cps_world_solid_stress(self.world._c, self.id, ffi.from_buffer("double[]", out)))
        return out


class Tie(Thing):
    """A point of one thing held to a point of another, or a spring between them."""

    kind = "tie"

    @property
    def state(self):
        """Points, force, torque, how far apart they are."""
        state = ffi.new("CpsTieState*")
        check(lib.cps_world_tie_state(self.world._c, self.id, state))
        return Record(state)

    def remove(self):
        """Removes it from its world."""
        with self.world._busy:
            call(lib.cps_world_remove_tie, self.world._c, self.id)


class Pull(Thing):
    """A force or a spring on a point."""

    kind = "pull"

    @property
    def force(self):
        """Over the last step, N."""
        out = ffi.new("CpsVec3*")
        check(lib.cps_world_pull_force(self.world._c, self.id, out))
        return np.array([out.x, out.y, out.z])

    def move(self, target):
        """Moves the place that the spring pulls to."""
        with self.world._busy:
            call(lib.cps_world_move_pull, self.world._c, self.id, _vec3(target))

    def remove(self):
        """Ends it."""
        with self.world._busy:
            call(lib.cps_world_remove_pull, self.world._c, self.id)


class Contacts:
    """The contacts of one step as arrays with a row for each contact."""

    def __init__(self, table):
        self.table = table  #: the library's structs as one structured array

    def __len__(self):
        return len(self.table)

    normal = property(lambda self: self.table["normal"], doc="unit, from side 1 to side 0")
    impulse = property(lambda self: self.table["impulse"], doc="on side 0, N·s, along normal and two tangents")
    velocity = property(lambda self: self.table["velocity"], doc="of side 0 relative to side 1, m/s, along the same")
    gap = property(lambda self: self.table["gap"], doc="m; negative: penetration")
    mu = property(lambda self: self.table["mu"], doc="friction coefficient")
    residual = property(lambda self: self.table["residual"], doc="how far each is from Coulomb's law")
    point = property(lambda self: self.table["side"]["point"], doc="points of the two sides, m (contacts × 2 × 3)")

    @property
    def status(self):
        """"take-off", "stick" or "slide" for each."""
        return np.array(STATUSES)[self.table["status"]] if len(self) else np.empty(0, dtype="<U8")

    @property
    def force_of_impulse(self):
        """World axes, on side 0, N·s."""
        axes = np.stack([self.table[name] for name in ("normal", "tangent1", "tangent2")], axis=1)
        return np.einsum("ij,ijk->ik", self.table["impulse"], axes)

    def to_dataframe(self):
        """The same as a pandas DataFrame."""
        import pandas

        columns = {}
        for side in (0, 1):
            thing = self.table["side"]["thing"]
            columns[f"kind_{side}"] = thing["kind"][:, side]
            columns[f"index_{side}"] = thing["index"][:, side]
            for k, axis in enumerate("xyz"):
                columns[f"{axis}_{side}"] = self.point[:, side, k]
        for name in ("impulse", "velocity"):
            for k, axis in enumerate(("n", "t1", "t2")):
                columns[f"{name}_{axis}"] = self.table[name][:, k]
        for name in ("gap", "mu", "residual"):
            columns[name] = self.table[name]
        columns["status"] = self.status
        return pandas.DataFrame(columns)

    def __repr__(self):
        counts = ", ".join(f"{int((self.status == s).sum())} {s}" for s in STATUSES)
        return f"Contacts({len(self)}: {counts})"


class _Busy:
    """One thread at a time: a second one is refused with a sentence instead of corrupting the world."""

    def __init__(self):
        self._lock = threading.Lock()

    def __enter__(self):
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("the world is in use by another thread, or by a function that it called")

    def __exit__(self, *_):
        self._lock.release()


class _Kind:
    """All things of a kind: a sequence of handles, and arrays over all of them."""

    def __init__(self, world, handle):
        self._world, self._handle = world, handle

    def __len__(self):
        return getattr(lib, f"cps_world_{self._handle.kind}_count")(self._world._c)

    def __getitem__(self, i):
        if isinstance(i, str):
            names = self._world._names.get(self._handle.kind, [])
            if i not in names:
                raise KeyError(f"there is no {self._handle.kind} '{i}'{suggestion(i, names) if names else ''}")
            i = names.index(i)
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        count = len(self)
        if not -count <= i < count:
            raise IndexError(f"there are {count} of them")
        return self._handle(self._world, getattr(lib, f"cps_world_{self._handle.kind}")(self._world._c, i % count))

    def _all(self):
        thing = ffi.new("CpsThing*")
        thing.kind = getattr(lib, f"CPS_THING_{self._handle.kind.upper()}")
        return thing[0]

    def array(self, quantity):
        """"position", "velocity", "orientation" or "angular-velocity" of all of them, a row for each entry."""
        return self._world._array(self._all(), quantity)

    def set_array(self, quantity, values):
        """Sets it from such an array, or from one row for all: of bodies, sheets and solids. All rows or, if one is wrong, none."""
        self._world._set_array(self._all(), quantity, values)

    positions = property(lambda self: self.array("position"), lambda self, x: self.set_array("position", x), doc="m")
    velocities = property(lambda self: self.array("velocity"), lambda self, v: self.set_array("velocity", v), doc="m/s")

    def __repr__(self):
        plural = {"body": "bodies"}.get(self._handle.kind, self._handle.kind + "s")
        return f"{len(self)} {self._handle.kind if len(self) == 1 else plural}"


class World:
    """Everything that moves and touches. Settings are the fields of CpsWorldDef, here and in `configure`."""

    def __init__(self, tolerance=None, friction=None, **settings):
        """tolerance: of the solver. friction: a function of a contact that returns mu, or (mu, restitution); it is slow."""
        definition = ffi.new("CpsWorldDef*", lib.cps_world_def_default())
        out = ffi.new("CpsWorld**")
        self._set(definition, tolerance, friction, settings)
        call(lib.cps_world_create, definition, out)
        self._own(ffi.gc(out[0], lib.cps_world_destroy))

    def _own(self, pointer, names=None):
        self._c, self._busy, self._names = pointer, _Busy(), names or {}
        self.bodies, self.obstacles = _Kind(self, Body), _Kind(self, Obstacle)
        self.fibres, self.sheets, self.solids = _Kind(self, Fibre), _Kind(self, Sheet), _Kind(self, Solid)
        self.ties = _Kind(self, Tie)

    @classmethod
    def _of(cls, pointer, names):
        world = cls.__new__(cls)
        world._own(ffi.gc(pointer, lib.cps_world_destroy), names)
        definition = ffi.new("CpsWorldDef*", lib.cps_world_settings(world._c))
        world._set(definition, None, None, {})
        call(lib.cps_world_configure, world._c, definition)
        return world

    def _set(self, definition, tolerance, friction, settings):
        fill(definition, settings, [], "a world")
        if tolerance is not None:
            definition.solver.tolerance = tolerance
        self._calls = Calls(friction)
        definition.cancel, definition.cancel_data = lib.capstan_py_cancel, self._calls.handle
        if friction is not None:
            definition.friction, definition.friction_data = lib.capstan_py_friction, self._calls.handle

    @property
    def settings(self):
        """The settings in force."""
        return Record(ffi.new("CpsWorldDef*", lib.cps_world_settings(self._c)))

    def configure(self, tolerance=None, friction=None, **settings):
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
        fill(definition, values, keep, f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}")
        id = ffi.new(f"Cps{kind.capitalize()}Id*")
        with self._busy:
            call(getattr(lib, f"cps_world_add_{kind}"), self._c, definition, id)
        return handle(self, id[0])

    def add_material(self, mu=float("nan"), restitution=float("nan")):
        """Adds a material and returns its number; what is not given is not said by it."""
        id = ffi.new("CpsMaterialId*")
        with self._busy:
            call(lib.cps_world_add_material, self._c, {"mu": mu, "restitution": restitution}, id)
        return id[0]

    def set_pair(self, a, b, mu=float("nan"), restitution=float("nan")):
        """What two materials do against each other."""
        with self._busy:
            call(lib.cps_world_set_pair, self._c, a, b, {"mu": mu, "restitution": restitution})

    def add_body(self, shape, **values):
        """Adds a rigid body; values are the fields of CpsBodyDef: position, rotation, velocity, density, mass, mu, …"""
        return self._add("body", Body, {"shape": shape, **values})

    def add_obstacle(self, shape, **values):
        """Adds an obstacle; values are the fields of CpsObstacleDef: pose, motion, surface_velocity, mu, …"""
        return self._add("obstacle", Obstacle, {"shape": shape, **values})

    def add_fibre(self, **values):
        """Adds a fibre; values are the fields of CpsFibreDef: model, points, length, radius, young, root, …"""
        return self._add("fibre", Fibre, values)

    def add_sheet(self, vertices, triangles, fabric=None, **values):
        """Adds a sheet; values are the fields of CpsSheetDef. fabric: "cotton", …, as far as values say nothing else."""
        keep = []
        definition = ffi.new("CpsSheetDef*", lib.cps_sheet_def_default())
        if fabric is not None:
            found = ffi.new("CpsFabric*")
            if not lib.cps_fabric_find(fabric.encode(), found):
                raise ValueError(f"there is no fabric '{fabric}'{suggestion(fabric, fabrics())}")
            lib.cps_sheet_def_use_fabric(definition, found)
        fill(definition, {"vertices": vertices, "triangles": triangles, **values}, keep, "a sheet")
        id = ffi.new("CpsSheetId*")
        with self._busy:
            call(lib.cps_world_add_sheet, self._c, definition, id)
        return Sheet(self, id[0])

    def add_solid(self, vertices, tetrahedra, **values):
        """Adds a soft solid; values are the fields of CpsSolidDef: matter, pins, radius, mu, …"""
        return self._add("solid", Solid, {"vertices": vertices, "tetrahedra": tetrahedra, **values})

    def add_tie(self, kind="point", **values):
        """Ties `a` to `b` (points made by `thing.at(…)`, or places of the world); fields of CpsTieDef."""
        return self._add("tie", Tie, {"kind": kind, **values})

    def add_pull(self, at, **values):
        """Pulls at a point made by `thing.at(…)`: force, or stiffness, damping and target; fields of CpsPullDef."""
        return self._add("pull", Pull, {"at": at, **values})

    def add_load(self, thing=None, **values):
        """A force and a torque on a body, or on all; fields of CpsLoadDef."""
        keep = []
        definition = ffi.new("CpsLoadDef*", lib.cps_load_def_default())
        fill(definition, {"thing": thing, **values}, keep, "a load")
        with self._busy:
            call(lib.cps_world_add_load, self._c, definition)

    # -- running -----------------------------------------------------------------------------------------------------

    def step(self, count=1, strict=False, progress=None):
        """
        Makes `count` steps and returns what the last one said; `unsolved_steps` counts those that were not solved as well as
        asked. strict: raise NotSolved at the first of them. progress: called with what each step said; False ends the run.
        The interpreter is free for other threads meanwhile, and Ctrl-C ends the run after or within a step.
        """
        info, error = ffi.new("CpsStepInfo*"), ffi.new("CpsError*")
        said, unsolved = None, 0
        with self._busy:
            for _ in range(count):
                status = lib.cps_world_step(self._c, info, error)
                self._calls.reraise()
                if status < 0:
                    refuse(status, text(error.text))
                unsolved += status > 0
                if status > 0 and strict:
                    raise NotSolved(text(error.text) or status_name(status))
                if progress is not None and progress(Record(info)) is False:
                    break
        if count > 0:
            said = Record(info)
            said.unsolved_steps = unsolved
        return said

    def run(self, until, **options):
        """Steps until a simulated time, s; options as for `step`."""
        said, unsolved = None, 0
        while self.time < until - 1e-9 * max(1.0, abs(until)):
            said = self.step(**options)
            unsolved += said.unsolved_steps
            said.unsolved_steps = unsolved
        return said

    def separate(self):
        """Moves apart what is inside each other at the start; returns the overlaps as they were."""
        with self._busy:
            call(lib.cps_world_separate, self._c)
        return self.overlaps(find=False)

    def overlaps(self, find=True):
        """Pairs that are inside each other now."""
        if find:
            with self._busy:
                call(lib.cps_world_find_overlaps, self._c)
        return [Record(lib.cps_world_overlap(self._c, i)) for i in range(lib.cps_world_overlap_count(self._c))]

    def invert(self, **options):
        """Changes natural shapes so that fibres are at rest where they are; fields of CpsInvertOptions."""
        definition, keep = ffi.new("CpsInvertOptions*", lib.cps_invert_options_default()), []
        fill(definition, options, keep, "invert")
        info = ffi.new("CpsInvertInfo*")
        with self._busy:
            call(lib.cps_world_invert, self._c, definition, info)
        return Record(info)

    # -- looking -----------------------------------------------------------------------------------------------------

    time = property(lambda self: lib.cps_world_time(self._c), doc="simulated time, s")
    steps = property(lambda self: lib.cps_world_step_count(self._c), doc="steps made")
    hash = property(lambda self: lib.cps_world_hash(self._c), doc="64 bits of time, poses and velocities")

    @property
    def energy(self):
        """The books after the last step, J."""
        return Record(lib.cps_world_energy(self._c))

    @property
    def momentum(self):
        """Linear momentum and angular momentum about the origin, as two arrays."""
        linear, angular = ffi.new("CpsVec3*"), ffi.new("CpsVec3*")
        lib.cps_world_momentum(self._c, linear, angular)
        return np.array([linear.x, linear.y, linear.z]), np.array([angular.x, angular.y, angular.z])

    @property
    def contacts(self):
        """The contacts of the last step."""
        count = lib.cps_world_contact_count(self._c)
        table = np.zeros(count, dtype=_CONTACT)
        if count:
            lib.cps_world_contacts(self._c, ffi.cast("CpsContact*", ffi.from_buffer(table)), count)
        return Contacts(table)

    def tie_table(self):
        """The states of all ties as one structured array."""
        count = lib.cps_world_tie_count(self._c)
        table = np.zeros(count, dtype=_TIE)
        if count:
            lib.cps_world_tie_states(self._c, ffi.cast("CpsTieState*", ffi.from_buffer(table)), count)
        return table

    def problem(self):
        """The problem of the last step and the impulses that were found: (Problem, r)."""
        out, r = ffi.new("CpsProblem**"), np.zeros(lib.cps_world_problem_rows(self._c))
        call(lib.cps_world_problem, self._c, out, ffi.from_buffer("double[]", r))
        return Problem._of(out[0]), r

    def save(self):
        """All that changes in time, as bytes for `load`."""
        size = lib.cps_world_state_size(self._c)
        state = ffi.new("char[]", size)
        call(lib.cps_world_save, self._c, state, size)
        return bytes(ffi.buffer(state, size))

    def load(self, state):
        """Puts a saved state into a world that was made by the same calls; steps go on with the same bits."""
        with self._busy:
            call(lib.cps_world_load, self._c, ffi.from_buffer(state), len(state))

    def _array(self, thing, quantity):
        number = enum_value(ffi.typeof("CpsQuantity"), quantity)
        count, width = lib.cps_world_array_count(self._c, thing, number), lib.cps_quantity_width(number)
        out = np.empty((count, width))
        if count:
            check(lib.cps_world_array(self._c, thing, number, ffi.from_buffer("double[]", out), 8 * width))
        return out

    def _set_array(self, thing, quantity, values):
        number = enum_value(ffi.typeof("CpsQuantity"), quantity)
        width, rows = lib.cps_quantity_width(number), np.asarray(values, dtype=np.float64)
        if rows.shape == (width,):
            rows = np.broadcast_to(rows, (lib.cps_world_array_count(self._c, thing, number), width))
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ValueError(f"{quantity}: expected rows of {width} numbers, found an array of shape {rows.shape}")
        rows = np.ascontiguousarray(rows)
        with self._busy:
            call(lib.cps_world_set_array, self._c, thing, number, ffi.from_buffer("double[]", rows), len(rows), 8 * width)

    def __repr__(self):
        kinds = (self.bodies, self.obstacles, self.fibres, self.sheets, self.solids, self.ties)
        return f"World(t = {self.time:g} s; {', '.join(repr(k) for k in kinds if len(k)) or 'empty'})"


def fabrics():
    """Names of the fabrics that the library knows."""
    fabric, names = ffi.new("CpsFabric*"), []
    for i in range(lib.cps_fabric_count()):
        lib.cps_fabric_get(i, fabric)
        names.append(text(ffi.cast("char*", fabric.name)))
    return names
