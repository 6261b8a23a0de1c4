#!/usr/bin/env python3
"""usage: check_export.py RESULT.h5 FIRST LAST FILE...   Compares exports with the result, which h5py reads.

FILE is a .pvd (read by VTK), a .glb, a .usda as another program printed it again, a folder of .obj files or a .csv.
Exits with 1 at the first number that differs."""
import json
import pathlib
import re
import struct
import sys
import xml.etree.ElementTree as xml

import h5py
import numpy as np

SINGLE = 1e-6  # relative: numbers in single precision, and a sum or two of them


def rotate(q, v):
    w, u = q[0], np.asarray(q[1:])
    v = np.asarray(v)
    return v + 2 * w * np.cross(u, v) + 2 * np.cross(u, np.cross(u, v))


def near(a, b, scale=None, what=""):
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape, (what, a.shape, b.shape)
    scale = max(1e-12, np.abs(b).max(initial=0.0)) if scale is None else scale
    error = np.abs(a - b).max(initial=0.0)
    assert error <= SINGLE * scale, (what, error, scale)


class Result:
    def __init__(self, path, first, last):
        self.f = f = h5py.File(path, "r")
        self.frames = range(first, last + 1)
        self.time = f["frames/time"][:]
        self.pose, self.velocity = f["frames/pose"][:], f["frames/velocity"][:]
        self.obstacle_pose = f["frames/obstacle_pose"][:]
        self.point, self.axis = f["frames/fibre_point"][:], f["frames/fibre_axis"][:]
        self.tension = f["frames/fibre_tension"][:] if "fibre_tension" in f["frames"] else None
        self.fibre_velocity = f["frames/fibre_velocity"][:] if "fibre_velocity" in f["frames"] else None
        self.offset = f["contacts/offset"][:]
        self.names = {k: [n.decode() for n in f[f"{k}/name"][:]] for k in ("bodies", "obstacles", "fibres", "materials")}
        self.part_pose, self.kind = f["shapes/pose"][:], f["shapes/kind"][:]
        self.radius, self.size = f["shapes/radius"][:], f["shapes/size"][:]
        self.parts = {"bodies": f["bodies/part_offset"][:], "obstacles": f["obstacles/part_offset"][:]}

    def part_place(self, group, owner, part, frame):
        poses = self.pose if group == "bodies" else self.obstacle_pose
        p, q = poses[frame, owner, :3], poses[frame, owner, 3:]
        return p + rotate(q, self.part_pose[part, :3]), q

    def check_surface(self, group, owner, points, frame, digits, what):
        """Points of one owner lie on the surface of its sphere or box, to so many digits of where they are."""
        first, end = self.parts[group][owner : owner + 2]
        if end - first > 1:
            return  # a compound: which points are whose is not said
        at, q = self.part_place(group, owner, first, frame)
        size = max(self.radius[first], self.size[first].max())
        allowed = 10.0**-digits * np.abs(at).max() + SINGLE * size
        back = rotate(q * [1, -1, -1, -1], points - at)
        if self.kind[first] == 1:
            assert np.abs(np.linalg.norm(back, axis=1) - self.radius[first]).max() <= allowed, what
        if self.kind[first] == 2:
            assert np.abs(np.abs(back) - self.size[first] / 2).max() <= allowed, what


def read_vtp(path):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    problems = []
    reader.AddObserver("ErrorEvent", lambda *a: problems.append(path))
    reader.Update()
    assert not problems, problems
    data = reader.GetOutput()

    def arrays(d):
        out = {}
        for i in range(d.GetNumberOfArrays()):
            a = d.GetAbstractArray(i)
            if isinstance(a, vtk.vtkStringArray):
                out[a.GetName()] = [a.GetValue(k) for k in range(a.GetNumberOfValues())]
            else:
                out[a.GetName()] = vtk_to_numpy(a)
        return out

    points = vtk_to_numpy(data.GetPoints().GetData()) if data.GetNumberOfPoints() else np.zeros((0, 3))
    cells = {}
    for kind, c in (("verts", data.GetVerts()), ("lines", data.GetLines()), ("polys", data.GetPolys())):
        cells[kind] = (vtk_to_numpy(c.GetConnectivityArray()), vtk_to_numpy(c.GetOffsetsArray()))
    return points, cells, arrays(data.GetPointData()), arrays(data.GetCellData()), arrays(data.GetFieldData())


