"""
Custom models written in Python: objects with generalised coordinates, a mass matrix and contacts. They are slow: each step
calls Python several times per object. docs/howto/custom-model.md shows the same interface in C.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np

from ._callbacks import Calls
from ._capstan import ffi
from ._errors import call, check
from ._guard import lib
from ._structs import Record
from ._types import Array, Vector

if TYPE_CHECKING:
    from .world import World


class Model:
    """
    A model with your own equations of motion. Derive from it, set the sizes, and write `predict` and, for contacts, `place`:

        class Pendulum(capstan.Model):
            dofs, q, radius = 1, [0.5], [0.05]          # one angle; one ball of 5 cm

            def predict(self, step, q, v):              # (1): the matrix, and the impulse h F
                return [[1.0]], [step.h * -9.81 * np.sin(q[0])]

            def place(self, q, ball):                   # (2): where the ball is, and its derivative by q
                return (np.sin(q[0]), 0, -np.cos(q[0])), [[np.cos(q[0])], [0], [np.sin(q[0])]]

        pendulum = world.add_model(Pendulum())
        world.step(100)
        print(pendulum.state)

    The functions may be called several times per step and must depend only on their arguments.
    """

    dofs: int = 0  #: degrees of freedom
    q: Optional[Vector] = None  #: coordinates at the start; None: 0
    v: Optional[Vector] = None  #: velocities at the start; None: 0
    radius: Vector = ()  #: radii of the balls that touch, m

    def predict(self, step: CpsCustomStep, q: Array, v: Array) -> Tuple[Any, Any]:
        """
        The matrix M + hθC + h²θ²K (dofs × dofs, symmetric positive definite) and the impulse h F (dofs numbers) of a step.
        """
        raise NotImplementedError("a model needs predict()")

    def place(self, q: Array, ball: int) -> Tuple[Any, Any]:
        """The centre of a ball (m) and its derivative with respect to q (3 × dofs)."""
        raise NotImplementedError("a model with balls needs place()")

    def energy(self, gravity: Vector, q: Array, v: Array) -> Tuple[float, float]:
        """Current kinetic and potential energy, J, for the energy balance of the world. Optional."""
        raise NotImplementedError


class ModelHandle:
    """A model in a world."""

    world: World
    model: Model

    def __init__(self, world: World, model: Model, values: Any) -> None:
        self.world, self.model, self._calls = world, model, Calls(model)
        n = self._dofs = self._calls.dofs = operator.index(model.dofs)  # the world keeps this number even if the attribute changes
        start = [None if x is None else np.ascontiguousarray(x, dtype=np.float64).ravel() for x in (model.q, model.v)]
        for name, array in zip("qv", start):
            if array is not None and array.size != n:
                raise ValueError(f"{name}: expected {n} numbers, found {array.size}")
        radius = np.ascontiguousarray(model.radius, dtype=np.float64).ravel()
        definition = ffi.new("CpsCustomDef*", lib.cps_custom_def_default())
        for name, value in values.items():
            if name not in ("mu", "restitution", "material", "group"):
                raise TypeError(f"a model has no '{name}'; there are mu, restitution, material, group")
            setattr(definition, name, value)
        definition.dofs, definition.ball_count, definition.data = n, radius.size, self._calls.handle
        definition.q, definition.v = (ffi.NULL if x is None else ffi.from_buffer("double[]", x) for x in start)
        definition.radius = ffi.from_buffer("double[]", radius)
        name = ffi.new("char[]", type(model).__name__.encode())
        definition.name = name
        definition.predict, definition.place = lib.capstan_py_predict, lib.capstan_py_place
        if type(model).energy is not Model.energy:
            definition.energy = lib.capstan_py_energy
        self._c = ffi.new("CpsThing*")
        with world._busy:
            call(lib.cps_world_add_custom, world._c, definition, self._c)
        world._models.append(self)  # also where place() failed: the world calls it again in each step, and says so
        self._calls.reraise()

    @property
    def state(self) -> Tuple[Array, Array]:
        """Current coordinates and velocities."""
        q, v = np.empty(self._dofs), np.empty(self._dofs)
        check(lib.cps_world_custom_state(self.world._c, self._c[0], ffi.from_buffer("double[]", q), ffi.from_buffer("double[]", v)))
        return q, v

    def set_state(self, q: Optional[Vector] = None, v: Optional[Vector] = None) -> None:
        """Sets coordinates, velocities, or both."""
        pointers = []
        for name, given in (("q", q), ("v", v)):
            array = None if given is None else np.ascontiguousarray(given, dtype=np.float64).ravel()
            if array is not None and array.size != self._dofs:
                raise ValueError(f"{name}: expected {self._dofs} numbers, found {array.size}")
            pointers.append(array)
        with self.world._busy:
            call(lib.cps_world_set_custom_state, self.world._c, self._c[0],
                 *(ffi.NULL if x is None else ffi.from_buffer("double[]", x) for x in pointers))

    @property
    def positions(self) -> Array:
        """Centres of its balls, m."""
        return self.world._array(self._c[0], "position")

    @property
    def velocities(self) -> Array:
        """Velocities of its balls, m/s."""
        return self.world._array(self._c[0], "velocity")

    def __repr__(self) -> str:
        return f"{type(self.model).__name__}({self._dofs} degrees of freedom)"


def _array(pointer, count):
    return np.frombuffer(ffi.buffer(pointer, 8 * count), dtype=np.float64)


def _predict(data, step, q, v, matrix, impulse):
    """Calls `Model.predict` for the library."""
    model, n = data.function, data.dofs
    given = model.predict(Record(step), _array(q, n).copy(), _array(v, n).copy())
    left, right = (np.asarray(x, dtype=np.float64) for x in given)
    if left.shape != (n, n) or right.shape != (n,):
        raise ValueError(f"predict: expected {n} × {n} and {n} numbers, found shapes {left.shape} and {right.shape}")
    _array(matrix, n * n)[:] = left.ravel()
    _array(impulse, n)[:] = right


def _place(data, q, ball, centre, jacobian):
    """Calls `Model.place` for the library."""
    model, n = data.function, data.dofs
    where, J = (np.asarray(x, dtype=np.float64) for x in model.place(_array(q, n).copy(), ball))
    if where.shape != (3,) or J.shape != (3, n):
        raise ValueError(f"place: expected 3 and 3 × {n} numbers, found shapes {where.shape} and {J.shape}")
    centre.x, centre.y, centre.z = where
    _array(jacobian, 3 * n)[:] = J.ravel()


def _energy(data, gravity, q, v, kinetic, potential):
    """Calls `Model.energy` for the library."""
    model, n = data.function, data.dofs
    kinetic[0], potential[0] = model.energy(np.array([gravity.x, gravity.y, gravity.z]), _array(q, n).copy(), _array(v, n).copy())
