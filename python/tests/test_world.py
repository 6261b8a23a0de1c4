"""Worlds built in code: closed forms, arrays, ties, threads, interruption."""

import copy
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import capstan as cps


def floor(**values):
    world = cps.World(**values)
    world.add_obstacle(cps.plane())
    return world


def test_a_box_stops_after_v2_over_2_mu_g():
    world = floor(step=1e-3, mu=0.25)
    box = world.add_body(cps.box((0.4, 0.4, 0.1)), position=(0, 0, 0.05), velocity=(1.0, 0, 0))
    said = world.step(1000)
    # implicit steps: the speed falls by mu g h a step, the last step takes what is left
    assert box.position[0] == pytest.approx(1.0 / (2 * 0.25 * 9.81), rel=3e-3)
    assert np.abs(box.velocity).max() < 1e-15 and said.unsolved_steps == 0
    assert world.energy.friction == pytest.approx(0.5 * box.state.mass, rel=5e-3)
    assert world.energy.error < 1e-12


def test_friction_by_a_function_of_python_is_that_of_the_number():
    seen = []

    def friction(contact):
        seen.append(contact.side[1].thing.kind)
        return 0.25

    hashes = []
    for settings in ({"mu": 0.25}, {"friction": friction}):
        world = floor(**settings)
        world.add_body(cps.sphere(0.1), position=(0, 0, 0.1), velocity=(1, 0, 0))
        world.step(50)
        hashes.append(world.hash)
    assert hashes[0] == hashes[1] and set(seen) == {"obstacle"}


def test_an_exception_in_a_function_ends_the_step_and_leaves_the_world():
    def friction(contact):
        raise LookupError("no such pair")

    world = floor(friction=friction)
    world.add_body(cps.sphere(0.1), position=(0, 0, 0.1))
    with pytest.raises(LookupError, match="no such pair"):
        world.step()
    world.configure(friction=lambda contact: 0.5)
    assert world.step().status == "ok"


def test_arrays_of_all_things_are_those_of_each():
    world = floor()
    for k in range(5):
        world.add_body(cps.sphere(0.1), position=(0.3 * k, 0, 0.5), velocity=(0, k, 0))
    world.add_fibre(length=0.3, elements=4, root={"kind": "clamped"}, root_pose=((0, 1, 1), (1, 0, 0, 0)))
    world.step(10)
    assert np.array_equal(world.bodies.positions, [body.position for body in world.bodies[:]])
    assert np.array_equal(world.bodies.velocities, [body.velocity for body in world.bodies[:]])
    assert world.bodies.array("orientation").shape == (5, 4)
    points = world.fibres[0].points()
    assert points.shape == (5, 3) and np.array_equal(world.fibres.positions, points)
    assert np.allclose(world.fibres[0].points(9)[[0, -1]], points[[0, -1]], atol=1e-12)


def test_arrays_set_what_they_read():
    world = floor(gravity=(0, 0, 0))
    for k in range(3):
        world.add_body(cps.sphere(0.1), position=(k, 0, 1))
    x = world.bodies.positions + (0, 0, 2)
    world.bodies.positions = x
    world.bodies.velocities = (0, 0, 1)
    assert np.allclose(world.bodies.positions, x, atol=1e-15) and np.all(world.bodies.velocities == (0, 0, 1))
    sheet = world.add_sheet([(0, 0, 3), (1, 0, 3), (0, 1, 3)], triangles=[(0, 1, 2)],
                            pins=[{"vertices": [0]}])
    sheet.vertices = sheet.vertices + [(0, 0, 0), (0, 0, 0.1), (0, 0, 0.1)]
    assert np.allclose(sheet.vertices[:, 2], (3, 3.1, 3.1))
    with pytest.raises(ValueError, match="vertex 0 of sheet 0 is held"):
        sheet.vertices = sheet.vertices + (0, 0, 1)
    with pytest.raises(ValueError, match="the array has 2 entries; the world needs 3"):
        world.bodies.positions = x[:2]
    with pytest.raises(ValueError, match="rows of 3 numbers"):
        world.bodies.velocities = [[1, 2]]
    with pytest.raises(ValueError, match="not finite"):
        world.bodies.set_array("angular-velocity", (0, 0, float("nan")))