def check_fibres(r, path, k):
    points, cells, of_points, of_cells, field = read_vtp(path)
    f = r.f
    assert np.array_equal(points, r.point[k], equal_nan=True) and np.array_equal(of_points["axis"], r.axis[k], equal_nan=True)
    assert ("tension" in of_points) == (r.tension is not None)
    if r.tension is not None:
        assert np.array_equal(of_points["tension"], r.tension[k])
    assert ("velocity" in of_points) == (r.fibre_velocity is not None)
    if r.fibre_velocity is not None:
        assert np.array_equal(of_points["velocity"], r.fibre_velocity[k])
    offset = f["fibres/point_offset"][:]
    assert np.array_equal(cells["lines"][0], np.arange(offset[-1])) and np.array_equal(cells["lines"][1], offset)
    assert np.array_equal(of_points["radius"], np.repeat(f["fibres/line_radius"][:], np.diff(offset)))
    for first, end in zip(offset, offset[1:]):
        steps = np.linalg.norm(np.diff(points[first:end].astype(float), axis=0), axis=1)
        if np.isfinite(steps).all():
            near(of_points["arc_length"][first:end], np.concatenate([[0.0], np.cumsum(steps)]), what="arc length")
    line = f["fibres/line_fibre"][:]
    assert np.array_equal(of_cells["fibre"], line) and np.array_equal(of_cells["branch"], f["fibres/line_branch"][:])
    assert np.array_equal(of_cells["material"], f["fibres/material"][:][line])
    assert field["name"] == r.names["fibres"] and field["TimeValue"][0] == r.time[k]


def check_bodies(r, path, k, group):
    points, cells, of_points, of_cells, field = read_vtp(path)
    owner = of_cells["body" if group == "bodies" else "obstacle"]
    triangles = cells["polys"][0].reshape(-1, 3)
    assert np.array_equal(cells["polys"][1], 3 * np.arange(len(triangles) + 1))
    assert field["name"] == r.names[group] and field["material_name"] == r.names["materials"]
    material = r.f[f"{group}/material"][:]
    assert np.array_equal(of_cells["material"], material[owner])
    for i in range(len(r.names[group])):
        mine = triangles[owner == i]
        corners = np.unique(mine)
        r.check_surface(group, i, points[corners], k, 14, (path, i))
        # faces and normals look outwards: away from each other never
        a, b, c = (points[mine[:, j]] for j in range(3))
        normal = np.cross(b - a, c - a)
        assert (np.einsum("ij,ij->i", normal, of_points["Normals"][mine[:, 0]]) > 0).all(), (path, i)
        if group == "bodies":
            assert np.array_equal(of_cells["velocity"][owner == i], np.tile(r.velocity[k, i, :3], (len(mine), 1)))


def check_contacts(r, path, k):
    points, cells, data, _, field = read_vtp(path)
    rows = slice(r.offset[k], r.offset[k + 1])
    c = {name: r.f[f"contacts/{name}"][rows] for name in r.f["contacts"] if name != "offset"}
    assert len(points) == len(c["gap"])
    if len(points) == 0:
        return
    assert np.array_equal(cells["verts"][0], np.arange(len(points)))
    near(points, c["point"].mean(axis=1))
    near(data["impulse"], np.einsum("ci,cij->cj", c["impulse"], c["frame"]))
    near(data["velocity"], np.einsum("ci,cij->cj", c["velocity"], c["frame"]))
    assert np.array_equal(data["normal"], c["frame"][:, 0])
    for name in ("status", "gap", "mu", "residual", "thing", "part", "place", "material", "point"):
        assert np.array_equal(data[name].ravel(), c[name].ravel()), name
    assert field["step"][0] == r.f["steps/step"][r.f["frames/row"][k] - 1]


