#!/usr/bin/env python3
"""usage: check_usda.py FILE.usda...   What a parser of USD does not ask: are the values those that UsdGeom and UsdShade allow?

Names are identifiers and siblings differ, attributes belong to the type of their prim, tokens have values of the schema,
what is pointed to is there, lengths of arrays agree, time samples ascend from startTimeCode to endTimeCode.
The text must have one statement on a line, as capstan export writes it."""
import re
import sys

BOUND = {"extent": "float3[]", "primvars:displayColor": "color3f[]", "material:binding": "rel"}
POINTS = {**BOUND, "points": "point3f[]", "velocities": "vector3f[]", "widths": "float[]", "normals": "normal3f[]"}
SCHEMA = {
    "Xform": {}, "Scope": {}, "Material": {"outputs:surface.connect": "token"},
    "Shader": {"info:id": "token", "inputs:diffuseColor": "color3f", "inputs:roughness": "float", "outputs:surface": "token"},
    "Mesh": {**POINTS, "faceVertexCounts": "int[]", "faceVertexIndices": "int[]", "subdivisionScheme": "token", "orientation": "token"},
    "BasisCurves": {**POINTS, "curveVertexCounts": "int[]", "type": "token", "wrap": "token"},
    "Points": POINTS,
}
TRANSFORM = {"xformOp:translate": "double3", "xformOp:orient": "quatf", "xformOpOrder": "token[]"}
UNIFORM = {"subdivisionScheme", "orientation", "type", "wrap", "info:id", "xformOpOrder"}
TOKENS = {
    "subdivisionScheme": {"catmullClark", "loop", "bilinear", "none"}, "orientation": {"rightHanded", "leftHanded"},
    "type": {"linear", "cubic"}, "wrap": {"nonperiodic", "periodic", "pinned"}, "info:id": {"UsdPreviewSurface"},
    "interpolation": {"constant", "uniform", "varying", "vertex", "faceVarying"}, "upAxis": {"Y", "Z"},
}
PARTS = {"point3f": 3, "vector3f": 3, "normal3f": 3, "color3f": 3, "float3": 3, "double3": 3, "quatf": 4}
STATEMENT = re.compile(r"(?:(uniform) )?(rel|[a-z]+[0-9]?[a-z]*(?:\[\])?) ([\w:]+(?:\.connect|\.timeSamples)?)(?: = (.*?))?( \()?$")


class Prim:
    def __init__(self, path, kind):
        self.path, self.kind, self.children = path, kind, set()
        self.values, self.samples, self.types, self.interpolation = {}, {}, {}, {}


def length(prim, name, text):
    """How many elements an array has."""
    kind = prim.types[name]
    text = re.sub(r'"(?:[^"\\]|\\.)*"', "0", text)
    numbers = len(re.findall(r"[^\s,()\[\]]+", text))
    parts = PARTS.get(kind.removesuffix("[]"), 1)
    assert numbers % parts == 0, (prim.path, name)
    return numbers // parts


