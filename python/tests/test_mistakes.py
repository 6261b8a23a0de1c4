"""Wrong arguments: an error that says what was expected, at the call that was wrong."""

import math

import numpy as np
import pytest

import capstan as cps


BALL = "bodies: {ball: {sphere: {radius: 0.1}}}\ntime: {step: 0.01, end: 0.05}"


def test_a_run_ends_where_its_progress_function_says_so():
    world, seen = cps.World(step=1e-3), []
    world.add_body(cps.sphere(0.1))
    world.run(0.1, progress=lambda info: seen.append(info.time) or len(seen) < 3)
    assert len(seen) == 3 and math.isclose(world.time, 3e-3)
    assert world.run(1e-3) is None  # that time has passed
    for until in (math.nan, math.inf):
        with pytest.raises(ValueError, match="is not a time"):
            world.run(until)


def test_forces_are_checked_when_they_are_added():
    world = cps.World()
    floor, ball = world.add_obstacle(cps.plane()), world.add_body(cps.sphere(0.1))
    for at, function in ((floor.at(), lambda t, x, v: (0, 0, 0)), ("ball", lambda t, x, v: (0, 0, 0)), (ball.at(), 5)):
        with pytest.raises(TypeError, match="a force"):
            world.add_force(at, function)
    world.step()


def test_every_error_says_what_was_wrong():
    world = cps.World()
    fibre = world.add_fibre(points=[(0, 0, 0), (0.05, 0, 0), (0.1, 0, 0)], radius=4e-4, elements=4, root="clamped")
    for call, sentence in ((lambda: fibre.tension(0), "count"), (lambda: fibre.tension(4, branch=7), "no branch 7"),
                           (lambda: fibre.end_pose(2), "0 (the root) or 1"), (lambda: cps.World(tolerance="a"), "tolerance"),
                           (lambda: world.bodies[1.5], "float"), (lambda: fibre.points(2.5), "float")):
        with pytest.raises((ValueError, TypeError)) as said:
            call()
        assert sentence in str(said.value) and str(said.value) != "bad argument"
    fibre.remove()
    for call in (lambda: fibre.info, lambda: fibre.points(9), fibre.tension, lambda: fibre.end_pose(0), lambda: fibre.point(0.0)):
        with pytest.raises(cps.BadArgument, match="fibre 0 was removed"):
            call()


def test_results_without_grains_have_no_particles(tmp_path):
    result = cps.Scene(text=BALL).run(tmp_path / "a.h5")
    assert result.particles.shape == (len(result), 0, 3)


def test_the_text_of_a_scene_is_not_taken_for_its_path():
    with pytest.raises(cps.FileError, match="Scene\\(text="):
        cps.Scene(BALL)


def test_friction_of_another_number_of_contacts_is_refused():
    with pytest.raises(ValueError, match="mu: expected one number or 1, found 2"):
        cps.Problem(W=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], b=[-1, 2, 0], mu=[0.1, 0.2])


def test_points_have_three_coordinates():
    flat = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]  # six numbers, which are not two points
    for call in (lambda: cps.Hair([flat]), lambda: cps.Mesh(flat), lambda: cps.fit_rod(flat, 1), lambda: cps.fit_rods([flat], 1)):
        with pytest.raises(ValueError, match="rows of 3 numbers"):
            call()
    with pytest.raises(ValueError, match="rows of 3 indices"):
        cps.Mesh(np.eye(3), [[0, 1], [1, 2], [2, 0]])


def test_arrays_that_were_assigned_are_checked_before_the_library_reads_them(tmp_path):
    # a view of half the bytes, and an index beyond the end, were read as they were
    hair = cps.Hair([np.arange(30.0).reshape(10, 3)] * 50)
    hair.strands = [strand.astype(np.float32) for strand in hair.strands]
    hair.write(tmp_path / "a.hair")
    assert np.allclose(cps.read_hair(tmp_path / "a.hair").strands[49], np.arange(30.0).reshape(10, 3))
    mesh = cps.Mesh(np.eye(3), [[0, 1, 2]])
    area = mesh.facts.area
    mesh.vertices = mesh.vertices.astype(np.float32)
    assert mesh.facts.area == area
    mesh.triangles = np.array([[0, 1, 1_000_000]])
    with pytest.raises(ValueError, match="out of range"):
        mesh.facts


def test_the_material_of_a_solid_is_given_as_in_a_scene():
    corners, one = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2, 3)]
    world = cps.World()
    assert world.add_solid(corners, one, density=500.0, young=1e4).info.mass == pytest.approx(500 / 6)
    with pytest.raises(TypeError, match="not by both"):
        world.add_solid(corners, one, density=500.0, matter={"young": 1e4})
    with pytest.raises(ValueError, match="no vertex 4"):
        world.solids[0].vertex(4)
    with pytest.raises(TypeError, match="expected a body"):
        world.add_load("solid", force=(0, 0, 1))


def test_the_solution_of_another_problem_is_not_written(tmp_path):
    # fewer numbers than the problem has rows were read beyond their end
    large, small = cps.generate("spheres", contacts=40), cps.generate("spheres", contacts=10)
    with pytest.raises(ValueError, match="expected 120 numbers, found 30"):
        large.save(tmp_path / "a.hdf5", small.solve())
    assert not list(tmp_path.iterdir())


def test_a_model_keeps_the_number_of_its_degrees_of_freedom():
    class Grows(cps.Model):
        dofs, q = 1, [0.5]

        def predict(self, step, q, v):
            self.dofs = 1000  # the library's arrays have one entry
            return np.eye(len(q)), np.zeros(len(q))

    world = cps.World()
    handle = world.add_model(Grows())
    world.step(3)
    q, v = handle.state
    assert q.shape == v.shape == (1,) and repr(handle) == "Grows(1 degrees of freedom)"
