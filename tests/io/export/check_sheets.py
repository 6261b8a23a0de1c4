#!/usr/bin/env python3
"""usage: check_sheets.py EXPECTED.json FRAME FILE.vtp   VTK reads a sheet and a solid back: points, polygons, impulses."""
import json
import sys

import vtk

expected = json.load(open(sys.argv[1]))
frame = {"vertices": [], "impulses": []}
triangles = []
for surface in expected["surfaces"]:
    first = len(frame["vertices"]) // 3
    triangles += [first + corner for corner in surface["triangles"]]
    for key in frame:
        frame[key] += surface["frames"][int(sys.argv[2])][key]
reader = vtk.vtkXMLPolyDataReader()
reader.SetFileName(sys.argv[3])
reader.Update()
mesh = reader.GetOutput()
count = mesh.GetNumberOfPoints()
impulse = mesh.GetPointData().GetArray("impulse")
assert 3 * count == len(frame["vertices"]) and impulse.GetNumberOfComponents() == 3
for i in range(count):
    for k in range(3):
        assert abs(mesh.GetPoint(i)[k] - frame["vertices"][3 * i + k]) < 1e-6, i
        assert abs(impulse.GetTuple(i)[k] - frame["impulses"][3 * i + k]) < 1e-9, i
corners = []
for i in range(mesh.GetNumberOfCells()):
    ids = mesh.GetCell(i).GetPointIds()
    corners += [ids.GetId(k) for k in range(ids.GetNumberOfIds())]
assert corners == triangles
