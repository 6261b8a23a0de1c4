"""The boundary between Python and C: random arguments of wrong shapes, types, strides and sizes, stale handles and worlds that are gone. Every
call must work or raise an exception; the process must live, and the world must go on. CAPSTAN_FUZZ_SECONDS makes it longer."""

import gc
import os
import time

import numpy as np
import pytest

import capstan as cps

ALLOWED = (TypeError, ValueError, OverflowError, KeyError, IndexError, AttributeError, MemoryError, NotImplementedError, cps.Error)
pytestmark = pytest.mark.filterwarnings("ignore")  # numpy warns of what is refused
SECONDS = float(os.environ.get("CAPSTAN_FUZZ_SECONDS", "1.5"))


def odd_array(random):
    """An array that a careless program could hand over."""
    shape = [(), (0,), (3,), (4,), (1, 3), (5, 3), (3, 5), (7,), (2, 2, 3), (0, 3)][random.integers(10)]
    kind = [np.float64, np.float32, np.int32, np.int64, np.uint8, bool, complex, object, "U3"][random.integers(9)]
    numbers = random.normal(size=shape) * 10.0 ** random.integers(-3, 4)
    if random.random() < 0.2 and numbers.size:
        numbers = np.where(random.random(shape) < 0.3, [np.nan, np.inf, -np.inf, 1e308][random.integers(4)], numbers)
    with np.errstate(all="ignore"):
        try:
            array = np.asarray(numbers).astype(kind)
        except (ValueError, OverflowError):
            array = np.asarray(numbers)
    form = random.integers(5)
    if form == 0 and array.ndim:
        array = array[::-1]
    elif form == 1 and array.ndim:
        array = np.repeat(array, 2, axis=-1)[..., ::2]  # strides
    elif form == 2:
        array = np.asfortranarray(array)
    elif form == 3:
        array = np.broadcast_to(array, (2, *array.shape))
    return array


def odd(random):
    values = [None, 0, -1, 1, 2**31, -2**40, 1e400, float("nan"), "", "x" * 3000, "super-helix", "\0", b"bytes", [], [[]], {}, {"kind": 3}, object(), True,
              (1, 2, 3), [1, 2], [(0, 0, 0), (0, 0, 1)], cps.sphere(0.1), cps.plane(), range(3), 10**30]
    return values[random.integers(len(values))] if random.random() < 0.5 else odd_array(random)


def fields(kind):
    from capstan._capstan import ffi
    return [name for name, _ in ffi.typeof(kind).fields if name not in ("cookie", "user")]


def make_world():
    world = cps.World(step=1e-3)
    world.add_obstacle(cps.plane())
    world.add_body(cps.box((0.1, 0.1, 0.1)), position=(0, 0, 0.05))
    world.add_fibre(length=0.2, elements=3, root={"kind": "clamped"}, root_pose=((0, 1, 1), (1, 0, 0, 0)))
    world.add_sheet([(2, 0, 1), (2.1, 0, 1), (2, 0.1, 1)], [(0, 1, 2)])
    world.add_solid([(4, 0, 1), (4.1, 0, 1), (4, 0.1, 1), (4, 0, 1.1)], [(0, 1, 2, 3)])
    return world


