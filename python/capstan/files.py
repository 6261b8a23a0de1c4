"""Files of other programs (meshes, hair, measured fabrics), and rods fitted to polylines."""

from __future__ import annotations

import operator
import os
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ._capstan import ffi, lib
from ._errors import call, text
from ._structs import Record, rows_of_three, suggestion, view
from ._types import Array, Numbers, Path


class Mesh:
    """Vertices with triangles, tetrahedra or both: `read_mesh(path)`, or `Mesh(vertices, triangles, tetrahedra)`."""

    vertices: Array  #: vertices × 3
    triangles: Array  #: triangles × 3, indices of vertices
    tetrahedra: Array  #: tetrahedra × 4, indices of vertices

    def __init__(self, vertices: Numbers, triangles: Optional[Numbers] = None, tetrahedra: Optional[Numbers] = None) -> None:
        self.vertices = rows_of_three(vertices, "vertices")
        self.triangles = _indices(triangles, 3, len(self.vertices))
        self.tetrahedra = _indices(tetrahedra, 4, len(self.vertices))

    @classmethod
    def _of(cls, file):
        mesh = cls(np.array(view(file.vertices, file.vertex_count)).reshape(-1, 3),
                   np.array(view(file.triangles, 3 * file.triangle_count)), np.array(view(file.tetrahedra, 4 * file.tetrahedron_count)))
        lib.cps_mesh_file_free(file)
        return mesh

    def _c(self):
        self.__init__(self.vertices, self.triangles, self.tetrahedra)  # checks them again: they can be assigned
        file = ffi.new("CpsMeshFile*")
        file.vertex_count, file.vertices = len(self.vertices), ffi.cast("CpsVec3*", ffi.from_buffer(self.vertices))
        file.triangle_count, file.triangles = len(self.triangles), ffi.from_buffer("int32_t[]", self.triangles)
        file.tetrahedron_count, file.tetrahedra = len(self.tetrahedra), ffi.from_buffer("int32_t[]", self.tetrahedra)
        return file

    @property
    def facts(self) -> CpsMeshFacts:
        """Bounds, area, volume, whether the surface is closed, and the worst tetrahedron."""
        out = ffi.new("CpsMeshFacts*")
        call(lib.cps_mesh_file_facts, self._c(), out)
        return Record(out)

    def fill(self, size: float) -> Tuple[Mesh, float]:
        """
        Fills a closed surface with tetrahedra of about `size`. Returns the new mesh and the distance of its surface from this
        one.
        """
        out, far = ffi.new("CpsMeshFile*"), ffi.new("double*")
        call(lib.cps_mesh_fill, self._c(), size, out, far)
        return Mesh._of(out), far[0]

    def sample(self, spacing: float) -> Tuple[Array, Array]:
        """Points on the surface, no two closer than `spacing`, and their normals, for `points()`."""
        out = ffi.new("CpsMeshFile*")
        call(lib.cps_mesh_sample, self._c(), spacing, out)
        points, normals = (np.array(view(x, out.vertex_count)).reshape(-1, 3) for x in (out.vertices, out.normals))
        lib.cps_mesh_file_free(out)
        return points, normals

    def write(self, path: Path) -> None:
        """Writes the mesh as MSH 4.1 text, which Gmsh reads, or as PLY text if the path ends in .ply."""
        call(lib.cps_mesh_file_write, os.fsencode(path), self._c())

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.triangles)} triangles, {len(self.tetrahedra)} tetrahedra)"


def _indices(values, width, count):
    if values is None:
        return np.empty((0, width), dtype=np.int32)
    given = np.asarray(values)
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise TypeError("indices of vertices must be integers")
    if given.size and (given.min() < 0 or given.max() >= count):
        raise ValueError(f"an index is out of range: there are {count} vertices")
    if given.size % width or given.ndim == 2 and given.shape[1] != width or given.ndim > 2:
        raise ValueError(f"expected rows of {width} indices, found an array of shape {given.shape}")
    return np.ascontiguousarray(given, dtype=np.int32).reshape(-1, width)


def read_mesh(path: Path) -> Mesh:
    """Reads OBJ, PLY, VTK, VTU, MSH, Medit or TetGen files; the format is recognised by the content."""
    out = ffi.new("CpsMeshFile*")
    call(lib.cps_mesh_file_read, os.fsencode(path), out)
    return Mesh._of(out)


