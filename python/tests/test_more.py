"""What the C library can do beyond worlds of bodies: grains, inversion, ends and strains of fibres, meshes, hair, global problems."""

import pickle

import numpy as np
import pytest

import capstan as cps


def hanging(model="super-helix", **values):
    world = cps.World(step=1e-3)
    fibre = world.add_fibre(model=model, length=0.2, radius=5e-4, young=1e8, density=1000, elements=8,
                            root={"kind": "clamped"}, **values)
    return world, fibre


def test_an_inverted_fibre_stays_where_it_is():
    world, fibre = hanging()
    before = fibre.points(9)
    said = world.invert()
    assert said.inverted_count == 1 and world.last_inversion == said
    world.step(50)
    assert np.abs(fibre.points(9) - before).max() < 1e-9  # without the inversion it falls by more than a millimetre
    other, loose = hanging()
    other.step(50)
    assert np.abs(loose.points(9) - before).max() > 1e-3


def test_natural_strains_are_read_set_and_written_to_files(tmp_path):
    world, fibre = hanging()
    strains, lengths = fibre.natural
    assert strains.shape == (8, 3) and lengths.shape == (0,)
    fibre.set_natural(strains + [0.0, 3.0, 0.0])
    assert fibre.natural[0] == pytest.approx(strains + [0.0, 3.0, 0.0], abs=0)
    world.write_rest(tmp_path / "rest.h5")
    fibre.set_natural(strains)
    world.read_rest(tmp_path / "rest.h5")
    assert fibre.natural[0][:, 1] == pytest.approx(3.0, abs=0)
    facts = cps.describe_rest(tmp_path / "rest.h5")
    assert (facts.fibre_count, facts.strain_count, facts.length_count, facts.stiffened_count) == (1, 8, 0, 0)
    (tmp_path / "other.h5").write_text("no rest state")
    with pytest.raises(cps.BadFormat):
        cps.describe_rest(tmp_path / "other.h5")
    with pytest.raises(ValueError, match="expected an array of shape"):
        fibre.set_natural(np.zeros((7, 3)))


def test_residues_of_rest_lengths_are_set_after_the_lengths():
    world = cps.World()
    rod = world.add_fibre(model="der", length=0.2, radius=5e-4, young=1e8, density=1000, elements=8, root={"kind": "clamped"})
    residues = 1e-17 * rod.natural[1]
    rod.set_length_residues(residues)
    assert rod.length_residues == pytest.approx(residues, abs=0)
    with pytest.raises(cps.Error, match="no rounding of it"):
        rod.set_length_residues(np.full(8, 1e-3))
    with pytest.raises(ValueError, match="expected an array of shape"):
        rod.set_length_residues(np.zeros(3))
    rod.set_natural(lengths=rod.natural[1])
    assert not rod.length_residues.any()


def test_a_fibre_settles_where_time_would_bring_it_and_its_tension_is_the_weight_below():
    world, fibre = hanging()
    down = cps.World()
    rope = down.add_fibre(model="der", length=0.2, radius=5e-4, young=1e8, density=1000, elements=8,
                          root={"kind": "clamped"}, root_pose=((0, 0, 0), (0.7071067811865476, 0, 0.7071067811865476, 0)))
    assert rope.points(2)[1] == pytest.approx([0, 0, -0.2], abs=1e-12)
    assert rope.settle().stable
    weight = rope.info.mass * 9.81
    assert rope.tension(3) == pytest.approx([weight, weight / 2, 0], rel=0.13, abs=0.13 * weight)  # by segments: within one of 8
    assert fibre.stability.least_factor >= 0.0
    point = rope.point(0.1)
    assert point.position == pytest.approx((0, 0, -0.1), abs=1e-4) and point.velocity == (0, 0, 0)


def test_a_held_end_goes_where_it_is_moved():
    world, fibre = hanging()
    for k in range(20):
        fibre.move_end(0, (0, 0, 1e-3 * (k + 1)))
        world.step()
    assert fibre.end_pose(0).position == pytest.approx((0, 0, 0.02), abs=1e-12)
    assert fibre.points(2)[0] == pytest.approx([0, 0, 0.02], abs=1e-12)


