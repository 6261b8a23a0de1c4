#!/usr/bin/env python3
"""usage: write_meshes.py FOLDER   One random mesh in all formats and variants that VTK and meshio write, FOLDER/reference.txt with its
numbers, and FOLDER/index.txt: NAME TRIANGLES TETRAHEDRA UVS TOLERANCE for each file. Exit 3 if a module is missing."""
import random
import sys

try:
    import meshio
    import numpy
    import vtk
    from vtk.util.numpy_support import numpy_to_vtk
except ImportError as missing:
    print(missing)
    sys.exit(3)

folder = sys.argv[1]
draw = random.Random(1)
COUNT = 200
points = numpy.array([[draw.uniform(-1, 1) for _ in range(3)] for _ in range(COUNT)])
uvs = numpy.array([[draw.uniform(0, 1) for _ in range(2)] for _ in range(COUNT)])
triangles = numpy.array([draw.sample(range(COUNT), 3) for _ in range(300)])
tetrahedra = numpy.array([draw.sample(range(COUNT), 4) for _ in range(150)])
index = []

with open(folder + "/reference.txt", "w") as out:
    print(COUNT, len(triangles), len(tetrahedra), file=out)
    for rows in (points, uvs, triangles, tetrahedra):
        for row in rows:
            print(*(repr(x.item()) for x in row), file=out)


def note(name, tets, textured, tolerance):
    index.append(f"{name} {len(triangles)} {len(tetrahedra) if tets else 0} {COUNT if textured else 0} {tolerance}")


def vtk_points(data):
    places = vtk.vtkPoints()
    places.SetDataTypeToDouble()
    for p in points:
        places.InsertNextPoint(*p)
    data.SetPoints(places)
    coordinates = numpy_to_vtk(uvs, deep=1)
    coordinates.SetName("uv")
    data.GetPointData().SetTCoords(coordinates)


def vtk_cell(kind, vertices):
    cell = vtk.vtkIdList()
    for v in vertices:
        cell.InsertNextId(int(v))
    return kind, cell


grid = vtk.vtkUnstructuredGrid()
vtk_points(grid)
for t in triangles:
    grid.InsertNextCell(*vtk_cell(vtk.VTK_TRIANGLE, t))
for t in tetrahedra:
    grid.InsertNextCell(*vtk_cell(vtk.VTK_TETRA, t))
poly = vtk.vtkPolyData()
vtk_points(poly)
cells = vtk.vtkCellArray()
for t in triangles:
    cells.InsertNextCell(vtk_cell(0, t)[1])
poly.SetPolys(cells)

for kind, data, writer, ending in (("grid", grid, vtk.vtkXMLUnstructuredGridWriter, "vtu"),
                                   ("poly", poly, vtk.vtkXMLPolyDataWriter, "vtp")):
    for mode in ("Ascii", "Binary", "Appended", "AppendedBase64"):
        for compressed in (False, True):
            for wide in (False, True):
                name = f"{kind}-{mode}-{compressed:d}-{wide:d}.{ending}"
                w = writer()
                w.SetFileName(f"{folder}/{name}")
                w.SetInputData(data)
                getattr(w, "SetDataModeTo" + mode.replace("Base64", ""))()
                w.SetEncodeAppendedData(mode == "AppendedBase64")
                w.SetCompressorTypeToZLib() if compressed else w.SetCompressorTypeToNone()
                w.SetHeaderTypeToUInt64() if wide else w.SetHeaderTypeToUInt32()
                w.SetBlockSize(1024)
                if wide:
                    w.SetByteOrderToBigEndian()
                w.Write()
                note(name, kind == "grid", True, 1e-12 if mode == "Ascii" else 0)
for kind, data, writer in (("grid", grid, vtk.vtkUnstructuredGridWriter), ("poly", poly, vtk.vtkPolyDataWriter)):
    for binary in (False, True):
        for version in (42, 51):
            name = f"{kind}-{binary:d}-{version}.vtk"
            w = writer()
            w.SetFileName(f"{folder}/{name}")
            w.SetInputData(data)
            w.SetFileVersion(version)
            w.SetFileTypeToBinary() if binary else w.SetFileTypeToASCII()
            w.Write()
            note(name, kind == "grid", True, 0 if binary else 2e-5)

both = meshio.Mesh(points, [("triangle", triangles), ("tetra", tetrahedra)])
surface = meshio.Mesh(points, [("triangle", triangles)])
for compression in (None, "zlib"):
    meshio.vtu.write(f"{folder}/meshio-{compression}.vtu", both, binary=True, compression=compression)
    note(f"meshio-{compression}.vtu", True, False, 0)
for binary in (False, True):
    meshio.vtk.write(f"{folder}/meshio-{binary:d}.vtk", both, binary=binary)
    note(f"meshio-{binary:d}.vtk", True, False, 0 if binary else 1e-12)
    meshio.ply.write(f"{folder}/meshio-{binary:d}.ply", surface, binary=binary)
    note(f"meshio-{binary:d}.ply", False, False, 0 if binary else 1e-12)
meshio.obj.write(f"{folder}/meshio.obj", surface)
note("meshio.obj", False, False, 1e-12)

solid = meshio.Mesh(points, [("tetra", tetrahedra)])
for binary in (False, True):
    meshio.gmsh.write(f"{folder}/meshio-{binary:d}-2.msh", both, fmt_version="2.2", binary=binary)
    note(f"meshio-{binary:d}-2.msh", True, False, 0 if binary else 1e-12)
    meshio.gmsh.write(f"{folder}/meshio-{binary:d}-4.msh", solid, fmt_version="4.1", binary=binary)  # one kind of cell only
    index.append(f"meshio-{binary:d}-4.msh 0 {len(tetrahedra)} 0 {0 if binary else 1e-12}")
meshio.medit.write(f"{folder}/meshio.mesh", both)
note("meshio.mesh", True, False, 1e-12)
meshio.medit.write(f"{folder}/meshio.meshb", both)
note("meshio.meshb", True, False, 0)
meshio.tetgen.write(f"{folder}/meshio.node", solid)
index.append(f"meshio.ele 0 {len(tetrahedra)} 0 1e-12")

with open(folder + "/index.txt", "w") as out:
    print(len(index), *index, sep="\n", file=out)