class Hair:
    """Strands of hair: `strands` is a list of arrays of points, from root to tip, in the units of the file."""

    strands: List[Array]
    diameter: float  #: of all strands; 0 where it is not known
    about: str  #: description in the file

    def __init__(self, strands: Sequence[Numbers], diameter: float = 0.0, about: str = "") -> None:
        self.strands = [rows_of_three(strand, f"strand {i}") for i, strand in enumerate(strands)]
        self.diameter, self.about = diameter, about

    def _c(self, keep):
        hair = ffi.new("CpsHair*")
        strands = [rows_of_three(strand, f"strand {i}") for i, strand in enumerate(self.strands)]  # they can be assigned
        first = np.cumsum([0] + [len(strand) for strand in strands]).astype(np.int64)
        points = np.concatenate(strands) if strands else np.empty((0, 3))
        keep += [first, points]
        hair.strand_count, hair.point_count, hair.diameter = len(self.strands), len(points), self.diameter
        hair.first = ffi.from_buffer("int64_t[]", first)
        hair.points = ffi.cast("CpsVec3*", ffi.from_buffer(points))
        return hair

    @property
    def facts(self) -> CpsHairFacts:
        """Bounds, and the ranges of lengths, numbers of points and thicknesses."""
        keep: List[Any] = []
        return Record(lib.cps_hair_facts(self._c(keep)))

    def fit_scalp(self) -> Tuple[Array, float]:
        """Fits a sphere to the roots: its centre and radius."""
        roots = rows_of_three([strand[0] for strand in self.strands], "roots")
        centre, radius = ffi.new("CpsVec3*"), ffi.new("double*")
        call(lib.cps_hair_fit_scalp, ffi.cast("CpsVec3*", ffi.from_buffer(roots)), len(roots), centre, radius)
        return np.array([centre.x, centre.y, centre.z]), radius[0]

    def write(self, path: Path) -> None:
        """Writes a `.hair` file."""
        keep: List[Any] = []
        call(lib.cps_hair_write, os.fsencode(path), self._c(keep))

    def __len__(self) -> int:
        return len(self.strands)

    def __repr__(self) -> str:
        return f"Hair({len(self)} strands)"


def read_hair(path: Path) -> Hair:
    """Reads strands from `.hair`, `.ply`, `.data` or `.bin` files; the format is recognised by the content."""
    out = ffi.new("CpsHair*")
    call(lib.cps_hair_read, os.fsencode(path), out)
    first = np.array(view(out.first, out.strand_count + 1))
    points = np.array(view(out.points, out.point_count)).reshape(-1, 3)
    hair = Hair([points[a:b] for a, b in zip(first, first[1:])], out.diameter, text(ffi.cast("char*", out.about)))
    lib.cps_hair_free(out)
    return hair


def describe_rest(path: Path) -> CpsRestFacts:
    """What a file of natural shapes holds (`World.write_rest`, `capstan invert`), with the report of the inversion."""
    facts = ffi.new("CpsRestFacts*")
    call(lib.cps_rest_describe, os.fsencode(path), facts)
    return Record(facts)


class RodFit:
    """A rod fitted to a polyline: its root, its length, the curvature of its elements and its distance from the polyline."""

    curvature: Array  #: elements × 3, 1/m
    lengths: Optional[Array]  #: of the elements, m; None where they are equal

    def __init__(self, curvature: Array, lengths: Optional[Array], fit: Any) -> None:
        self.curvature, self.lengths, self._fit = curvature, lengths, fit

    @property
    def fit(self) -> CpsFibreFit:
        """Length, pose of the root, mean and largest distance, m."""
        return self._fit

    def table(self) -> Array:
        """The curvature as a table for `World.add_fibre(curvature=…)`."""
        curvature = rows_of_three(self.curvature, "curvature")
        out = np.empty((lib.CPS_FIT_TABLE * len(curvature) + 1, 3))
        lib.cps_fibre_fit_table(ffi.cast("CpsVec3*", ffi.from_buffer(curvature)), len(curvature),
                                ffi.cast("CpsVec3*", ffi.from_buffer(out)))
        return out

    def __repr__(self) -> str:
        return f"RodFit({len(self.curvature)} elements, {self._fit.length:g} m, at most {self._fit.max:g} m off)"