def test_a_trimmed_fibre_keeps_its_handle():
    world, fibre = hanging()
    fibre.trim(0.1)
    assert fibre.exists and fibre.info.length == pytest.approx(0.1)


def test_a_spout_pours_grains_and_their_fields_are_arrays():
    world = cps.World(step=2e-3)
    world.add_obstacle(cps.plane())
    world.set_grid(cell=0.01, plane=True)
    sand = world.add_grains(rate=20.0, radius=0.02, centre=(0, 0, 0.1), velocity=(0, 0, -1), until=0.1)
    assert sand.info.mass == 0
    world.step(25)
    assert sand.info.mass == pytest.approx(20.0 * 0.05)
    assert sand.array("stress").shape == (len(sand), 6)
    assert set(sand.array("status").ravel()) <= {0, 1, 2}
    assert sand.mu != sand.mu  # nobody set it
    sand.mu = 0.3
    assert sand.mu == 0.3


def test_grains_weigh_on_their_floor():
    world = cps.World(step=1e-3)
    floor = world.add_obstacle(cps.plane())
    for x, turn in ((0.0, (0.7071067811865476, 0, 0.7071067811865476, 0)), (0.1, (0.7071067811865476, 0, -0.7071067811865476, 0))):
        world.add_obstacle(cps.plane(), pose=((x, 0, 0), turn), mu=0.0)
    world.set_grid(cell=0.02, plane=True)
    sand = world.add_grains(lower=(0, 0, 0), upper=(0.1, 0, 0.1))
    world.step(3)
    weight = sand.info.mass * 9.81
    assert floor.grains_force[2] == pytest.approx(-weight, rel=1e-6)
    assert sand.positions.shape == (len(sand), 3) and len(sand) == 100
    assert sand.room.buried == 0 and abs(sand.room.excess) < 1e-6
    world.add_grains(lower=(0, 0, 0), upper=(0.1, 0, 0.1))
    assert sand.room.densest == pytest.approx(1.0, abs=1e-6)
    # pressure grows with depth
    deep = {cell.centre[2]: cell.pressure for cell in sand.cells}
    heights = sorted(deep)
    assert deep[heights[0]] > deep[heights[-1]] >= 0


def test_a_force_of_python_is_that_of_a_pull():
    ends = []
    for forced in (True, False):
        world = cps.World(step=1e-3, gravity=(0, 0, 0))
        ball = world.add_body(cps.sphere(0.1), mass=2.0)
        if forced:
            world.add_force(ball.at(), lambda t, x, v: (4.0, 0, 0))
        else:
            world.add_pull(ball.at(), force=(4.0, 0, 0))
        world.step(100)
        ends.append(ball.position)
    assert np.array_equal(*ends)
    assert ends[0][0] == pytest.approx(0.5 * 2.0 * 0.1**2, rel=0.02)  # x = a t²/2, with implicit steps


def test_a_spring_of_python_swings_with_its_period():
    world = cps.World(step=1e-3, gravity=(0, 0, 0))
    ball = world.add_body(cps.sphere(0.1), mass=1.0, position=(0.1, 0, 0))
    k = (2 * np.pi) ** 2  # a period of one second
    world.add_force(ball.at(), lambda t, x, v: -k * x)
    world.step(250)
    assert ball.position[0] == pytest.approx(0, abs=1e-3)  # a quarter later it is in the middle, to one step of its way
    with pytest.raises(ZeroDivisionError):
        world.add_force(ball.at(), lambda t, x, v: 1 / 0)
        world.step()


def test_contacts_as_arrays_are_those_of_the_table():
    world = cps.World()
    world.add_obstacle(cps.plane())
    world.add_body(cps.box((0.1, 0.1, 0.1)), position=(0, 0, 0.05))
    world.step()
    contacts = world.contacts
    assert np.array_equal(world.contact_array("normal"), contacts.normal)
    assert world.contact_array("impulse") == pytest.approx(contacts.world_impulse, abs=1e-15)
    assert world.contact_array("status").ravel().tolist() == [1] * 4
    assert world.contact_array("thing").shape == (4, 6) and set(contacts.kind.ravel()) == {"body", "obstacle"}
    with pytest.raises(ValueError, match="there is no 'impulses'"):
        world.contact_array("impulses")


