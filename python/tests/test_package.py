"""The package as a whole: everything public has a docstring and types, and the stubs say what is there."""

import ast
import inspect
import pathlib

import pytest

import capstan as cps

FOLDER = pathlib.Path(cps.__file__).parent


def public_things():
    """(name, thing) of every public function, class, method and property."""
    for name in cps.__all__:
        thing = getattr(cps, name)
        yield name, thing
        if inspect.isclass(thing):
            for key, member in vars(thing).items():
                if not key.startswith("_") and (callable(member) or isinstance(member, (property, classmethod))):
                    yield f"{name}.{key}", member


def test_everything_public_has_a_docstring():
    bare = [name for name, thing in public_things() if not (inspect.getdoc(thing) or "").strip()]
    assert bare == []


def stub(module):
    path = FOLDER / f"{module}.pyi"
    if not path.exists():
        pytest.fail(f"{path} is missing: the target capstan-python-stubs writes it")
    return ast.parse(path.read_text())


def test_every_method_has_types_for_all_it_takes_and_returns():
    bare, seen = [], set()
    modules = {getattr(cps, name).__module__.split(".")[-1] for name in cps.__all__ if hasattr(getattr(cps, name), "__module__")}
    for module in modules - {"_errors", "_structs"}:
        for node in ast.walk(stub(module)):
            if isinstance(node, ast.FunctionDef):
                seen.add(node.name)
                given = node.args.args + node.args.kwonlyargs + [a for a in (node.args.vararg, node.args.kwarg) if a]
                bare += [f"{module}.{node.name}({a.arg})" for a in given if a.annotation is None and a.arg not in ("self", "cls")]
                bare += [f"{module}.{node.name} ->"] if node.returns is None else []
    assert bare == []
    missing = [name for name, thing in public_things() if "." in name and inspect.isfunction(thing) and name.split(".")[1] not in seen]
    assert missing == []


def keywords(function, module="world"):
    for node in ast.walk(stub(module)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return {a.arg: ast.unparse(a.annotation) for a in node.args.kwonlyargs}
    raise AssertionError(f"{module}.pyi has no {function}")


def test_fields_of_definitions_are_keyword_arguments_of_the_stubs():
    body, fibre = keywords("add_body"), keywords("add_fibre")
    assert body["position"] == "Vector" and body["density"] == "float" and body["fixed_rotation"] == "bool"
    assert "cookie" not in body and "user" not in body and "point_count" not in fibre
    assert "'super-helix'" in fibre["model"]
    # what the stub names is what the call takes: none is refused as unknown
    world = cps.World()
    for name in body:
        try:
            world.add_body(cps.sphere(0.1), **{name: object()})
        except (TypeError, ValueError) as refusal:
            assert "has no" not in str(refusal), name
    with pytest.raises(TypeError, match="has no 'positon'; did you mean 'position'"):
        world.add_body(cps.sphere(0.1), positon=(0, 0, 1))


def test_records_of_the_stubs_have_the_fields_of_the_records():
    world = cps.World()
    world.add_body(cps.sphere(0.1))
    said = world.step()
    classes = {node.name: {part.target.id for part in node.body if isinstance(part, ast.AnnAssign)}
               for node in stub("_records").body if isinstance(node, ast.ClassDef)}
    for record in (said, world.energy, world.settings, world.bodies[0].state):
        fields = {name for name, _ in record}
        assert fields == classes[record._name[3:]], record._name
