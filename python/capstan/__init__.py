"""Capstan: things that touch, with the exact law of Coulomb friction.

    import capstan as cps

    world = cps.World()
    world.add_obstacle(cps.plane())
    world.add_body(cps.box((0.1, 0.1, 0.1)), position=(0, 0, 0.05))
    print(world.step(100))

    problem = cps.read_fclib("wall.hdf5")
    solution = problem.solve(tol=1e-8)

    result = cps.Scene("knot.yaml").run("knot.h5")
    result.fibres["rope"].points          # frames × fibres × points × 3

Units are SI. Errors are exceptions with the library's sentence. docs/guide/python.md is the guide.
"""

from ._capstan import lib as _lib
from ._errors import BadArgument, BadData, BadFormat, Error, FileError, NoMemory, NotSolved, Unsupported, text as _text
from .problem import Problem, Solution, generate, methods, read_fclib
from .result import Result
from .scene import Scene
from .shapes import Shape, box, capsule, compound, cylinder, hull, mesh, plane, sphere, tube
from .sweep import Sweep, read_sweep
from .world import Body, Contacts, Fibre, Obstacle, Pull, Sheet, Solid, Tie, World, fabrics

__version__ = _text(_lib.cps_version())
__all__ = [
    "BadArgument", "BadData", "BadFormat", "Body", "Contacts", "Error", "Fibre", "FileError", "NoMemory", "NotSolved",
    "Obstacle", "Problem", "Pull", "Result", "Scene", "Shape", "Sheet", "Solid", "Solution", "Sweep", "Tie", "Unsupported", "World",
    "box", "capsule", "compound", "cylinder", "fabrics", "generate", "hull", "mesh", "methods", "plane", "read_fclib",
    "read_sweep", "sphere", "tube",
]