def test_the_global_form_is_the_local_one():
    scipy = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(3)
    M = np.diag(random.uniform(1, 2, 6))
    H, f, w = random.normal(size=(6, 6)), random.normal(size=6), random.normal(size=6)
    problem = cps.Problem.from_global(scipy.csc_matrix(M), scipy.csr_matrix(H), f, w, mu=0.4)
    local = cps.Problem(H @ np.linalg.inv(M) @ H.T, w + H @ np.linalg.inv(M) @ f, mu=0.4)
    r = problem.solve(tol=1e-12).r
    assert local.residual(r).natural < 1e-10
    assert H @ problem.dof_velocity(r) + w == pytest.approx(problem.velocity(r), abs=1e-12)
    bodies = cps.Problem.from_bodies([6], [[(0, (H / np.sqrt(np.diag(M)))[:3])], [(0, (H / np.sqrt(np.diag(M)))[3:])]],
                                     w + H @ np.linalg.inv(M) @ f, mu=0.4)
    assert bodies.W.toarray() == pytest.approx(local.W.toarray(), abs=1e-12)
    statuses, far = problem.contacts(r, 1e-9)
    assert len(statuses) == 2 and far.max() < 1e-9 and problem.identities(r).cone < 1e-9
    for bad in ({"f": f[:5]}, {"w": w[:5]}):
        with pytest.raises(ValueError, match="expected"):
            cps.Problem.from_global(**{"M": M, "H": H, "f": f, "w": w, "mu": 0.4, **bad})


def test_a_workspace_gives_the_same_bits_and_files_keep_solutions(tmp_path):
    problem, workspace = cps.generate("stack", contacts=30), cps.Workspace()
    first = problem.solve(workspace=workspace)
    again = problem.solve(workspace=workspace)
    assert np.array_equal(first.r, again.r) and np.array_equal(first.r, problem.solve().r)
    problem.save(tmp_path / "stack.hdf5", first)
    r, u = cps.read_fclib_solution(tmp_path / "stack.hdf5", problem)
    assert np.array_equal(r, first.r) and u == pytest.approx(first.u)
    assert problem.islands().max() + 1 == problem.describe().island_count
    assert set(problem.laws) == {"coulomb"} and problem.has_W in (True, False)


def test_meshes_are_read_filled_and_written(tmp_path):
    points, triangles = cps.box((1, 1, 1)).triangles()
    points, inverse = np.unique(points.round(12), axis=0, return_inverse=True)
    cube = cps.Mesh(points, inverse.ravel()[triangles])
    assert cube.facts.closed and cube.facts.volume == pytest.approx(1.0)
    solid, far = cube.fill(0.25)
    assert solid.facts.volume == pytest.approx(1.0, rel=0.1) and far < 0.25
    solid.write(tmp_path / "cube.msh")
    again = cps.read_mesh(tmp_path / "cube.msh")
    assert np.array_equal(again.tetrahedra, solid.tetrahedra) and again.vertices == pytest.approx(solid.vertices)
    with pytest.raises(ValueError, match="out of range"):
        cps.Mesh(points, [[0, 1, 99]])


def test_hair_is_written_read_and_fitted(tmp_path):
    turn = np.linspace(0, 2 * np.pi, 60)
    helix = np.c_[0.02 * np.cos(turn), 0.02 * np.sin(turn), 0.01 * turn]
    cps.Hair([helix, helix[:, [1, 0, 2]] + 1], diameter=1e-4).write(tmp_path / "a.hair")
    hair = cps.read_hair(tmp_path / "a.hair")
    assert len(hair) == 2 and hair.strands[0] == pytest.approx(helix, abs=1e-6)
    assert hair.facts.points_max == 60
    (tmp_path / "a.yaml").write_text("fibres: {a: {hair: {file: a.hair}, elements: 4}, b: {length: 0.1, radius: 0.1 mm}}")
    scene = cps.Scene(tmp_path / "a.yaml")
    apart = cps.fit_rod(hair.strands[0], 4).fit
    assert scene.fibre_fit(0) == pytest.approx((apart.mean, apart.max), rel=1e-9) and apart.max > 0
    assert scene.fibre_fit(2) is None and scene.fibre_fit(-1) is None
    for tangents in (False, True):
        rod = cps.fit_rod(helix, 12, tangents)
        assert rod.fit.max < 1e-4 and rod.curvature.shape == (12, 3)  # a helix has constant curvature: any rod of elements fits
        for one in cps.fit_rods([helix, helix[:20]], 12, tangents, threads=2)[:1]:
            assert (one.curvature == rod.curvature).all() and one.fit.max == rod.fit.max
    world = cps.World()
    fibre = world.add_fibre(model="super-helix", elements=12, length=rod.fit.length, radius=5e-5, curvature=rod.table(),
                            root={"kind": "clamped"}, root_pose=(rod.fit.root.position, rod.fit.root.rotation))
    assert fibre.points(2)[1] == pytest.approx(helix[-1], abs=1e-3)


