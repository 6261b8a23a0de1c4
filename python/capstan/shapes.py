"""Shapes of bodies and obstacles."""

from __future__ import annotations

from typing import Any, Dict, Tuple, Union

import numpy as np

from ._capstan import ffi, lib
from ._errors import call
from ._structs import Record, fill, view
from ._types import Array, Numbers, Vector


class Shape:
    """A shape, checked on creation. Create it with one of the functions of this module."""

    def __init__(self, **fields: CpsShape) -> None:
        self._keep, self._fields = [], fields
        self._c = ffi.new("CpsShape*")
        fill(self._c, fields, self._keep, fields["kind"])
        call(lib.cps_shape_check, self._c)

    def __reduce__(self) -> Any:
        return _shape, (self._fields,)

    def _as_c(self, name, keep):
        keep.append(self._keep)
        return self._c if name == "CpsShape" else None

    @property
    def kind(self) -> str:
        """"sphere", "box", …"""
        return Record(self._c).kind

    def mass_properties(self, density: float = 1000.0) -> CpsMassProperties:
        """Mass, volume, centre and principal moments of a solid of uniform density (kg/m³)."""
        out = ffi.new("CpsMassProperties*")
        call(lib.cps_shape_mass, self._c, density, out)
        return Record(out)

    def triangles(self, around: int = 24, extent: float = 1.0) -> Tuple[Array, Array]:
        """
        The surface as triangles: points, and three indices per triangle. around: segments per circle. extent: half the edge of
        the square that represents a plane, m.
        """
        out = ffi.new("CpsTriangles*")
        call(lib.cps_shape_triangles, self._c, around, extent, out)
        points = np.array(view(out.points, out.point_count)).reshape(-1, 3)
        triangles = np.array(view(out.triangles, 3 * out.triangle_count)).reshape(-1, 3)
        lib.cps_triangles_free(out)
        return points, triangles

    def __repr__(self) -> str:
        return f"Shape({self.kind})"


def _shape(fields):
    return Shape(**fields)


def sphere(radius: float) -> Shape:
    """A ball."""
    return Shape(kind="sphere", radius=radius)


def box(size: Vector) -> Shape:
    """A cuboid with edge lengths `size`."""
    return Shape(kind="box", size=size)


def capsule(radius: float, length: float) -> Shape:
    """A cylinder along z with round caps; `length` is the distance between the centres of the caps."""
    return Shape(kind="capsule", radius=radius, length=length)


def cylinder(radius: float, length: float) -> Shape:
    """A cylinder along z."""
    return Shape(kind="cylinder", radius=radius, length=length)


def hull(points: Numbers) -> Shape:
    """The convex hull of points."""
    return Shape(kind="hull", points=points)


def plane() -> Shape:
    """The half-space below z = 0 of its local frame; for obstacles."""
    return Shape(kind="plane")


def mesh(points: Numbers, triangles: Numbers) -> Shape:
    """A triangle mesh with contact on the side of its counter-clockwise normals; for obstacles."""
    return Shape(kind="mesh", points=points, triangles=triangles)


def tube(points: Numbers, radius: float, closed: bool = False) -> Shape:
    """A tube of round cross-section along a line through the points; for obstacles."""
    return Shape(kind="tube", points=points, radius=radius, closed=closed)


def points(points: Numbers, normals: Numbers, reach: float = 0.0, kernel: str = "cubic") -> Shape:
    """A smooth surface near points with normals, as from a scanner; `reach`: range of a point, 0: from their spacing."""
    return Shape(kind="points", points=points, normals=normals, radius=reach, kernel=kernel)


def compound(*parts: Union[Shape, Dict[str, Any]]) -> Shape:
    """Several convex shapes that move as one: each a shape, or a dict with `shape`, `pose` and `density`."""
    entries = [part if isinstance(part, dict) else {"shape": part} for part in parts]
    return Shape(kind="compound", parts=entries)
