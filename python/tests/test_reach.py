"""Every function of the C library is reachable from Python, and its types are right."""

import os
import pathlib
import re

import pytest

import capstan as cps
from capstan._capstan import lib

SOURCE = "".join(path.read_text() for path in pathlib.Path(cps.__file__).parent.glob("*.py"))

# Functions that Python does not call, and what it does instead.
OTHERWISE = {
    "cps_anchor_(between|body|fibre|obstacle|sheet|solid)": "thing.at()",
    "cps_thing_(body|fibre|obstacle|sheet|solid)|cps_thing_is|cps_thing_kind_name": "handles are things",
    "cps_(sphere|box|capsule|cylinder|hull|plane|mesh|tube|points|compound)": "functions of capstan.shapes",
    r"cps_(\w+)_(find|name)": "enums are words",
    r"cps_world_(body|fibre|sheet|solid|obstacle|tie)(_count)?": "world.bodies, …, made by name",
    r"cps_world_(add|remove)_\w+|cps_(body|obstacle|fibre|solid|tie|pull)_def_default": "World.add_…, made by name",
    r"cps_world_(sheet|solid)_(exists|info|triangles|tetrahedra)": "Sheet and Solid, made by name",
    r"cps_scene_\w+_name|cps_scene_thing_name": "Scene.names(), made by kind",
    r"cps_scene_\w+_(shape|material|model)": "for writers; the world and the result hold them",
    "cps_scene_load|cps_scene_inversion": "Scene() tells notes, too; World.last_inversion",
    r"cps_(mesh_file|hair|fabric_table)_parse": "files are read by their paths",
    "cps_(hair|result|rest)_recognise": "reading says what is wrong",
    r"cps_result_(frame_(poses|obstacles|fibres)|parts|line|line_radius|sheet)|cps_things_name": "groups of a Result, by frames",
    "cps_result_drop_frame": "of those who write results",
    "cps_world_contact": "World.contacts has all of them",
    "cps_world_fibre_tension": "Fibre.tension, for many fibres",
    "cps_world_observe": "the loop is Python's",
    "cps_world_has_grid|cps_grains_particle_(count|mass)|cps_(grains|flow)_memory": "errors say so; Scene.info",
    "cps_world_grains_forces": "grains_force of things; series of a Result",
    "cps_(sheet|solid)_check|cps_smooth_default|cps_solid_region_default|cps_compound_overlap": "checked when added; zeroed structs are defaults",
    "cps_problem_from_(blocks|csc|sparse)|cps_problem_refill_(bodies|sparse)|cps_problem_sparse_(form|velocity)":
        "Problem() takes any scipy.sparse matrix; problems are immutable; World.problem() makes those with nodes",
    "cps_problem_contact_statuses|cps_step_deepest_of|cps_world_def_motion_tolerance": "Problem.contacts; fields of records",
    "cps_grains_static_slope": "mu / sqrt(1 - mu²)",
    "cps_export_(columns|format_suffix)|cps_render_(camera|info)|cps_colour_name": "of the command",
    "cps_view_(has_page|port)": "Viewer.url",
}


def test_every_function_of_the_headers_is_called_or_has_a_reason():
    left = []
    for name in dir(lib):
        if not name.startswith("cps_") or re.search(rf"\b{name}\b", SOURCE):
            continue
        if not any(re.fullmatch(pattern, name) for pattern in OTHERWISE):
            left.append(name)
    assert left == []


def test_reasons_are_of_functions_that_exist():
    names = [name for name in dir(lib) if name.startswith("cps_")]
    idle = [pattern for pattern in OTHERWISE if not any(re.fullmatch(pattern, name) for name in names)]
    assert idle == []


def test_a_program_passes_and_its_mistakes_are_found_by_mypy(tmp_path):
    api = pytest.importorskip("mypy.api")
    folder = pathlib.Path(cps.__file__).parent
    right = ("import capstan as cps\nworld = cps.World(step=2e-3, coupling='full')\nball = world.add_body(cps.sphere(0.1), position=(0, 0, 1))\n"
             "residual: float = world.step(3).residual\nindex: int = world.bodies[0].index\n")
    wrong = ("world.add_body(cps.sphere(0.1), positon=(0, 0, 1))\nworld.add_fibre(model='super-helx')\nname: str = world.step().residual\n")
    os.environ["MYPYPATH"] = str(folder.parent)
    guide = (pathlib.Path(__file__).parents[2] / "docs/guide/python.md").read_text()
    examples = re.findall(r"^```python\n(.*?)^```", guide, re.M | re.S)
    assert len(examples) >= 7
    for text, count in (("\n".join([right, *examples]), 0), (right + wrong, 3)):
        (tmp_path / "use.py").write_text(text)
        said, complaints, _ = api.run(["--strict", "--allow-redefinition", "--ignore-missing-imports", "--cache-dir",
                                       str(tmp_path / "cache"), str(tmp_path / "use.py")])
        found = [line for line in said.splitlines() if line.startswith(str(tmp_path)) or line.startswith("use.py")]
        assert len([line for line in found if ": error:" in line]) == count, said + complaints