def test_records_show_what_they_hold():
    world = cps.World()
    world.add_obstacle(cps.plane())
    world.add_body(cps.sphere(0.1), position=(0, 0, 0.1))
    info = world.step()
    assert "contacts=1" in repr(info) and "contacts" in info._repr_html_()
    assert "none" not in repr(info) and "none" not in info._repr_html_()  # what lies deepest, where nothing overlaps
    world.add_body(cps.sphere(0.1), position=(0.19, 0, 0.1))
    deep = world.step()
    assert deep.deepest.depth > 0 and "Overlap(side=" in repr(deep) and "deepest" in deep._repr_html_()


def test_a_result_and_a_world_show_themselves(scenes):
    scene = cps.Scene(scenes / "tower.yaml", {"time.end": "0.02 s"})
    world = scene.build()
    result = scene.run("tower.h5")
    assert "tower" in scene._repr_html_() and "contacts" in world.contacts._repr_html_()
    world.step(2)
    assert "bodies" in world._repr_html_() and "0.002 s" in world._repr_html_()
    problem = cps.generate("stack", contact_count=20)
    assert "coulomb" in problem._repr_html_() and "matrix-free" in problem._repr_html_()
    assert problem.solve(method="proximal").info.local == "none"  # it was called "count"
    picture = result.picture(width=64, height=36)
    assert picture.shape == (36, 64, 3) and picture._repr_png_().startswith(b"\x89PNG")
    assert scene.picture(world, width=64, height=36).shape == (36, 64, 3)
    assert "data:image/png;base64," in result._repr_html_()
    result.load_frame(-1, world)
    assert world.time == pytest.approx(0.02)


def test_what_comes_from_files_is_escaped_in_notebooks(tmp_path):
    scene = cps.Scene(text="title: <script>alert(1)</script>\ntime: {end: 1 ms}\nbodies: {a: {sphere: {radius: 1 cm}}}\n")
    assert "<script>" not in scene._repr_html_() and "&lt;script&gt;" in scene._repr_html_()


def test_charts_are_those_of_the_command(scenes):
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    from capstan.plots import CHARTS

    source = (scenes.parent / "src" / "cli" / "cmd_plot.c").read_text()
    for name, (label, _, _) in CHARTS.items():
        assert f'{{"{name}",' in source and f'"{label}"' in source
    result = cps.Scene(scenes / "tower.yaml", {"time.end": "0.02 s"}).run("tower.h5")
    for name in ("energy", "contacts", "residual"):
        ax = result.plot(name, ax=plt.figure().gca())
        assert ax.get_ylabel() == CHARTS[name][0] and len(ax.lines) >= 1
    ax = cps.performance_profile({"a": [1.0, 2.0], "b": [2.0, float("nan")]}, plt.figure().gca())
    assert [line.get_label() for line in ax.lines] == ["a", "b"]
    plt.close("all")


def test_progress_goes_to_its_end(capsys):
    world = cps.World()
    world.add_body(cps.sphere(0.1))
    world.step(20, progress=True)
    assert capsys.readouterr().err.endswith("100.0 %\n")


