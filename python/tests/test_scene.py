"""Scenes and results."""

import threading

import numpy as np
import pytest

import capstan as cps



def test_a_scene_of_the_project_builds_the_world_that_the_command_runs(scenes):
    scene = cps.Scene(scenes / "arch.yaml")
    world = scene.build()
    assert len(world.bodies) == scene.info.bodies and world.bodies[scene.names("body")[0]].index == 0
    assert world.step(2).status == "ok"
    with pytest.raises(KeyError, match="there is no body"):
        world.bodies["no such stone"]


def test_overrides_and_mistakes(scenes, tmp_path):
    assert cps.Scene(scenes / "arch.yaml", {"time.end": "7 s"}).info.end == 7.0
    (tmp_path / "bad.yaml").write_text("title: x\nbodies:\n  a: {sphere: {radius: -1}}\n  b: {spere: {}}\n")
    with pytest.raises(cps.Error, match=r"bad.yaml:\d+:\d+") as caught:
        cps.Scene("bad.yaml")
    assert len(caught.value.mistakes) >= 2
    with pytest.raises(cps.FileError):
        cps.Scene("absent.yaml")


def test_overrides_are_values_of_python():
    text = "bodies: {a: {sphere: {radius: 0.1}}}"
    scene = cps.Scene(text=text, overrides={"bodies.a.position": (1, 2.5, 3), "bodies.a.velocity": np.array([1.0, 0, 0]),
                                            "bodies.a.fixed_rotation": True, "contact": {"mu": 0.25}, "time.end": 0.1})
    body = scene.build().bodies["a"]
    assert body.position == pytest.approx([1, 2.5, 3]) and body.velocity == pytest.approx([1, 0, 0]) and scene.info.end == 0.1
    with pytest.raises(cps.BadFormat, match="expected true or false"):
        cps.Scene(text=text, overrides={"bodies.a.fixed_rotation": 2})


def test_packaged_scenes_are_found_by_name(scenes, tmp_path):
    assert cps.Scene("arch").info.bodies == cps.Scene(scenes / "arch.yaml").info.bodies
    with pytest.raises(cps.FileError, match="no such file or packaged scene; did you mean 'arch'?"):
        cps.Scene("arhc")
    # a file of this name comes first
    (tmp_path / "arch").write_text("bodies: {ball: {sphere: {radius: 0.1}}}")
    assert cps.Scene("arch").info.bodies == 1


def test_strands_without_a_shape_are_told(tmp_path):
    cps.Hair([[(0, 0, 0), (0, 0, -0.1)], [(0.1, 0, 0), (0.1, 0, 0)]]).write(tmp_path / "two.hair")
    scene = cps.Scene(text="fibres: {hair: {hair: {file: two.hair}, radius: 50 um, root: clamped}}")
    [lost] = scene.skipped
    assert (lost.fibres, lost.file, lost.strand, lost.finite) == ("hair", "two.hair", 1, True)
    assert scene.info.fibres == 1


def test_a_run_is_a_result_with_arrays(scenes):
    result = cps.Scene(scenes / "tower.yaml", {"time.end": "0.1 s"}).run("tower.h5")
    info = result.info
    assert info.finished and len(result) == info.frames and result.times[0] == 0 and result.times[-1] == pytest.approx(0.1)
    name = result.bodies.keys()[0]
    group = result.bodies[name]
    assert group.positions.shape == (len(result), len(group), 3)
    assert np.allclose(np.linalg.norm(group.rotations, axis=-1), 1)
    assert len(result.series("kinetic")) == info.steps and (result.series("residual") < 1e-5).all()
    with pytest.raises(cps.BadArgument, match="kinetic"):
        result.series("kinetics")
    assert result.contacts[-1].residual.size == result.series("contacts")[-1]


def test_a_sheet_of_a_result_falls_from_frame_to_frame():
    text = "sheets: {cloth: {grid: {size: [0.2, 0.2], cells: [2, 2]}, fabric: cotton}}\ntime: {step: 5 ms, end: 0.1 s}\noutput: {frames: 50 Hz}"
    result = cps.Scene(text=text).run("falls.h5")
    heights = result.sheets["cloth"].vertices[:, :, 2]
    # every vertex with the speed -g t of implicit Euler: -g h^2 n (n + 1) / 2 after n steps
    steps = np.rint(result.times / 5e-3)
    assert heights == pytest.approx(np.repeat(-9.81 * 25e-6 * (steps * (steps + 1) / 2)[:, None], 9, axis=1), rel=1e-6, abs=1e-9)


def test_threads_may_read_one_result():
    text = "bodies: {a: {sphere: {radius: 0.1}, grid: {count: [20, 20, 1], spacing: 0.3}}}\ntime: {end: 0.1 s}\noutput: {frames: 200 Hz}"
    result = cps.Scene(text=text).run("many.h5")
    expected, wrong = result.bodies["a"].positions, []

    def read():
        try:
            wrong.extend(1 for _ in range(10) if not np.array_equal(result.bodies["a"].positions, expected))
        except Exception as error:
            wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_fibres_of_a_result(scenes):
    result = cps.Scene(scenes / "lock.yaml", {"time.end": "20 ms"}).run("lock.h5")
    name = result.fibres.keys()[0]
    points = result.fibres[name].points
    assert points.ndim == 4 and points.shape[0] == len(result) and points.shape[3] == 3
    one = result.fibres[f"{name}[1]"].points
    assert np.array_equal(one[:, 0], points[:, 1])


def test_the_same_bits_as_the_world(scenes):
    scene = cps.Scene(scenes / "tower.yaml", {"time.end": "0.05 s"})
    world = scene.build()
    world.run(0.05)
    assert scene.run("a.h5").info.hash == world.hash


def test_exports_and_pictures(scenes):
    result = cps.Scene(scenes / "tower.yaml", {"time.end": "0.02 s"}).run("tower.h5")
    assert result.export("tower.glb").bytes > 1000
    with pytest.raises(cps.Error, match="no format"):
        result.export("tower.xyz")
    try:
        picture = result.picture(0, width=80, height=60, samples=1)
    except cps.Unsupported as reason:
        pytest.skip(str(reason))
    assert picture.shape == (60, 80, 3) and picture.std() > 1
    assert result._repr_png_().startswith(b"\x89PNG")


def test_plots(scenes):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    result = cps.Scene(scenes / "tower.yaml", {"time.end": "0.02 s"}).run("tower.h5")
    axes = result.plot("kinetic", "potential")
    assert [line.get_label() for line in axes.lines] == ["kinetic", "potential"]


def test_damaged_files_are_refused(tmp_path):
    (tmp_path / "bad.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(200))
    with pytest.raises(cps.Error):
        cps.Result("bad.h5")
    with pytest.raises(cps.FileError):
        cps.Result("absent.h5")


def test_the_table_of_a_sweep_is_read(tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "table.csv").write_text('case,mu,model,"way:block"\n1,0.1,der,0.5\n2,0.2,"a,b",nan\n')
    sweep = cps.read_sweep("study")
    assert len(sweep) == 2 and sweep.columns == ["case", "mu", "model", "way:block"]
    assert sweep["mu"].tolist() == [0.1, 0.2] and sweep["model"].tolist() == ["der", "a,b"]
    assert sweep["way:block"][0] == 0.5 and np.isnan(sweep["way:block"][1])
    with pytest.raises(cps.FileError, match="sweep --table -o absent"):
        cps.read_sweep("absent")