def parse(lines):
    """All prims by path, and the metadata of the stage."""
    prims, stack, head, sampled, attribute, depth = {}, [], {}, None, None, 0
    for number, line in enumerate(lines, 1):
        line = line.strip()
        found = re.match(r'(def|class) (\w+) "([^"]*)"', line)
        if found:
            parent = stack[-1] if stack else None
            path = (parent.path if parent else "") + "/" + found[3]
            assert re.fullmatch(r"[A-Za-z_]\w*", found[3]), (number, path)
            assert path not in prims, (number, path, "twice")
            assert found[2] in SCHEMA, (number, found[2])
            prims[path] = Prim(path, found[2])
            stack.append(prims[path])
            depth = 1 if line.endswith("(") else 0
        elif depth and line == ")":
            depth, attribute = 0, None
        elif depth and attribute:
            key, value = line.split(" = ")
            assert key == "interpolation" and value.strip('"') in TOKENS[key], (number, line)
            stack[-1].interpolation[attribute] = value.strip('"')
        elif depth or line in ("", "{", "#usda 1.0"):
            for target in re.findall(r"</([^>]*)>", line):
                stack[-1].values["reference"] = "</" + target + ">"
        elif sampled:
            if line == "}":
                sampled = None
            else:
                time, value = line.rstrip(",").split(": ", 1)
                stack[-1].samples[sampled].append((float(time), value))
        elif line == "}":
            stack.pop()
        elif not stack:
            found = re.fullmatch(r"(\w+) = (.*)", line)
            if found:
                head[found[1]] = found[2].strip('"')
        else:
            found = STATEMENT.match(line)
            assert found, (number, line[:80])
            name = found[3].removesuffix(".timeSamples")
            prim = stack[-1]
            assert prim.types.setdefault(name, found[2]) == found[2], (number, name)
            assert bool(found[1]) == (name in UNIFORM), (number, name, "uniform")
            if found[3].endswith(".timeSamples"):
                sampled = name
                prim.samples[name] = []
            elif found[4]:
                prim.values[name] = found[4]
            if found[5]:
                attribute, depth = name, 1
    assert not stack, "braces"
    return prims, head


def check_lengths(prim):
    def at(name):
        if name in prim.samples:
            return [length(prim, name, v) for _, v in prim.samples[name]]
        return [length(prim, name, prim.values[name])]

    if "points" not in prim.types:
        return
    points = at("points")
    uniform = None
    for counts in ("faceVertexCounts", "curveVertexCounts"):
        if counts not in prim.types:
            continue
        numbers = [int(x) for x in re.findall(r"\d+", prim.values[counts])]
        uniform = len(numbers)
        if counts == "curveVertexCounts":
            assert all(sum(numbers) == n for n in points) and min(numbers) >= 2, prim.path
        else:
            indices = [int(x) for x in re.findall(r"\d+", prim.values["faceVertexIndices"])]
            assert len(indices) == sum(numbers) and max(indices) < points[0], prim.path
    for name in prim.types:
        how = prim.interpolation.get(name, "vertex" if name == "velocities" else "constant" if name.startswith("primvars:") else None)
        if how in ("vertex", "varying"):
            found = at(name)
            assert found == points if len(found) == len(points) else set(found) == set(points), (prim.path, name)
        elif how:
            assert set(at(name)) == {1 if how == "constant" else uniform}, (prim.path, name, how)
    for value in [v for _, v in prim.samples.get("extent", [])] + [prim.values.get("extent", "")]:
        assert value == "" or length(prim, "extent", value) == 2, prim.path


def check(path):
    with open(path, encoding="utf-8") as file:
        prims, head = parse(file.read().splitlines())
    assert "/" + head["defaultPrim"] in prims and head["upAxis"] in TOKENS["upAxis"] and float(head["metersPerUnit"]) > 0
    start, end = float(head["startTimeCode"]), float(head["endTimeCode"])
    for prim in prims.values():
        for name, kind in prim.types.items():
            allowed = {**SCHEMA[prim.kind], **({} if prim.kind in ("Scope", "Material", "Shader") else TRANSFORM)}
            assert name in allowed or name.startswith("primvars:"), (prim.path, name)
            assert allowed.get(name, kind) == kind, (prim.path, name, kind)
            if name in TOKENS:
                assert prim.values[name].strip('"') in TOKENS[name], (prim.path, name)
        for op in re.findall(r'"(.*?)"', prim.values.get("xformOpOrder", "")):
            assert op in prim.types, (prim.path, op)
        for value in prim.values.values():
            for target in re.findall(r"<(/[^>.]*)(?:\.[^>]*)?>", value):
                assert target in prims, (prim.path, target, "is not there")
        for name, samples in prim.samples.items():
            times = [t for t, _ in samples]
            assert times and times == sorted(set(times)) and times[0] >= start - 1e-6 and times[-1] <= end + 1e-6, (prim.path, name)
        check_lengths(prim)
    return len(prims)


for name in sys.argv[1:]:
    print(f"{name}: {check(name)} prims as the schemas want them")
