"""Handles of the objects in a world: bodies, obstacles, fibres, sheets, solids, ties and pulls."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Tuple

import numpy as np

from ._capstan import ffi
from ._errors import call, check, refuse
from ._guard import lib
from ._structs import Record, fill, name_of, struct, suggestion
from ._types import Array, Numbers, Vector

if TYPE_CHECKING:
    from .world import World


def vec3(numbers: Vector) -> Any:
    """Three numbers as a CpsVec3."""
    return struct(ffi.typeof("CpsVec3"), numbers, [])[0]


def numbers_of(vector: Any) -> Array:
    """A CpsVec3 as an array."""
    return np.array([vector.x, vector.y, vector.z])


def turned(rotation: Vector, x: Vector) -> Array:
    """A vector rotated by a unit quaternion w, x, y, z."""
    w, q = rotation[0], np.asarray(rotation[1:], dtype=np.float64)
    t = 2.0 * np.cross(q, x)
    return np.asarray(x, dtype=np.float64) + w * t + np.cross(q, t)


_AXES = ("point", "given in its own axes, as at((x, y, z))")
_VERTEX = ("vertex", "given by the number of a vertex, as at(vertex=7)")
# The argument of `at` for each kind of object, and its description in errors.
_POINTS = {"body": _AXES, "obstacle": _AXES, "fibre": ("s", "given by its arc length in metres, as at(s=0.1)"),
           "sheet": _VERTEX, "solid": _VERTEX}


class Thing:
    """
    An object in a world. The handle is valid until the object is removed; a stale handle is rejected, never mistaken for
    another object.
    """

    kind: str = ""
    world: World

    def __init__(self, world: World, id: Any) -> None:
        self.world, self.id = world, id

    @property
    def index(self) -> int:
        """Its index among its kind."""
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

    def at(self, point: Optional[Vector] = None, s: Optional[float] = None, vertex: Optional[int] = None,
           vertices: Optional[Mapping[int, float]] = None) -> Anchor:
        """
        A material point: of a body or an obstacle in local axes, of a fibre by its arc length `s`, of a sheet or solid by the number
        of a vertex or, for ties, by `vertices` of one triangle or tetrahedron and their weights: {3: 0.5, 7: 0.5}. Left out, it is the
        origin, the root or vertex 0.
        """
        kind = self.kind if self.kind in _POINTS else "body"
        if vertices is not None:
            if _POINTS[kind] is not _VERTEX or point is not None or s is not None or vertex is not None:
                raise TypeError("at: only a point of a sheet or a solid lies between vertices, and it has no other place")
            if not 1 <= len(vertices) <= 4:
                raise ValueError(f"at: a point lies between 1 to 4 vertices, not {len(vertices)}")
            return Anchor(self, (0, 0, 0), 0.0, 0, dict(vertices))
        for name, value in (("point", point), ("s", s), ("vertex", vertex)):
            if value is not None and name != _POINTS[kind][0]:
                raise TypeError(f"at: a point of a {self.kind} is {_POINTS[kind][1]}")
        return Anchor(self, (0, 0, 0) if point is None else point, 0.0 if s is None else s, 0 if vertex is None else vertex)

    def nearest(self, place: Vector) -> Anchor:
        """Its current point nearest to a place in the world; for a body or an obstacle, the place itself in its axes."""
        out = ffi.new("CpsAnchor*")
        with self.world._busy.reading():
            call(lib.cps_world_nearest_anchor, self.world._c, self._thing(), vec3(place), out)
        corners = {out.corners[i]: out.weights[i] for i in range(out.corner_count)}
        return Anchor(self, tuple(numbers_of(out.point)), out.s, out.vertex, corners)

    @property
    def grains_force(self) -> Array:
        """Force of the grains on a body, a fibre or an obstacle in the last step, N (in the plane: for one metre along y)."""
        out = ffi.new("CpsVec3*")
        if self.kind == "obstacle":
            check(lib.cps_world_grains_force(self.world._c, self.id, out))
        else:
            check(lib.cps_world_grains_force_on(self.world._c, self._thing(), out))
        return numbers_of(out)

    def _array(self, quantity):
        if not self.exists:
            raise KeyError(f"{self.kind} {self.index} was removed")
        return self.world._array(self._thing(), quantity)

    def view(self, quantity: str) -> Array:
        """
        "position" or "velocity" of its points without a copy: a read-only array in the memory of the world, which changes with
        each step. NotImplementedError where the library does not store these numbers. While a view exists, objects of this kind
        cannot be added, removed or trimmed (BufferError).
        """
        return self.world._view(self._thing(), self.kind, quantity)

    def _set_array(self, quantity, values):
        self.world._set_array(self._thing(), quantity, values)

    def _call(self, function, *arguments, moves=False):
        """Calls a library function that changes the object. moves: it moves the memory of objects of its kind."""
        with self.world._busy:
            if moves:
                self.world._busy.keep_in_place(self.kind)
            return call(function, self.world._c, self.id, *arguments)

    def _read(self, function, kind):
        out = ffi.new(kind + "*")
        self._check(function(self.world._c, self.id, out))
        return Record(out)

    def _check(self, status, sentence=None):
        """For functions without an error message that fail where an argument is wrong or the object is gone."""
        if status < 0:
            gone = not getattr(self, "exists", True) or sentence is None and status == lib.CPS_BAD_ARGUMENT
            refuse(status, f"{self.kind} {self.index} was removed" if gone else sentence)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.index})"


class Anchor:
    """A point of an object for ties and pulls; created by `Thing.at`."""

    def __init__(self, thing: Thing, point: Vector, s: float, vertex: int,
                 vertices: Optional[Mapping[int, float]] = None) -> None:
        self.thing, self.point, self.s, self.vertex = thing, point, s, vertex
        self.vertices = vertices or {}

    @property
    def position(self) -> Array:
        """Current position, m."""
        return self._motion()[0]

    @property
    def velocity(self) -> Array:
        """Current velocity, m/s."""
        return self._motion()[1]

    def _motion(self):
        thing = self.thing
        if isinstance(thing, Body):
            state = thing.state
            arm = turned(state.pose.rotation, self.point)
            place = np.array(state.pose.position) + arm
            return place, np.array(state.velocity) + np.cross(state.angular_velocity, place - np.array(state.centre))
        if isinstance(thing, Fibre):
            point = thing.point(self.s)
            return np.array(point.position), np.array(point.velocity)
        if isinstance(thing, Vertices) and self.vertices:
            states = [(thing.vertex(v), w) for v, w in self.vertices.items()]
            return (sum(w * np.array(v.position) for v, w in states), sum(w * np.array(v.velocity) for v, w in states))
        if isinstance(thing, Vertices):
            vertex = thing.vertex(self.vertex)
            return np.array(vertex.position), np.array(vertex.velocity)
        raise TypeError(f"{thing!r} has no points to which forces apply")

    def __repr__(self) -> str:
        return f"a point of {self.thing!r}"

    def _as_c(self, name, keep):
        if name != "CpsAnchor":
            return None
        anchor = ffi.new("CpsAnchor*")
        fill(anchor, {"thing": self.thing, "point": self.point, "s": self.s, "vertex": self.vertex}, keep, "a point")
        anchor.corner_count = len(self.vertices)
        for i, (vertex, weight) in enumerate(self.vertices.items()):
            anchor.corners[i], anchor.weights[i] = vertex, weight
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
    def exists(self) -> bool:
        """Whether it is still in its world."""
        return lib.cps_world_body_exists(self.world._c, self.id)

    @property
    def state(self) -> CpsBodyState:
        """Pose, velocities, centre and mass."""
        return Record(self._state())

    @property
    def position(self) -> Array:
        """Position of the origin of its shape, m."""
        return np.array(self.state.pose.position)

    @property
    def rotation(self) -> Array:
        """Unit quaternion w, x, y, z."""
        return np.array(self.state.pose.rotation)

    @property
    def velocity(self) -> Array:
        """Velocity of the centre of mass, m/s."""
        return np.array(self.state.velocity)

    @property
    def angular_velocity(self) -> Array:
        """Angular velocity in world axes, rad/s."""
        return np.array(self.state.angular_velocity)

    def set(self, **values: Any) -> None:
        """Sets `pose`, `velocity` or `angular_velocity`; the others are unchanged."""
        state = self._state()
        allowed = ("pose", "velocity", "angular_velocity")
        for name in values:
            if name not in allowed:
                raise TypeError(f"a state has no '{name}'{suggestion(name, allowed)}")
        fill(state, values, [], "a state")
        self._call(lib.cps_world_set_body_state, state)

    def apply_impulse(self, impulse: Vector, point: Vector) -> None:
        """Applies an impulse (N·s) immediately, at a point in world coordinates."""
        self._call(lib.cps_world_apply_impulse, vec3(impulse), vec3(point))

    def remove(self) -> None:
        """Removes it from its world."""
        self._call(lib.cps_world_remove_body, moves=True)


class Obstacle(Thing):
    """An obstacle: exerts contact forces but is never moved by them."""

    kind = "obstacle"

    @property
    def exists(self) -> bool:
        """Whether it is still in its world."""
        return lib.cps_world_obstacle_pose(self.world._c, self.id, ffi.new("CpsPose*")) >= 0

    @property
    def pose(self) -> CpsPose:
        """Current position and rotation."""
        return self._read(lib.cps_world_obstacle_pose, "CpsPose")

    def remove(self) -> None:
        """Removes it from its world."""
        self._call(lib.cps_world_remove_obstacle, moves=True)


class Fibre(Thing):
    """A thin elastic rod."""

    kind = "fibre"

    @property
    def exists(self) -> bool:
        """Whether it is still in its world."""
        return lib.cps_world_fibre_exists(self.world._c, self.id)

    @property
    def info(self) -> CpsFibreInfo:
        """Model, length, mass and energies."""
        return self._read(lib.cps_world_fibre_info, "CpsFibreInfo")

    def points(self, count: Optional[int] = None) -> Array:
        """The centreline, m: at `count` equal arc lengths, or at the ends of its elements."""
        if count is None:
            return self._array("position")
        count = operator.index(count)
        if count < 2:
            raise ValueError(f"count: {count} must be at least 2")
        out = np.empty((count, 3))
        self._check(lib.cps_world_fibre_points(self.world._c, self.id, count, ffi.cast("CpsVec3*", ffi.from_buffer(out))))
        return out

    def point(self, s: float) -> CpsFibrePoint:
        """Position, material frame, curvature and velocity at an arc length, m; beyond the ends those of the ends."""
        if s != s:
            raise ValueError("s: nan is not an arc length")
        out = ffi.new("CpsFibrePoint*")
        self._check(lib.cps_world_fibre_at(self.world._c, self.id, s, out))
        return Record(out)

    def tension(self, count: int = 32, branch: int = -1) -> Array:
        """The axial force at `count` equal arc lengths of the trunk or of a branch of a tree, N, positive under tension."""
        count, branch = operator.index(count), operator.index(branch)
        if count < 1:
            raise ValueError(f"count: {count} must be at least 1")
        out = np.empty(count)
        with self.world._busy.reading():
            tensions = self.world._tensions()
            self._check(lib.cps_tensions_read(tensions, self.world._c, self.id, branch, count, ffi.from_buffer("double[]", out)),
                        f"branch: the fibre has no branch {branch}; -1 is the trunk")
        return out

    def set_velocity(self, velocity: Vector, angular_velocity: Vector = (0, 0, 0)) -> None:
        """Sets all its velocities to a rigid motion, as far as its held ends allow."""
        self._call(lib.cps_world_set_fibre_velocity, vec3(velocity), vec3(angular_velocity))

    def end_pose(self, end: int) -> CpsPose:
        """Pose of an end: 0 is the root, 1 the tip."""
        out = ffi.new("CpsPose*")
        self._check(lib.cps_world_fibre_end_pose(self.world._c, self.id, end, out), f"end: {end} must be 0 (the root) or 1 (the tip)")
        return Record(out)

    def move_end(self, end: int, position: Vector, rotation: Vector = (1, 0, 0, 0)) -> None:
        """Moves a held end (0 is the root, 1 the tip) to a pose within the next step; from then on nothing else moves it."""
        pose = struct(ffi.typeof("CpsPose"), (position, rotation), [])[0]
        self._call(lib.cps_world_move_fibre_end, end, pose)

    @property
    def natural(self) -> Tuple[Array, Array]:
        """Natural strains (rows of three) and rest lengths, m; inverse.h defines them for each model."""
        counts = ffi.new("CpsNaturalCounts*")
        check(lib.cps_world_fibre_natural_counts(self.world._c, self.id, counts))
        strains, lengths = np.empty((counts.strains, 3)), np.empty(counts.lengths)
        check(lib.cps_world_fibre_natural(self.world._c, self.id, ffi.cast("CpsVec3*", ffi.from_buffer(strains)),
                                          ffi.from_buffer("double[]", lengths)))
        return strains, lengths

    def set_natural(self, strains: Optional[Numbers] = None, lengths: Optional[Numbers] = None) -> None:
        """Sets natural strains, rest lengths or both; None leaves them unchanged."""
        old_strains, old_lengths = self.natural
        pointers = []
        for name, given, old in (("strains", strains, old_strains), ("lengths", lengths, old_lengths)):
            array = None if given is None else np.ascontiguousarray(given, dtype=np.float64)
            if array is not None and array.shape != old.shape:
                raise ValueError(f"{name}: expected an array of shape {old.shape}, found {array.shape}")
            pointers.append(array)
        s, l = pointers
        self._call(lib.cps_world_set_fibre_natural,
                   ffi.NULL if s is None else ffi.cast("CpsVec3*", ffi.from_buffer(s)),
                   ffi.NULL if l is None else ffi.from_buffer("double[]", l))

    @property
    def length_residues(self) -> Array:
        """What inverted rest lengths are more than their doubles can say, m; 0 for lengths that were set."""
        residues = np.zeros(len(self.natural[1]))
        check(lib.cps_world_fibre_length_residues(self.world._c, self.id, ffi.from_buffer("double[]", residues)))
        return residues

    def set_length_residues(self, residues: Numbers) -> None:
        """Sets them, after the lengths: `set_natural` makes them 0."""
        array, count = np.ascontiguousarray(residues, dtype=np.float64), len(self.natural[1])
        if array.shape != (count,):
            raise ValueError(f"residues: expected an array of shape {(count,)}, found {array.shape}")
        self._call(lib.cps_world_set_fibre_length_residues, ffi.from_buffer("double[]", array))

    def stiffen(self, factor: float) -> None:
        """Sets its stiffness to `factor` times that of its definition."""
        self._call(lib.cps_world_set_fibre_stiffened, factor)

    @property
    def stability(self) -> CpsFibreStability:
        """Whether its equilibrium is stable, and the smallest stiffness factor at which it would be."""
        out = ffi.new("CpsFibreStability*")
        self._call(lib.cps_world_fibre_stability, out)
        return Record(out)

    @property
    def rest(self) -> CpsFibreRest:
        """Outcome of the last inversion for this fibre."""
        return self._read(lib.cps_world_fibre_rest, "CpsFibreRest")

    @property
    def doubt(self) -> str:
        """Why it may not stay where the last inversion left it at rest: "none", "unstable", "step", "loaded", "tied" or "unknown"."""
        return ("none", "unstable", "step", "loaded", "tied", "unknown")[lib.cps_world_fibre_doubt(self.world._c, self.id)]

    def settle(self) -> CpsSettleInfo:
        """Moves it to static equilibrium under its weight and its pulls, ignoring contacts."""
        out = ffi.new("CpsSettleInfo*")
        self._call(lib.cps_world_settle_fibre, out)
        return Record(out)

    def invert(self, **options: CpsInvertOptions) -> CpsInvertInfo:
        """
        Changes its natural shape so that it is at equilibrium in its current shape; options are the fields of CpsInvertOptions.
        """
        definition, keep = ffi.new("CpsInvertOptions*", lib.cps_invert_options_default()), []
        fill(definition, options, keep, "invert")
        info = ffi.new("CpsInvertInfo*")
        self._call(lib.cps_world_invert_fibre, definition, info)
        return Record(info)

    def trim(self, length: float) -> None:
        """Cuts it to a length, m. The handle stays valid; other handles of the fibre do not."""
        id = ffi.new("CpsFibreId*", self.id)
        with self.world._busy:
            self.world._busy.keep_in_place(self.kind)
            call(lib.cps_world_trim_fibre, self.world._c, id, length)
        self.id = id[0]

    def remove(self) -> None:
        """Removes it from its world."""
        self._call(lib.cps_world_remove_fibre, moves=True)


class Vertices(Thing):
    """An object with vertices: a sheet or a solid."""

    @property
    def exists(self) -> bool:
        """Whether it is still in its world."""
        return getattr(lib, f"cps_world_{self.kind}_exists")(self.world._c, self.id)

    @property
    def vertices(self) -> Array:
        """Positions of all vertices, m. Can be set; held vertices must not move."""
        return self._array("position")

    @vertices.setter
    def vertices(self, values: Numbers) -> None:
        self._set_array("position", values)

    @property
    def velocities(self) -> Array:
        """Velocities of all vertices, m/s. Can be set; held vertices keep theirs."""
        return self._array("velocity")

    @velocities.setter
    def velocities(self, values: Numbers) -> None:
        self._set_array("velocity", values)

    def _indices(self, name, width, count):
        with self.world._busy.reading():
            pointer = getattr(lib, f"cps_world_{self.kind}_{name}")(self.world._c, self.id)
            if pointer == ffi.NULL:
                raise KeyError(f"{self.kind} {self.index} was removed")
            return np.frombuffer(ffi.buffer(pointer, 4 * width * count), dtype=np.int32).reshape(-1, width).copy()

    @property
    def triangles(self) -> Array:
        """Three vertices of each triangle of the surface."""
        return self._indices("triangles", 3, self.info.triangle_count)

    @property
    def held(self) -> Array:
        """Which vertices are currently held, as booleans."""
        out = np.empty(len(self.vertices), dtype=bool)
        check(lib.cps_world_held_vertices(self.world._c, self._thing(), ffi.from_buffer("bool[]", out)))
        return out

    def vertex(self, number: int) -> CpsVertexState:
        """Position and velocity of one vertex, and whether it is held."""
        out = ffi.new("CpsVertexState*")
        self._check(lib.cps_world_vertex(self.world._c, self._thing(), number, out), f"there is no vertex {number}")
        return Record(out)

    def hold(self, vertex: int, place: Vector) -> None:
        """Holds a vertex at a position in the world from the next step on."""
        with self.world._busy:
            call(lib.cps_world_hold_vertex, self.world._c, self._thing(), vertex, vec3(place))

    def release(self, vertex: int) -> None:
        """Releases a vertex, whatever holds it."""
        with self.world._busy:
            call(lib.cps_world_release_vertex, self.world._c, self._thing(), vertex)

    def restore_pins(self) -> None:
        """Undoes `hold` and `release`: the pins of the definition apply again."""
        with self.world._busy:
            check(lib.cps_world_restore_pins(self.world._c, self._thing()))

    def remove(self) -> None:
        """Removes it from its world."""
        self._call(getattr(lib, f"cps_world_remove_{self.kind}"), moves=True)


class Sheet(Vertices):
    """A sheet of cloth, paper or foil."""

    kind = "sheet"

    @property
    def info(self) -> CpsSheetInfo:
        """Counts, mass and energies."""
        return self._read(lib.cps_world_sheet_info, "CpsSheetInfo")


class Solid(Vertices):
    """A soft solid of tetrahedra."""

    kind = "solid"

    @property
    def info(self) -> CpsSolidInfo:
        """Counts, mass, volume and energies."""
        return self._read(lib.cps_world_solid_info, "CpsSolidInfo")

    @property
    def tetrahedra(self) -> Array:
        """Four vertices of each tetrahedron."""
        return self._indices("tetrahedra", 4, self.info.tetrahedron_count)

    @property
    def stress(self) -> Array:
        """Cauchy stress in each tetrahedron: xx yy zz xy yz zx, Pa."""
        out = np.empty((self.info.tetrahedron_count, 6))
        check(lib.cps_world_solid_stress(self.world._c, self.id, ffi.from_buffer("double[]", out)))
        return out

    @property
    def von_mises(self) -> Array:
        """Von Mises stress in each tetrahedron, Pa."""
        return np.array([lib.cps_stress_von_mises(list(row)) for row in self.stress])


class Tie(Thing):
    """A joint or a spring between points of two objects."""

    kind = "tie"

    @property
    def exists(self) -> bool:
        """Whether it is still in its world."""
        return lib.cps_world_tie_state(self.world._c, self.id, ffi.new("CpsTieState*")) >= 0

    @property
    def state(self) -> CpsTieState:
        """Points, force, torque and the distance between the points."""
        return self._read(lib.cps_world_tie_state, "CpsTieState")

    def remove(self) -> None:
        """Removes it from its world."""
        self._call(lib.cps_world_remove_tie, moves=True)


class Pull(Thing):
    """A force or a spring on a point."""

    kind = "pull"

    @property
    def force(self) -> Array:
        """Force over the last step, N."""
        out = ffi.new("CpsVec3*")
        check(lib.cps_world_pull_force(self.world._c, self.id, out))
        return numbers_of(out)

    def move(self, target: Vector) -> None:
        """Moves the target of the spring."""
        self._call(lib.cps_world_move_pull, vec3(target))

    def remove(self) -> None:
        """Removes it from its world."""
        self._call(lib.cps_world_remove_pull, moves=True)


class Grains:
    """All grains of a world: the particles of a continuum."""

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def info(self) -> CpsGrainsInfo:
        """Counts, mass, volume, the bounding box of the particles and the largest speed."""
        return Record(lib.cps_world_grains_info(self.world._c))

    def array(self, quantity: str) -> Array:
        """"position", "velocity", "fraction", "pressure", "status" or "stress" (xx yy zz xy yz zx) of all particles."""
        return self.world._array(lib.cps_thing_grains(self.world._c), quantity)

    def view(self, quantity: str) -> Array:
        """
        "position", "velocity", "fraction" or "status" of all particles without a copy: a read-only array in the memory of the
        world, which changes with each step. While a view exists, grains cannot be added (BufferError).
        """
        return self.world._view(lib.cps_thing_grains(self.world._c), "grains", quantity)

    @property
    def positions(self) -> Array:
        """Positions of the particles, m."""
        return self.array("position")

    @property
    def velocities(self) -> Array:
        """Velocities of the particles, m/s."""
        return self.array("velocity")

    @property
    def mu(self) -> float:
        """Internal friction of all grains, if it was set; NaN otherwise. Can be set; NaN: what each was defined with."""
        return float(lib.cps_world_grain_mu(self.world._c))

    @mu.setter
    def mu(self, value: float) -> None:
        with self.world._busy:
            call(lib.cps_world_set_grain_mu, self.world._c, float(value))

    @property
    def cells(self) -> List[CpsGrainCell]:
        """The cells of the grid in the last step: centre, volume, velocity, stress, pressure, status."""
        cells, out = [], ffi.new("CpsGrainCell*")
        with self.world._busy.reading():
            for i in range(lib.cps_world_grain_cell_count(self.world._c)):
                check(lib.cps_world_grain_cell(self.world._c, i, out))
                cells.append(Record(out))
        return cells

    @property
    def room(self) -> CpsGrainsRoom:
        """Whether the grains have the space that they take: volume lost in flows, overlaps, particles inside obstacles or bodies."""
        out = ffi.new("CpsGrainsRoom*")
        check(lib.cps_world_grains_room(self.world._c, out))
        return Record(out)

    def __len__(self) -> int:
        return self.info.particle_count

    def __repr__(self) -> str:
        return f"Grains({len(self)} particles)"


class Flow:
    """A dense flow of grains through a fixed domain, in the plane or in space, without particles."""

    def __init__(self, world: World, point_count: int) -> None:
        self.world, self._count = world, point_count

    def array(self, quantity: str) -> Array:
        """"position", "velocity" or "pressure" of all points."""
        return self.world._array(lib.cps_thing_flow(self.world._c), quantity)

    @property
    def points(self) -> List[CpsFlowPoint]:
        """The vertices of its elements in the last step: place, velocity, stress, rate, pressure, mu, status."""
        points, out = [], ffi.new("CpsFlowPoint*")
        for i in range(self._count):
            check(lib.cps_world_flow_point(self.world._c, i, out))
            points.append(Record(out))
        return points

    @property
    def disc_force(self) -> Array:
        """Force of the grains on the disc, cylinder or ball in the last step, N; in the plane for one metre along y."""
        out = ffi.new("CpsVec3*")
        check(lib.cps_world_flow_force(self.world._c, out))
        return numbers_of(out)

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"Flow({self._count} points)"