def check_pvd(r, path):
    sets = xml.parse(path).getroot().find("Collection").findall("DataSet")
    times = sorted({float(d.get("timestep")) for d in sets})
    assert times == [r.time[k] for k in r.frames]
    for d in sets:
        k = int(np.flatnonzero(r.time == float(d.get("timestep")))[0])
        file, kind = path.parent / d.get("file"), d.get("name")
        if kind == "fibres":
            check_fibres(r, file, k)
        elif kind == "contacts":
            check_contacts(r, file, k)
        else:
            check_bodies(r, file, k, kind)
    named = {path.parent / d.get("file") for d in sets}
    assert named == set((path.parent / (path.stem + "-vtp")).iterdir())


def check_glb(r, path):
    data = path.read_bytes()
    magic, version, length, size, kind = struct.unpack("<4sIII4s", data[:20])
    assert (magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON")
    gltf, numbers = json.loads(data[20 : 20 + size]), data[28 + size :]

    def accessor(i):
        a = gltf["accessors"][i]
        view = gltf["bufferViews"][a["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
        kind = {5126: "<f4", 5125: "<u4"}[a["componentType"]]
        return np.frombuffer(numbers, kind, a["count"] * width, view["byteOffset"]).reshape(-1, width)

    assert gltf["scenes"][0]["name"] == r.f.attrs["title"].decode()
    nodes, root = gltf["nodes"], gltf["nodes"][0]
    # z up to y up: the root turns e_z into e_y
    x, y, z, w = root["rotation"]
    near(rotate(np.array([w, x, y, z]), [0, 0, 1]), [0, 1, 0], 1.0)
    named = [nodes[i] for i in root["children"]]
    things = [("bodies", i) for i in range(len(r.names["bodies"]))] + [("obstacles", i) for i in range(len(r.names["obstacles"]))]
    channels = {}
    for animation in gltf.get("animations", []):
        for c in animation["channels"]:
            sampler = animation["samplers"][c["sampler"]]
            channels[c["target"]["node"], c["target"]["path"]] = (accessor(sampler["input"]), accessor(sampler["output"]))
    first = r.frames[0]
    times = r.time[first : r.frames[-1] + 1] - r.time[first]
    for (group, i), node, number in zip(things, named, root["children"]):
        assert node["name"] == r.names[group][i]
        poses = (r.pose if group == "bodies" else r.obstacle_pose)[first : r.frames[-1] + 1, i]
        near(node["translation"], poses[0, :3], max(1.0, np.abs(poses[0, :3]).max()))
        moves = not (poses == poses[0]).all()
        assert moves == ((number, "translation") in channels), node["name"]
        if moves:
            input, x = channels[number, "translation"]
            near(input[:, 0], times, what="times")
            near(x, poses[:, :3], max(1.0, np.abs(poses[:, :3]).max()))
            q = channels[number, "rotation"][1][:, [3, 0, 1, 2]]
            near(np.abs(np.einsum("ij,ij->i", q, poses[:, 3:])), np.ones(len(q)), 1.0)
            assert (np.einsum("ij,ij->i", q[1:], q[:-1]) >= 0).all()
        for part, child in enumerate(node.get("children", [])):
            assert nodes[child]["name"] == f"{node['name']} part {part}"
            primitive = gltf["meshes"][nodes[child]["mesh"]]["primitives"][0]
            local = accessor(primitive["attributes"]["POSITION"]).astype(float)
            at, q = np.array(nodes[child]["translation"]), np.array(nodes[child]["rotation"])[[3, 0, 1, 2]]
            points = poses[0, :3] + np.array([rotate(poses[0, 3:], at + rotate(q, p)) for p in local])
            r.check_surface(group, i, points, first, 14, (path, group, i))
    # a node for each frame with contacts, there in its own time alone: points half way between the two, impulses as lines
    offset = r.f["contacts/offset"][:]
    seen = {n["name"]: (n, i) for n, i in zip(named, root["children"]) if n["name"].startswith("contacts ")}
    with_some = [k for k in r.frames if offset[k + 1] > offset[k]]
    assert sorted(seen) == sorted(f"contacts {k}" for k in with_some), path
    for k in with_some:
        node, number = seen[f"contacts {k}"]
        attributes = gltf["meshes"][node["mesh"]]["primitives"][0]["attributes"]
        part = slice(offset[k], offset[k + 1])
        middle = r.f["contacts/point"][part].mean(axis=1)
        impulse = np.einsum("ij,ijk->ik", r.f["contacts/impulse"][part], r.f["contacts/frame"][part])
        near(accessor(attributes["POSITION"])[::2], middle, max(1.0, np.abs(middle).max()))
        near(accessor(attributes["_IMPULSE"])[::2], impulse, max(1e-3, np.abs(impulse).max()))
        if len(times) > 1:
            input, scale = channels[number, "scale"]
            now = np.argmin(np.abs(input[:, 0] - (r.time[k] - r.time[first])))
            assert (scale[now] == 1).all() and (np.delete(scale, now, 0) == 0).all()
    lines = r.f["fibres/point_offset"][:]
    if lines[-1] == 0:
        return
    fibres, number = next((n, i) for n, i in zip(named, root["children"]) if n["name"] == "fibres")
    assert fibres["name"] == "fibres"
    mesh = gltf["meshes"][fibres["mesh"]]
    primitive = mesh["primitives"][0]
    base = accessor(primitive["attributes"]["POSITION"]).astype(float)
    sides = len(base) // lines[-1]
    near(base.reshape(-1, sides, 3).mean(axis=1), r.point[first], max(1.0, np.abs(r.point[first]).max()))
    if sides > 1:
        spread = np.linalg.norm(base.reshape(-1, sides, 3) - r.point[first][:, None, :], axis=2)
        near(spread, np.repeat(np.repeat(r.f["fibres/line_radius"][:], np.diff(lines))[:, None], sides, 1),
             max(1.0, np.abs(r.point[first]).max()))
        # the first corner is on the second axis of the section
        out = base.reshape(-1, sides, 3)[:, 0] - r.point[first]
        out /= np.linalg.norm(out, axis=1)[:, None]
        assert np.abs(out - r.axis[first]).max() < 1e-3
    if len(times) > 1:
        weights = channels[number, "weights"][1].reshape(len(times), -1)
        assert np.array_equal(weights, np.vstack([np.zeros(len(times) - 1), np.eye(len(times) - 1)]))
        for k, target in enumerate(primitive["targets"]):
            now = base + accessor(target["POSITION"])
            near(now.reshape(-1, sides, 3).mean(axis=1), r.point[first + 1 + k], max(1.0, np.abs(r.point).max()))


def check_usda(r, path):
    text = path.read_text()
    head = text[: text.index("def ")]
    for line in ("metersPerUnit = 1", 'upAxis = "Z"', 'defaultPrim = "World"'):
        assert line in head, line
    rate = float(re.search(r"timeCodesPerSecond = (\S+)", head)[1])
    start, end = (float(re.search(rf"{w}TimeCode = (\S+)", head)[1]) for w in ("start", "end"))
    near([start, end], r.time[[r.frames[0], r.frames[-1]]] * rate, max(1.0, end))

    def numbers(t):
        return np.array([float(x) for x in re.findall(r"-?\d[\d.e+-]*", t)])

    def samples(block, name):
        found = re.search(rf"{re.escape(name)}\.timeSamples = \{{(.*?)\n\s*\}}", block, re.S)
        if not found:
            return None
        out = {}
        for line in found[1].strip().splitlines():
            code, values = line.split(":", 1)
            out[float(code)] = numbers(values)
        return out

    blocks = {m[2]: m.start() for m in re.finditer(r'(def Xform|def BasisCurves|def Points) "(\w+)"', text)}
    ends = sorted(list(blocks.values()) + [len(text)])
    frames = list(r.frames)
    for group, poses in (("bodies", r.pose), ("obstacles", r.obstacle_pose)):
        for i, name in enumerate(r.names[group]):
            prim = re.sub(r"[^A-Za-z0-9_]", "_", name).rstrip("_") or "_"
            begin = blocks[prim]
            block = text[begin : min(e for e in ends if e > begin)]
            own = block[: block.index("def Mesh")]
            moves = not (poses[frames, i] == poses[frames[0], i]).all()
            x, q = samples(own, "xformOp:translate"), samples(own, "xformOp:orient")
            if not moves:
                assert x is None, name
                x = {start: numbers(re.search(r"xformOp:translate = (\(.*?\))", own)[1])}
                q = {start: numbers(re.search(r"xformOp:orient = (\(.*?\))", own)[1])}
            assert len(x) == (len(frames) if moves else 1)
            for (code, at), (_, turn), k in zip(sorted(x.items()), sorted(q.items()), frames):
                near([code], [r.time[k] * rate], max(1.0, end))
                near(at, poses[k, i, :3], max(1.0, np.abs(poses[k, i, :3]).max()))
                near([abs(turn @ poses[k, i, 3:])], [1.0])
            mesh = numbers(re.search(r"point3f\[\] points = \[(.*?)\]", block, re.S)[1]).reshape(-1, 3)
            part = r.parts[group][i]
            if r.parts[group][i + 1] == part + 1 and r.kind[part] == 1:
                near(np.linalg.norm(mesh, axis=1), np.full(len(mesh), r.radius[part]))
    check_usda_contacts(r, text[blocks["Contacts"] :] if "Contacts" in blocks else None, samples)
    if len(r.names["fibres"]) == 0:
        return
    block = text[blocks["Fibres"] : blocks.get("Contacts")]
    offset = r.f["fibres/point_offset"][:]
    counts = numbers(re.search(r"curveVertexCounts = \[(.*?)\]", block)[1])
    assert np.array_equal(counts, np.diff(offset))
    widths = numbers(re.search(r"widths = \[(.*?)\]", block)[1])
    near(widths, 2 * np.repeat(r.f["fibres/line_radius"][:], np.diff(offset)))
    for name, values in (("points", r.point), ("primvars:axis", r.axis), ("primvars:tension", r.tension),
                         ("velocities", r.fibre_velocity)):
        found = samples(block, name)
        assert (found is None) == (values is None), name
        if found is None:
            continue
        assert len(found) == len(frames), name
        for (code, v), k in zip(sorted(found.items()), frames):
            near(v.reshape(values[k].shape), values[k], max(1.0, np.abs(values[k]).max()))


def check_usda_contacts(r, block, samples):
    """Points, as many in each frame as the result has contacts there."""
    f, frames = r.f["contacts"], list(r.frames)
    counts = np.diff(r.offset)[frames]
    assert (block is not None) == (counts.sum() > 0)
    if block is None:
        return
    frame = f["frame"][:]
    wanted = {"points": f["point"][:].mean(axis=1), "primvars:normal": frame[:, 0],
              "primvars:status": f["status"][:], "primvars:gap": f["gap"][:], "primvars:residual": f["residual"][:]}
    for name in ("impulse", "velocity"):
        wanted["primvars:" + name] = np.einsum("ci,cij->cj", f[name][:], frame)
    for name, values in wanted.items():
        found = sorted(samples(block, name).items())
        assert len(found) == len(frames), name
        for (_, v), k in zip(found, frames):
            rows = values[r.offset[k] : r.offset[k + 1]]
            near(v.reshape(rows.shape), rows, max(1e-12, np.abs(values).max()), what=name)


def check_obj(r, folder):
    files = sorted(folder.glob("*.obj"))
    assert len(files) == len(r.frames) and len(list(folder.glob("*.mtl"))) == 1
    known = set(re.findall(r"^newmtl (\S+)$", next(folder.glob("*.mtl")).read_text(), re.M))
    for file, k in zip(files, r.frames):
        assert file.name.endswith(f"-{k:04d}.obj")
        points, normals, objects, lines = [], [], [], []
        for line in file.read_text().splitlines():
            key, *rest = line.split(" ")
            if key == "v":
                points.append([float(x) for x in rest])
            elif key == "vn":
                normals.append([float(x) for x in rest])
            elif key == "o":
                objects.append((rest[0], [], []))
            elif key == "usemtl":
                assert rest[0] in known and len(rest) == 1
            elif key == "f":
                objects[-1][1].append([[int(x) for x in corner.split("//")] for corner in rest])
            elif key == "l":
                objects[-1][2].append([int(x) for x in rest])
                lines.append([int(x) for x in rest])
        points, normals = np.array(points), np.array(normals)
        names = r.names["bodies"] + r.names["obstacles"] + r.names["fibres"]
        assert [o[0] for o in objects] == [re.sub(r"[\s#\\]", "_", n) or "_" for n in names]
        groups = [("bodies", i) for i in range(len(r.names["bodies"]))] + [("obstacles", i) for i in range(len(r.names["obstacles"]))]
        for (group, i), (_, faces, _) in zip(groups, objects):
            faces = np.array(faces)
            r.check_surface(group, i, points[np.unique(faces[:, :, 0]) - 1], k, 9, (file, group, i))
            a, b, c = (points[faces[:, j, 0] - 1] for j in range(3))
            assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), normals[faces[:, 0, 1] - 1]) > 0).all(), (file, group, i)
        offset = r.f["fibres/point_offset"][:]
        assert all(faces or pieces for _, faces, pieces in objects)
        if not lines:
            continue  # tubes
        for end in (0, 1):  # fibres are written piece by piece
            starts = np.concatenate([np.arange(first, last - 1) for first, last in zip(offset, offset[1:])])
            near(points[np.array(lines)[:, end] - 1], r.point[k, starts + end], max(1.0, np.abs(r.point[k]).max()))