def test_contacts_are_arrays_that_balance_the_weight():
    world = floor(step=1e-3)
    for k in range(4):
        world.add_body(cps.sphere(0.1), position=(0.5 * k, 0, 0.1))
    world.step(3)
    contacts = world.contacts
    weight = sum(body.state.mass for body in world.bodies[:]) * 9.81
    assert len(contacts) == 4 and set(contacts.status) == {"stick"}
    assert contacts.world_impulse.sum(axis=0) / 1e-3 == pytest.approx([0, 0, weight], abs=1e-9 * weight)
    assert contacts.point.shape == (4, 2, 3) and contacts.residual.max() < 1e-6


def test_the_frame_of_contacts_as_a_table():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    world = floor()
    world.add_body(cps.sphere(0.1), position=(0, 0, 0.1))
    world.step()
    table = world.contacts.to_dataframe()
    assert isinstance(table, pandas.DataFrame) and list(table["status"]) == ["stick"]


def test_a_pendulum_has_its_period():
    world = cps.World(step=1e-3, theta=0.5, tolerance=1e-12)
    length, start = 0.5, 0.02
    bob = world.add_body(cps.sphere(1e-3), position=(length * np.sin(start), 0, -length * np.cos(start)))
    world.add_tie(a=bob.at((0, 0, 0)), b=(length * np.sin(start), 0, -length * np.cos(start)))
    assert world.step(5).status == "ok" and np.allclose(bob.velocity, 0, atol=1e-12)
    world.ties[0].remove()
    world.add_tie("rod", a=bob.at(), b=(0, 0, 0))
    x, t = [], []
    for _ in range(1900):
        world.step()
        x.append(bob.position[0])
        t.append(world.time)
    x, t = np.array(x), np.array(t)
    crossing = [t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k]) for k in range(len(x) - 1) if x[k] > 0 >= x[k + 1]]
    assert crossing[1] - crossing[0] == pytest.approx(2 * np.pi * np.sqrt(length / 9.81), rel=1e-3)


def test_a_sheet_and_a_pull():
    n = 4
    grid = np.array([(0.1 * i, 0.1 * j, 1.0) for j in range(n) for i in range(n)])
    cells = [(j * n + i, j * n + i + 1, (j + 1) * n + i, (j + 1) * n + i + 1) for j in range(n - 1) for i in range(n - 1)]
    triangles = [t for a, b, c, d in cells for t in ((a, b, d), (a, d, c))]
    world = cps.World()
    sheet = world.add_sheet(grid, triangles, fabric="cotton", pins=[{"vertices": [0, n - 1]}])
    pull = world.add_pull(sheet.at(vertex=n * n - 1), force=(0.01, 0, 0))
    world.step(50)
    assert sheet.vertices.shape == (n * n, 3) and sheet.triangles.shape == (len(triangles), 3)
    assert np.array_equal(sheet.vertices[[0, n - 1]], grid[[0, n - 1]])
    assert sheet.vertices[n * n - 1, 2] < 1.0 and pull.force == pytest.approx([0.01, 0, 0])


def test_a_saved_state_goes_on_with_the_same_bits():
    world = floor()
    for k in range(3):
        world.add_body(cps.box((0.1, 0.1, 0.1)), position=(0.01 * k, 0, 0.06 + 0.11 * k))
    world.step(20)
    state = world.save()
    world.step(30)
    end = world.hash
    world.load(state)
    world.step(30)
    assert world.hash == end
    with pytest.raises(cps.BadFormat):
        world.load(state[:100])
    assert world.hash == end


@pytest.mark.parametrize("values, sentence", [
    ({"masss": 1.0}, "did you mean 'mass'"),
    ({"position": (0, 0)}, "position: expected 3 numbers, found 2"),
    ({"mass": -1.0}, "mass"),
    ({"shape": 3}, "shape"),
])
def test_what_is_wrong_is_said(values, sentence):
    world = cps.World()
    with pytest.raises((TypeError, ValueError), match=sentence):
        world.add_body(**{"shape": cps.sphere(0.1), **values})
    assert len(world.bodies) == 0


def test_things_that_were_removed_are_not_mistaken_for_others():
    world = cps.World()
    first = world.add_body(cps.sphere(0.1))
    first.remove()
    world.add_body(cps.sphere(0.2), position=(1, 0, 0))
    with pytest.raises(KeyError, match="removed"):
        first.position
    with pytest.raises(cps.Error):
        first.remove()