def test_a_viewer_serves_to_frames_of_this_machine(scenes):
    import urllib.request

    with cps.Scene(scenes / "tower.yaml", {"time.end": "0.02 s"}).view() as viewer:
        assert viewer.url.startswith("http://127.0.0.1:") and "token=" in viewer.url
        assert viewer.url.split("?")[0] in viewer._repr_html_()
        try:
            head = urllib.request.urlopen(viewer.url).headers
            assert "frame-ancestors http://localhost:* http://127.0.0.1:*" in head["content-security-policy"]
            assert head["x-frame-options"] is None
        except urllib.error.HTTPError as error:
            assert error.code == 404  # a build without the page
    assert viewer._process.poll() == 0
    with pytest.raises(cps.FileError, match="nothing.yaml"):
        cps.Viewer("nothing.yaml")


class Pendulum(cps.Model):
    dofs, q, radius = 1, [-1.0], [0.1]

    def predict(self, step, q, v):
        hook = 9.81 * np.cos(q[0])
        h = step.h * step.theta
        return [[1.0 + h * h * hook]], [step.h * (-9.81 * np.sin(q[0]) - h * hook * v[0])]

    def place(self, q, ball):
        return (np.sin(q[0]), 0, 1.12 - np.cos(q[0])), [[np.cos(q[0])], [0], [np.sin(q[0])]]

    def energy(self, gravity, q, v):
        return 0.5 * v[0] ** 2, 9.81 * (1.12 - np.cos(q[0]))


def test_a_model_of_python_pushes_a_box():
    world = cps.World(step=2e-3, mu=0.5)
    world.add_obstacle(cps.plane())
    box = world.add_body(cps.box((0.2, 0.2, 0.24)), position=(0.201, 0, 0.12), mass=1.0)
    pendulum = world.add_model(Pendulum(), restitution=1.0)
    world.step(620)
    # equal masses exchange their velocities, sqrt(2 g (1 - cos 1)) = 3 m/s; then the box slides until friction stops it
    assert box.position[0] - 0.201 == pytest.approx((1 - np.cos(1.0)) / 0.5, rel=0.02)
    q, v = pendulum.state
    assert pendulum.positions[0] == pytest.approx([np.sin(q[0]), 0, 1.12 - np.cos(q[0])])
    assert world.energy.error < 1e-9
    pendulum.set_state(q=[0.5], v=[0])
    assert pendulum.state[0] == 0.5


def test_a_model_that_fails_ends_the_step_with_its_exception():
    class Wrong(Pendulum):
        def predict(self, step, q, v):
            return ([[1.0]], [0.0, 1.0]) if self.shape else [][1]

    for shape, kind in ((True, ValueError), (False, IndexError)):
        Wrong.shape = shape
        world = cps.World()
        world.add_model(Wrong())
        with pytest.raises(kind):
            world.step()
        assert world.time == 0
    with pytest.raises(ValueError, match="expected 1 numbers"):
        Wrong.q = [1, 2]
        cps.World().add_model(Wrong())


def test_grains_push_a_body_as_its_motion_says():
    world = cps.World(step=1e-3)
    world.add_obstacle(cps.plane())
    for x, turn in ((0.0, (0.7071067811865476, 0, 0.7071067811865476, 0)), (0.2, (0.7071067811865476, 0, -0.7071067811865476, 0))):
        world.add_obstacle(cps.plane(), pose=((x, 0, 0), turn), mu=0.0)
    world.set_grid(cell=0.02, plane=True)
    world.add_grains(lower=(0, 0, 0), upper=(0.2, 0, 0.1))
    log = world.add_body(cps.cylinder(0.03, 1.0), position=(0.1, 0, 0.125), rotation=(0.7071067811865476, 0.7071067811865476, 0, 0),
                         velocity=(0, 0, -1.0), mass=2.0)
    world.step(9)
    before = log.velocity[2]
    world.step()
    push = log.grains_force[2]
    assert push > 2.0 * 9.81  # the sand stops it
    assert push == pytest.approx(2.0 * ((log.velocity[2] - before) / 1e-3 + 9.81), rel=1e-6)


