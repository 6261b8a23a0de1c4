"""Shapes of bodies and obstacles."""

from ._capstan import ffi, lib
from ._errors import call
from ._structs import Record, fill



class Shape:
    """A shape, checked when it is made. Make it by one of the functions of this module."""

    def __init__(self, **fields):
        self._keep = []
        self._c = ffi.new("CpsShape*")
        fill(self._c, fields, self._keep, fields["kind"])
        call(lib.cps_shape_check, self._c)

    def _as_c(self, name, keep):
        keep.append(self._keep)
        return self._c if name == "CpsShape" else None

    @property
    def kind(self):
        """"sphere", "box", …"""
        return Record(self._c).kind

    def mass_properties(self, density=1000.0):
        """Mass, volume, centre and principal moments of a solid of uniform density (kg/m³)."""
        out = ffi.new("CpsMassProperties*")
        call(lib.cps_shape_mass, self._c, density, out)
        return Record(out)

    def __repr__(self):
        return f"Shape({self.kind})"


def sphere(radius):
    """A ball."""
    return Shape(kind="sphere", radius=radius)


def box(size):
    """A cuboid with whole edges `size`."""
    return Shape(kind="box", size=size)


def capsule(radius, length):
    """A cylinder along z with round caps; `length` is the distance between the centres of the caps."""
    return Shape(kind="capsule", radius=radius, length=length)


def cylinder(radius, length):
    """A cylinder along z."""
    return Shape(kind="cylinder", radius=radius, length=length)


def hull(points):
    """The convex hull of points."""
    return Shape(kind="hull", points=points)


def plane():
    """The half-space below z = 0 of its own frame; for obstacles."""
    return Shape(kind="plane")


def mesh(points, triangles):
    """A surface of triangles, touched from the side their counter-clockwise normal points to; for obstacles."""
    return Shape(kind="mesh", points=points, triangles=triangles)


def tube(points, radius, closed=False):
    """A bent rod of round section along a line through the points; for obstacles."""
    return Shape(kind="tube", points=points, radius=radius, closed=closed)


def compound(*parts):
    """Several convex shapes that move as one: each a shape, or a dict with `shape`, `pose` and `density`."""
    entries = [part if isinstance(part, dict) else {"shape": part} for part in parts]
    return Shape(kind="compound", parts=entries)