def heavy():
    """A pile that takes a while."""
    world = floor(step=2e-3)
    rng = np.random.default_rng(1)
    for k in range(400):
        world.add_body(cps.sphere(0.05), position=(*rng.uniform(-0.2, 0.2, 2), 0.06 + 0.03 * k))
    return world


def test_other_threads_run_during_a_step():
    world, done, ticks = heavy(), threading.Event(), [0]

    def count():
        while not done.is_set():
            ticks[0] += 1
            time.sleep(1e-4)

    thread = threading.Thread(target=count)
    thread.start()
    most = 0  # within one call; on a busy machine the other thread may have to wait for a processor
    for _ in range(10):
        before = ticks[0]
        world.step(40)
        most = max(most, ticks[0] - before)
        if most > 3:
            break
    done.set()
    thread.join()
    assert most > 3


def test_a_second_thread_is_refused():
    world, refused = heavy(), []

    def other():
        while not refused:
            try:
                world.configure(mu=0.5)
                time.sleep(1e-4)
            except RuntimeError as error:
                refused.append(str(error))
                return

    thread = threading.Thread(target=other)
    thread.start()
    end = time.monotonic() + 20.0  # on a busy machine the other thread may sleep through many steps
    while not refused and time.monotonic() < end:
        try:
            world.step(20)
        except RuntimeError:
            pass  # the other was first
    refused.append("")
    thread.join()
    assert "another thread" in refused[0]


def test_ctrl_c_ends_a_run():
    world = heavy()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs in the background
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        world.step(1_000_000)
    assert world.step().time > 0  # and it goes on


def test_a_cloud_of_points_is_a_shape():
    plane = cps.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    points, normals = plane.sample(0.05)
    assert len(points) == len(normals) > 200 and np.all(normals[:, 2] == 1)
    assert cps.points(points, normals).kind == "points"
    with pytest.raises(ValueError):
        cps.points(points, normals[1:])