def test_a_flow_without_friction_is_hydrostatic():
    world = cps.World(step=1e-2, solver={"tolerance": 1e-10})
    flow = world.add_flow(lower=(0, 0, 0), upper=(0.1, 0, 0.2), cells_x=4, cells_z=8, mu=0.0, viscosity=1.0,
                          left={"kind": "slip"}, right={"kind": "slip"}, bottom={"kind": "no-slip"})
    world.step(3)
    for point in flow.points:
        assert point.pressure == pytest.approx(2600 * 0.6 * 9.81 * (0.2 - point.place[2]), abs=1e-4 * 2600 * 0.6 * 9.81 * 0.2)
    assert len(flow) == len(flow.points) == flow.array("position").shape[0]
    with pytest.raises(TypeError, match="the side 'top' has no 'presure'"):
        world.add_flow(top={"presure": 1.0})


def test_what_a_problem_has_not_is_none():
    world = cps.World(step=1e-3)
    world.add_obstacle(cps.plane())
    world.add_body(cps.sphere(0.1), position=(0, 0, 0.1))
    world.step()
    problem, _ = world.problem()
    assert problem.dashpot is None and problem.cohesion is None


def test_tables_show_six_digits():
    world = cps.World()
    ball = world.add_body(cps.sphere(0.1), position=(1 / 3, 0, 0.1))
    shown = ball.state._repr_html_()
    assert "0.333333," in shown and "0.3333333" not in shown


def test_a_word_stands_for_a_struct_that_has_a_kind():
    world = cps.World()
    fibre = world.add_fibre(length=0.1, root="clamped")
    held = world.add_fibre(length=0.1, root={"kind": "clamped"})
    world.step(20)
    assert np.array_equal(fibre.points(), held.points())
    with pytest.raises(ValueError, match="there is no 'clampd'; did you mean 'clamped'"):
        world.add_fibre(length=0.1, root="clampd")


def test_contacts_are_selected_like_the_rows_of_an_array():
    world = cps.World(mu=0.5)
    world.add_obstacle(cps.plane())
    for i in range(4):
        world.add_body(cps.sphere(0.1), position=(i, 0, 0.1), velocity=(float(i > 1), 0, 0))
    world.step()
    contacts = world.contacts
    sliding = contacts[contacts.status == "slide"]
    assert isinstance(sliding, cps.Contacts) and len(contacts) == 4 and len(sliding) == 2
    assert sliding.index[:, 0].tolist() == [2, 3] and len(sliding.to_dataframe()) == 2
    assert len(contacts[:3]) == 3 and contacts[-1].index[0, 0] == 3 and [len(one) for one in contacts] == [1, 1, 1, 1]
    with pytest.raises(IndexError):
        contacts[4]


def test_what_other_processes_need_can_be_pickled():
    problem = cps.generate("spheres", contacts=30)
    solution = problem.solve()
    again = pickle.loads(pickle.dumps(solution))
    assert np.array_equal(again.r, solution.r) and np.array_equal(again.u, solution.u) and again.info == solution.info
    assert (again.problem.W != problem.W).nnz == 0 and np.array_equal(again.problem.b, problem.b) and again.problem.solve().solved
    shape = cps.compound(cps.sphere(0.1), {"shape": cps.box((1, 1, 1)), "pose": (1, 0, 0)})
    assert pickle.loads(pickle.dumps(shape)).mass_properties() == shape.mass_properties()
    text = "bodies: {ball: {sphere: {radius: 1}, velocity: [1, 0, 0]}}\ntime: {step: 1 ms, end: 1}\n"
    scene = pickle.loads(pickle.dumps(cps.Scene(text=text, overrides={"time.end": "5 ms"})))
    assert scene.info.end == 0.005
    result = pickle.loads(pickle.dumps(scene.run("ball.h5")))
    assert result.info.finished and len(result.bodies["ball"].positions) == len(result)
    fabric = cps.files.find_fabric("cotton")
    assert repr(pickle.loads(pickle.dumps(cps.Fabric(fabric))).values) == repr(cps.Fabric(fabric).values)
    with pytest.raises(TypeError, match="a World cannot be copied or pickled"):
        pickle.dumps(cps.World())