def check_csv(r, path):
    table = path.read_text().splitlines()
    header = [re.fullmatch(r"(\w+) \((.*)\)", h) for h in table[0].split(",")]
    rows = np.array([[float(x) for x in line.split(",")] for line in table[1:]]).reshape(len(table) - 1, len(header))
    row = r.f["frames/row"][:]
    first = row[r.frames[0] - 1] if r.frames[0] > 0 else 0
    assert {h[1] for h in header} == set(r.f["steps"])
    for column, h in enumerate(header):
        series = r.f[f"steps/{h[1]}"]
        assert series.attrs["units"].decode() == h[2]
        assert np.array_equal(rows[:, column], series[first : row[r.frames[-1]]].astype(float)), h[1]
    # the contacts of the frames in a second table
    import csv
    offset = r.f["contacts/offset"][:]
    begin, end = offset[r.frames[0]], offset[r.frames[-1] + 1]
    beside = path.with_name(path.stem + "-contacts.csv")
    if offset[-1] == 0:
        assert not beside.exists()
        return
    lines = list(csv.DictReader(beside.open()))
    assert len(lines) == end - begin
    middle = r.f["contacts/point"][begin:end].mean(axis=1)
    impulse = np.einsum("ij,ijk->ik", r.f["contacts/impulse"][begin:end], r.f["contacts/frame"][begin:end])
    for k, axis in enumerate("xyz"):
        near([float(line[f"{axis} (m)"]) for line in lines], middle[:, k], max(1.0, np.abs(middle).max()))
        near([float(line[f"impulse {axis} (N s)"]) for line in lines], impulse[:, k], max(1e-3, np.abs(impulse).max()))
    status = [["take-off", "stick", "slide"][i] for i in r.f["contacts/status"][begin:end]]
    assert [line["status"] for line in lines] == status
    groups = {1: ("body", "bodies"), 2: ("fibre", "fibres"), 3: ("sheet", "sheets"), 7: ("obstacle", "obstacles")}
    for side, letter in enumerate("ab"):
        for line, (kind, number) in zip(lines, r.f["contacts/thing"][begin:end, side]):
            word, group = groups[kind]
            assert line[f"kind {letter}"] == word and line[letter] == r.f[f"{group}/name"][number].decode()
        assert [int(line[f"part {letter} (1)"]) for line in lines] == list(r.f["contacts/part"][begin:end, side])
        for name in ("place", "point"):
            for k, axis in enumerate("xyz"):
                key = f"place {letter} {axis}" if name == "place" else f"{axis} {letter} (m)"
                wanted = r.f[f"contacts/{name}"][begin:end, side, k]
                near([float(line[key]) for line in lines], wanted, max(1.0, np.abs(wanted).max()))


result = Result(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
for name in sys.argv[4:]:
    file = pathlib.Path(name)
    check = check_obj if file.is_dir() else globals()["check_" + file.suffix[1:]]
    check(result, file)
    print(f"{name}: as in {sys.argv[1]}")