def some_call(random, world, problem):
    """A call with odd arguments, as a function without any."""
    def pick(names):
        return {names[random.integers(len(names))]: odd(random) for _ in range(random.integers(1, 4))}

    body, fibre, sheet, solid = world.bodies[0], world.fibres[0], world.sheets[0], world.solids[0]
    a, b, c = odd(random), odd(random), odd(random)
    calls = [
        lambda: world.add_body(cps.sphere(0.01), **pick(fields("CpsBodyDef"))),
        lambda: world.add_body(a),
        lambda: world.add_obstacle(cps.sphere(0.01), contact=False, **pick(["pose", "motion", "surface_velocity", "material", "mu", "name"])),
        lambda: world.add_fibre(contact_radius=0, **pick(fields("CpsFibreDef"))),
        lambda: world.add_sheet(a, b, **pick(fields("CpsSheetDef"))),
        lambda: world.add_sheet([(9, 0, 1), (9.1, 0, 1), (9, 0.1, 1)], [(0, 1, 2)], **pick(fields("CpsSheetDef"))),
        lambda: world.add_solid(a, b, **pick(fields("CpsSolidDef"))),
        lambda: world.add_solid([(9, 0, 2), (9.1, 0, 2), (9, 0.1, 2), (9, 0, 2.1)], [(0, 1, 2, 3)], **pick(fields("CpsSolidDef"))),
        lambda: world.add_tie(a, **pick(fields("CpsTieDef"))),
        lambda: world.add_pull(body.at(a), **pick(fields("CpsPullDef"))),
        lambda: world.add_pull(fibre.at(s=a), **pick(fields("CpsPullDef"))),
        lambda: world.add_pull(sheet.at(vertex=a), **pick(fields("CpsPullDef"))),
        lambda: world.add_load(body, **pick(fields("CpsLoadDef"))),
        lambda: world.configure(**pick([name for name in fields("CpsWorldDef") if name not in ("step", "threads", "solver")])),
        lambda: world.bodies.set_array(a, b),
        lambda: setattr(world.bodies, "positions", a),
        lambda: setattr(sheet, "vertices", a),
        lambda: solid.hold(a, b),
        lambda: sheet.release(a),
        lambda: fibre.set_natural(a, b),
        lambda: fibre.points(a),
        lambda: fibre.tension(a, b),
        lambda: fibre.move_end(a, b, c),
        lambda: fibre.set_velocity(a, b),
        lambda: body.set(**pick(["pose", "velocity", "angular_velocity"])),
        lambda: body.apply_impulse(a, b),
        lambda: world.load(a),
        lambda: world.contact_array(a),
        lambda: world.invert(**pick(fields("CpsInvertOptions"))),
        lambda: cps.Problem(a, b, c),
        lambda: cps.Problem(np.eye(6), np.zeros(6), a, laws=b, shift=c),
        lambda: cps.Problem.from_bodies(a, b, np.zeros(3), c),
        lambda: problem.residual(a),
        lambda: problem.solve(guess=a, **pick(["tol", "local", "max_iterations", "facets", "relaxation"])),
        lambda: cps.hull(a), lambda: cps.mesh(a, b), lambda: cps.tube(a, b), lambda: cps.compound(a, b),
        lambda: cps.Mesh(a, b, c).facts, lambda: cps.Hair([a, b]).facts, lambda: cps.fit_rod(a, b),
        lambda: cps.Scene(text=str(a)),
    ]
    return calls[random.integers(len(calls))]


def test_odd_arguments_raise_and_never_crash():
    random = np.random.default_rng(int(os.environ.get("CAPSTAN_FUZZ_SEED", "1")))
    problem = cps.generate("spheres", contacts=20)
    begun, count, raised = time.process_time(), 0, 0
    while time.process_time() - begun < SECONDS:
        world = make_world()
        for _ in range(40):
            count += 1
            try:
                some_call(random, world, problem)()
            except ALLOWED:
                raised += 1
        try:
            world.step()
        except cps.Error:
            pass  # what was added may be too odd to be stepped, and the library says so
    assert count > 200 and raised > count // 3


def test_things_of_a_world_that_is_gone_are_still_safe():
    world = make_world()
    body, fibre, contacts = world.bodies[0], world.fibres[0], world.contacts
    problem_b = cps.generate("spheres", contacts=20).b  # memory of a problem that nobody else holds
    del world
    gc.collect()
    assert np.isfinite(body.position).all() and len(fibre.points(5)) == 5 and len(contacts) == 0
    assert np.isfinite(problem_b).all()
    body.remove()
    for call in (lambda: body.position, lambda: body.apply_impulse((0, 0, 1), (0, 0, 0)), body.remove, lambda: body.set(velocity=(0, 0, 0))):
        with pytest.raises((KeyError, cps.BadArgument)):
            call()
    fibre.remove()
    for call in (lambda: fibre.info, lambda: fibre.points(3), lambda: fibre.natural, fibre.settle, lambda: fibre.trim(0.1), lambda: fibre.tension(4)):
        with pytest.raises(cps.Error):
            call()


def test_arrays_that_another_field_counts_must_have_its_length():
    world = cps.World()
    for name in ("element_lengths", "element_curvature"):
        with pytest.raises(ValueError, match="expected 8 entries, found 2"):
            world.add_fibre(elements=8, length=0.2, **{name: np.ones(2) if name == "element_lengths" else np.ones((2, 3))})
    triangle = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    with pytest.raises(ValueError, match="texture: expected 6 entries, found 4"):
        world.add_sheet(triangle, [(0, 1, 2)], texture=[0, 1, 2, 3])
    with pytest.raises(ValueError, match="rest: expected 4 entries, found 3"):
        world.add_solid(triangle + [(0, 0, 1)], [(0, 1, 2, 3)], rest=triangle)
    with pytest.raises(ValueError, match="rows of 3 numbers"):
        world.add_sheet(triangle, [0, 1, 2, 0])
    with pytest.raises(ValueError, match="values: expected 2 entries, found 1"):
        world.add_load(force=(1, 0, 0), curve={"kind": "table", "times": [0, 1], "values": [1]})