def fit_rod(points: Numbers, elements: int, tangents: bool = False) -> RodFit:
    """Fits a rod of constant curvature in each element to a polyline: by least squares, or by matching tangents (faster)."""
    line, elements = rows_of_three(points, "points"), operator.index(elements)
    if not 1 <= elements <= 200:
        raise ValueError(f"elements: expected 1 to 200, found {elements}")
    curvature, fit = np.empty((elements, 3)), ffi.new("CpsFibreFit*")
    where, out = ffi.cast("CpsVec3*", ffi.from_buffer(line)), ffi.cast("CpsVec3*", ffi.from_buffer(curvature))
    lengths = np.empty(elements) if tangents else None
    if tangents:
        call(lib.cps_fibre_fit_tangents, where, len(line), elements, ffi.from_buffer("double[]", lengths), out, fit)
    else:
        call(lib.cps_fibre_fit, where, len(line), elements, out, fit)
    return RodFit(curvature, lengths, Record(fit))


def fit_rods(lines: Sequence[Numbers], elements: int, tangents: bool = False, threads: int = 1) -> List[RodFit]:
    """Fits rods to many polylines in parallel, each as fit_rod() does; bit-identical for any number of threads."""
    elements = operator.index(elements)
    if not 1 <= elements <= 200:
        raise ValueError(f"elements: expected 1 to 200, found {elements}")
    parts = [rows_of_three(line, f"line {i}") for i, line in enumerate(lines)]
    first = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    points = np.ascontiguousarray(np.concatenate(parts)) if parts else np.zeros((1, 3))
    curvature, fits = np.empty((len(parts), elements, 3)), ffi.new("CpsFibreFit[]", len(parts) + 1)
    lengths = np.empty((len(parts), elements)) if tangents else None
    call(lib.cps_fibre_fit_all, ffi.cast("CpsVec3*", ffi.from_buffer(points)), ffi.from_buffer("int64_t[]", first), len(parts),
         elements, threads, ffi.NULL if lengths is None else ffi.cast("double*", ffi.from_buffer(lengths)),
         ffi.cast("CpsVec3*", ffi.from_buffer(curvature)), fits, ffi.NULL)
    return [RodFit(curvature[i], None if lengths is None else lengths[i], Record(ffi.new("CpsFibreFit*", fits[i])))
            for i in range(len(parts))]


class Fabric:
    """A fabric for `World.add_sheet(fabric=…)`."""

    def __init__(self, struct: Any) -> None:
        self._c = struct

    def __reduce__(self) -> Any:
        return _fabric, (bytes(ffi.buffer(self._c)),)

    @property
    def values(self) -> CpsFabric:
        """Its density, thickness and stiffnesses."""
        return Record(self._c)

    def __repr__(self) -> str:
        return f"Fabric({text(ffi.cast('char*', self._c.name))})"


def _fabric(data):
    fabric = ffi.new("CpsFabric*")
    ffi.buffer(fabric)[:] = data
    return Fabric(fabric)


def read_fabric(path: Path, stretch: float = 0.0, curvature: float = 0.0) -> Fabric:
    """Reads a measured fabric (JSON) and takes its stiffness at a given stretch and curvature (1/m)."""
    table, fabric = ffi.new("CpsFabricTable*"), ffi.new("CpsFabric*")
    call(lib.cps_fabric_table_read, os.fsencode(path), table)
    call(lib.cps_fabric_table_at, table, stretch, curvature, fabric)
    return Fabric(fabric)


def fabrics() -> List[str]:
    """Names of the built-in fabrics."""
    fabric, names = ffi.new("CpsFabric*"), []
    for i in range(lib.cps_fabric_count()):
        lib.cps_fabric_get(i, fabric)
        names.append(text(ffi.cast("char*", fabric.name)))
    return names


def find_fabric(fabric: Any) -> Any:
    """The struct of a fabric, given as a Fabric or by name."""
    if isinstance(fabric, Fabric):
        return fabric._c
    found = ffi.new("CpsFabric*")
    if not lib.cps_fabric_find(str(fabric).encode(), found):
        raise ValueError(f"there is no fabric '{fabric}'{suggestion(str(fabric), fabrics())}")
    return found