def test_mistakes_name_what_was_expected():
    with pytest.raises(TypeError, match=r"gravity: expected 3 numbers, found 9\.81"):
        cps.World(gravity=9.81)
    with pytest.raises(ValueError, match="unknown one-contact solver 'enumm'; did you mean 'enum'"):
        cps.generate("stack", contacts=5).solve("gs", local="enumm")
    with pytest.raises(IndexError, match="body 2 does not exist: there are none"):
        cps.World().bodies[2]
    with pytest.raises(TypeError, match=r"a body: shape: expected a shape, such as capstan\.sphere\(0\.1\), found 'sphere'"):
        cps.World().add_body("sphere")
    with pytest.raises(TypeError, match="expected real numbers, found complex ones"):
        cps.Problem(W=np.eye(3) * 1j, b=[-1, 2, 0], mu=0.5)
    with pytest.raises(TypeError, match="b: expected real numbers, found complex ones"):
        cps.Problem(W=np.eye(3), b=[-1, 2j, 0], mu=0.5)


def test_a_point_is_given_as_its_kind_of_object_needs():
    """An arc length given as `point` was taken for the root of the fibre, one given for a body for its centre."""
    world = cps.World()
    rope = world.add_fibre(points=[(0, 0, 0), (1, 0, 0)], radius=1e-3, root="clamped")
    ball = world.add_body(cps.sphere(0.1), position=(0, 0, 2))
    cloth = world.add_sheet([(0, 5, 0), (1, 5, 0), (0, 6, 0)], [(0, 1, 2)])
    for make, sentence in ((lambda: rope.at((0.5, 0, 0)), r"a point of a fibre is given by its arc length in metres, as at\(s=0\.1\)"),
                           (lambda: ball.at(s=0.5), r"a point of a body is given in its own axes, as at\(\(x, y, z\)\)"),
                           (lambda: cloth.at(2), r"a point of a sheet is given by the number of a vertex, as at\(vertex=7\)"),
                           (lambda: world.add_pull(ball, force=(0, 0, 1)), "Body.* is not a point: give thing.at"),
                           (lambda: world.add_tie(a=ball.at(), b=5), "5 is not a point: give thing.at")):
        with pytest.raises(TypeError, match=sentence):
            make()
    assert rope.at(s=0.5).position == pytest.approx((0.5, 0, 0)) and ball.at().position == pytest.approx((0, 0, 2))


def test_contacts_of_several_frames_and_names_of_charts(tmp_path):
    text = "obstacles: {floor: {plane: {}}}\nbodies: {ball: {sphere: {radius: 1 cm}, position: [0, 0, 0.01]}}\ntime: {step: 1 ms, end: 4 ms}\noutput: {frames: 1000 Hz}\n"
    result = cps.Scene(text=text).run(tmp_path / "ball.h5")
    assert [len(contacts) for contacts in result.contacts[1:3]] == [len(result.contacts[1]), len(result.contacts[2])]
    with pytest.raises(cps.BadArgument, match="there is no chart 'enrgy'; did you mean 'energy'"):
        result.plot("enrgy")


def test_ties_hold_points_between_vertices():
    world = cps.World(gravity=(0, 0, -9.81), step=1e-3)
    x = np.array([[i * 0.1, 0, -j * 0.1] for j in range(3) for i in range(3)])
    cells = [(0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (3, 4, 7), (3, 7, 6), (4, 5, 8), (4, 8, 7)]
    cloth = world.add_sheet(vertices=x, triangles=cells, stretch=(2e4, 2e4))
    point = cloth.nearest((0.12, 0, -0.01))
    assert set(point.vertices) == {1, 2, 5} and sum(point.vertices.values()) == pytest.approx(1)
    assert point.position == pytest.approx((0.12, 0, -0.01), abs=1e-12)
    tie = world.add_tie(a=point)
    world.add_tie("rod", a=cloth.at(vertices={3: 0.5, 4: 0.5}), b=(0.05, 0, 0.4))
    for _ in range(200):
        world.step()
    assert tie.state.apart < 1e-6 and point.position == pytest.approx((0.12, 0, -0.01), abs=1e-5)
    for make, sentence in ((lambda: cloth.at(vertex=1, vertices={1: 1}), "it has no other place"),
                           (lambda: cloth.at(vertices={}), "1 to 4 vertices, not 0"),
                           (lambda: world.add_tie(a=cloth.at(vertices={0: 0.5, 8: 0.5})), "no triangle in common"),
                           (lambda: world.add_pull(point, force=(0, 0, 1)), "not between vertices")):
        with pytest.raises((TypeError, ValueError, cps.Error), match=sentence):
            make()
