"""Capstan: simulation of contact with exact Coulomb friction.

    import capstan as cps

    world = cps.World()
    world.add_obstacle(cps.plane())
    world.add_body(cps.box((0.1, 0.1, 0.1)), position=(0, 0, 0.05))
    print(world.step(100))

    problem = cps.read_fclib("wall.hdf5")
    solution = problem.solve(tol=1e-8)

    result = cps.Scene("knot.yaml").run("knot.h5")
    result.fibres["rope"].points          # frames × fibres × points × 3

Units are SI. Errors are exceptions with the library's error message. See docs/guide/python.md for a guide.
"""

from ._capstan import lib as _lib
from ._errors import BadArgument, BadData, BadFormat, Error, FileError, NoMemory, NotSolved, Unsupported, text as _text
from ._structs import Record
from .contacts import Contacts
from .files import (Fabric, Hair, Mesh, RodFit, describe_rest, fabrics, fit_rod, fit_rods, read_fabric, read_hair,
                    read_mesh)
from .model import Model, ModelHandle
from .plots import performance_profile
from .problem import (Problem, Solution, Workspace, aliases, generate, local_solvers, methods, read_fclib,
                      read_fclib_solution)
from .result import Picture, Result
from .scene import Scene, scene_keys
from .shapes import Shape, box, capsule, compound, cylinder, hull, mesh, plane, points, sphere, tube
from .sweep import Sweep, read_sweep
from .things import Anchor, Body, Fibre, Flow, Grains, Obstacle, Pull, Sheet, Solid, Tie
from .viewer import Viewer
from .world import World

__version__: str = _text(_lib.cps_version())
__all__ = [
    "Anchor", "BadArgument", "BadData", "BadFormat", "Body", "Contacts", "Error", "Fabric", "Fibre", "FileError", "Flow", "Grains", "Hair",
    "Mesh", "Model", "ModelHandle", "NoMemory", "NotSolved", "Obstacle", "Picture", "Problem", "Pull", "Record", "Result", "RodFit", "Scene", "Shape",
    "Sheet", "Solid", "Solution", "Sweep", "Tie", "Unsupported", "Viewer", "Workspace", "World", "aliases", "box", "capsule",
    "compound", "cylinder", "describe_rest", "fabrics", "fit_rod", "fit_rods", "generate", "hull", "local_solvers", "mesh", "methods", "performance_profile",
    "plane", "points", "read_fabric", "read_fclib", "read_fclib_solution", "read_hair", "read_mesh", "read_sweep", "scene_keys", "sphere",
    "tube",
]