def test_views_of_thousands_of_bodies_share_the_memory_of_the_world():
    world = floor(step=1e-3)
    for k in range(3000):
        world.add_body(cps.sphere(0.04), position=(0.1 * (k % 50), 0.1 * (k // 50), 0.05), velocity=(0, 0, 0.1 * (k % 7)))
    x, v, again = world.bodies.view("position"), world.bodies.view("velocity"), world.bodies.view("position")
    assert x.shape == v.shape == (3000, 3) and x.strides[0] == v.strides[0] > 24 and x.strides[1] == 8
    assert np.shares_memory(x, again) and not np.shares_memory(x, v)
    assert not np.shares_memory(x, world.bodies.positions) and not x.flags.writeable
    for _ in range(3):
        before = x.copy()
        world.step()
        assert np.array_equal(x, world.bodies.positions) and np.array_equal(v, world.bodies.velocities)
        assert np.all(x[1:, 2] != before[1:, 2])
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 0


def test_a_view_outlives_its_world_and_keeps_its_memory_in_place():
    world = floor()
    for k in range(4):
        world.add_body(cps.box((0.1, 0.1, 0.1)), position=(k, 0, 1))
    view = world.bodies.view("centre")[1:]
    first = world.bodies[0]
    with pytest.raises(BufferError, match="views of the world's memory"):
        world.add_body(cps.sphere(0.1))
    with pytest.raises(BufferError, match="delete them first"):
        first.remove()
    world.add_obstacle(cps.plane(), pose=((0, 0, -1), (1, 0, 0, 0)))  # moves no body
    world.step(5)
    expected = world.bodies.array("centre")[1:]
    del world, first
    assert np.array_equal(view, expected)
    world = floor()
    world.add_body(cps.sphere(0.1), position=(0, 0, 1))
    view = world.bodies.view("velocity")
    del view
    world.add_body(cps.sphere(0.1), position=(1, 0, 1))
    assert world.bodies.view("position").shape == (2, 3)


def test_numbers_that_are_not_stored_have_no_view():
    world = floor()
    off = world.add_body(cps.box((0.1, 0.1, 0.1)), position=(0, 0, 1), centre=(0.01, 0, 0))
    with pytest.raises(NotImplementedError, match="not stored at equal distances"):
        world.bodies.view("position")
    assert np.allclose(world.bodies.view("centre"), [(0.01, 0, 1)], atol=1e-15)
    assert np.array_equal(off.view("velocity"), [(0, 0, 0)])
    with pytest.raises(NotImplementedError):
        world.add_fibre(model="super-helix", length=0.3, elements=4).view("position")
    with pytest.raises(NotImplementedError, match="set positions"):
        world.bodies.set_array("centre", (0, 0, 0))
    assert world.sheets.view("position").shape == (0, 3)
    with pytest.raises(ValueError, match="not exist or lacks"):
        off.view("fraction")


@pytest.mark.parametrize("model", ["der", "der-inextensible", "der-projected", "mass-spring", "corde"])
@pytest.mark.parametrize("root", ["clamped", "free"])
def test_nodes_of_fibres_made_of_points_are_views(model, root):
    world = cps.World(step=1e-3)
    fibre = world.add_fibre(model=model, length=0.3, elements=6, root={"kind": root}, root_pose=((0, 1, 1), (1, 0, 0, 0)))
    x, v = fibre.view("position"), fibre.view("velocity")
    world.step(20)
    assert x.shape == (7, 3) and np.allclose(x, fibre.points(), rtol=0, atol=1e-15)
    assert np.allclose(v, fibre.world.fibres.velocities, rtol=0, atol=1e-15) and np.abs(v[-1]).max() > 0.01
    with pytest.raises(BufferError):
        fibre.trim(0.2)


def test_vertices_and_grains_are_views():
    world = floor(step=1e-3)
    sheet = world.add_sheet([(0, 0, 3), (1, 0, 3), (0, 1, 3)], triangles=[(0, 1, 2)])
    x = sheet.view("position")
    world.set_grid(cell=0.1)
    world.add_grains(lower=(2, 0, 0), upper=(2.3, 1, 0.3))
    grains = {name: world.grains.view(name) for name in ("position", "velocity", "fraction", "status")}
    world.step(3)
    assert np.array_equal(x, sheet.vertices) and x[0, 2] < 3
    for name, view in grains.items():
        assert np.array_equal(view, np.squeeze(world.grains.array(name))), name
    assert grains["status"].dtype == np.uint8 and len(grains["position"]) > 20


def test_impulses_and_statuses_of_contacts_are_views_until_the_next_step():
    world = floor(step=1e-3)
    for k in range(2000):
        world.add_body(cps.sphere(0.04), position=(0.1 * (k % 50), 0.1 * (k // 50), 0.04), velocity=(1, 0, 0))
    world.step(2)
    table = world.contacts.table
    assert len(table) == 2000
    for name in ("normal", "impulse", "velocity", "gap", "residual", "status", "island", "feature"):
        view = world.contact_view(name)
        assert np.array_equal(view, table[name]), name
        assert np.shares_memory(view, world.contact_view(name)) and view.strides[0] > view.itemsize * 4
        with pytest.raises(BufferError, match="kind 'contact'"):
            world.step()
        del view
        world.step(0)
    assert np.all(world.contact_view("status") == 2) and world.contact_view("impulse")[:, 0].min() > 0
    with pytest.raises(NotImplementedError, match="computed on demand"):
        world.contact_view("point")
    world.step()


def test_indices_counts_and_copies_that_make_no_sense_are_refused():
    world = cps.World()
    world.add_body(cps.sphere(0.1))
    assert world.bodies[-1].index == 0
    with pytest.raises(IndexError, match="body 1 does not exist: indices go from -1 to 0"):
        world.bodies[1]
    with pytest.raises(IndexError, match="fibre 0 does not exist: there are none"):
        world.fibres[0]
    with pytest.raises(ValueError, match="count: -3 must be at least 0"):
        world.step(-3)
    assert world.steps == 0
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="a World cannot be copied or pickled"):
            copied(world)


def test_objects_of_another_world_are_refused():
    here, there = cps.World(), cps.World()
    mine, other = here.add_body(cps.sphere(0.1)), there.add_body(cps.sphere(0.1))
    hook = there.add_obstacle(cps.sphere(0.1), pose=((0, 0, 1), (1, 0, 0, 0)))
    for add in (lambda: here.add_tie("point", a=mine.at(), b=other.at()), lambda: here.add_pull(other.at(), force=(0, 0, 1)),
                lambda: here.add_load(other, force=(0, 0, 1)), lambda: here.add_force(other.at(), lambda t, x, v: (0, 0, 0)),
                lambda: here.add_fibre(length=0.2, root={"kind": "clamped", "on": hook}),
                lambda: here.add_sheet(np.eye(3), [(0, 1, 2)], pins=[{"vertices": [0], "on": hook}])):
        with pytest.raises(ValueError, match="belongs to another world"):
            add()
    assert len(here.ties) == len(here.fibres) == len(here.sheets) == 0


def test_a_world_is_not_read_while_another_thread_steps_it():
    world = floor(step=1e-3)
    ball = world.add_body(cps.sphere(0.1), position=(0, 0, 1))
    inside, go_on, seen = threading.Event(), threading.Event(), []

    def wait(info):
        seen.append(ball.position[2])  # the thread that steps may look
        inside.set()
        go_on.wait()

    stepper = threading.Thread(target=lambda: world.step(2, progress=wait))
    stepper.start()
    inside.wait()
    try:
        for read in (lambda: ball.position, lambda: world.energy, lambda: world.contacts, lambda: world.bodies.positions, lambda: world.time):
            with pytest.raises(RuntimeError, match="in use by another thread"):
                read()
    finally:
        go_on.set()
        stepper.join()
    assert ball.position[2] < 1 and len(seen) == 2


def test_names_stay_with_their_objects_when_others_are_removed():
    text = """{obstacles: {floor: {plane: {}}, ball: {sphere: {radius: 1 cm}, position: [5, 0, 0]}},
      bodies: {a: {sphere: {radius: 1 cm}, position: [0, 0, 1]}, b: {sphere: {radius: 1 cm}, position: [1, 0, 1]},
               c: {sphere: {radius: 1 cm}, position: [2, 0, 1]}},
      ties: [{name: first, a: {body: b}}, {name: second, a: {body: c}}]}"""
    world = cps.Scene(text=text).build()
    world.bodies["a"].remove()
    world.obstacles["floor"].remove()
    world.ties["first"].remove()
    assert world.bodies["b"].position[0] == 1 and world.bodies["c"].position[0] == 2
    assert world.obstacles["ball"].pose.position[0] == 5 and world.ties["second"].exists
    for things, name in ((world.bodies, "a"), (world.obstacles, "floor"), (world.ties, "first")):
        with pytest.raises(KeyError, match=f"'{name}' was removed"):
            things[name]


def test_an_obstacle_is_placed_as_a_body_is():
    world = cps.World()
    turned = (0.8, 0.6, 0, 0)
    pose = world.add_obstacle(cps.sphere(0.1), position=(1, 2, 3), rotation=turned).pose
    assert pose.position == (1, 2, 3) and np.allclose(pose.rotation, turned)
    assert world.add_obstacle(cps.plane(), position=(0, 0, 1)).pose.rotation == (1, 0, 0, 0)
    with pytest.raises(TypeError, match="pose, or position and rotation, not both"):
        world.add_obstacle(cps.sphere(0.1), position=(1, 2, 3), pose=((0, 0, 0), turned))


def test_removed_objects_and_places_that_do_not_exist_are_refused(tmp_path, capfd):
    world = cps.World()
    rope = world.add_fibre(model="der", length=0.2, radius=1e-3, elements=4)
    with pytest.raises(ValueError, match="count: 1 must be at least 2"):
        rope.points(1)
    with pytest.raises(ValueError, match="not an arc length"):
        rope.point(float("nan"))
    with pytest.raises(cps.FileError, match="nowhere/rest.h5: .*No such file or directory"):
        world.write_rest(tmp_path / "nowhere" / "rest.h5")
    assert capfd.readouterr() == ("", "")  # the library prints nothing, HDF5 neither
    with pytest.raises(cps.BadArgument, match="has 0 bodies, .* 1 fibres, .* the scene 1, 0, 0,"):
        cps.Scene(text="bodies: {a: {sphere: {radius: 1}}}").save(world, tmp_path / "other.yaml")
    rope.remove()
    with pytest.raises(KeyError, match="fibre 0 was removed"):
        rope.points()
