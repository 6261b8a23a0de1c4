"""Problems and their solvers."""

import numpy as np
import pytest

import capstan as cps

sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")


def pushed(push, mu=0.5):
    """A mass of 1 kg on a floor, weight 10 N·s, pushed sideways."""
    return cps.Problem(sparse.identity(3), [-10.0, push, 0.0], mu)


@pytest.mark.parametrize("push, r, u", [
    (3.0, (10, -3, 0), (0, 0, 0)),    # sticks
    (8.0, (10, -5, 0), (0, 3, 0)),    # slides: mu r_N = 5
])
def test_one_contact_by_hand(push, r, u):
    solution = pushed(push).solve(tol=1e-12)
    assert solution.solved and solution.r == pytest.approx(r, abs=1e-10) and solution.u == pytest.approx(u, abs=1e-10)


def test_w_comes_out_as_it_went_in_and_dense_is_as_good():
    problem = cps.generate("spheres", contacts=60)
    W = problem.W
    assert W.shape == (problem.row_count, problem.row_count) and abs(W - W.T).max() < 1e-12 * abs(W).max()
    again = cps.Problem(W, problem.b, problem.mu)
    dense = cps.Problem(W.toarray(), problem.b, problem.mu)
    assert abs(again.W - W).max() == 0 and abs(dense.W - W).max() == 0
    r = again.solve(tol=1e-10).r
    assert again.velocity(r) == pytest.approx(W @ r + problem.b, abs=1e-12 * abs(problem.b).max())


def test_a_file_keeps_problem_and_bits(tmp_path):
    problem = cps.generate("fibres", contacts=50, form="w")
    solution = problem.solve(tol=1e-10)
    problem.save(tmp_path / "p.hdf5", solution, title="fifty")
    back = cps.read_fclib(tmp_path / "p.hdf5")
    assert np.array_equal(back.b, problem.b) and abs(back.W - problem.W).max() == 0
    with pytest.raises(cps.FileError, match="absent"):
        cps.read_fclib(tmp_path / "absent.hdf5")
    (tmp_path / "text.hdf5").write_text("no HDF5")
    with pytest.raises(cps.BadFormat):
        cps.read_fclib(tmp_path / "text.hdf5")


def test_arrays_of_the_problem_outlive_it():
    b = cps.generate("spheres", contacts=40).b
    assert np.isfinite(b).all() and not b.flags.writeable


def test_methods_agree_and_a_wrong_one_is_named():
    problem = cps.generate("stack", contacts=40)
    speeds = [problem.solve(method, tol=1e-9).u for method in ("gs", "newton-ac", "proximal")]
    assert speeds[1] == pytest.approx(speeds[0], abs=1e-5) and speeds[2] == pytest.approx(speeds[0], abs=1e-5)
    with pytest.raises(ValueError, match="did you mean 'proximal'"):
        problem.solve("proximall")
    assert {"gs", "auto"} <= {method["name"] for method in cps.methods()}


def test_the_tolerance_is_given_once():
    problem = cps.generate("spheres", contacts=20)
    assert problem.solve(tolerance=1e-4).info.residual == problem.solve(tol=1e-4).info.residual
    with pytest.raises(TypeError, match="tol or tolerance"):
        problem.solve(tol=1e-4, tolerance=1e-2)


def test_unsolved_is_said_and_raised_on_request():
    problem = cps.generate("spheres", contacts=200)
    solution = problem.solve("gs", tol=1e-12, max_iterations=2)
    assert not solution.solved and solution.residual > 1e-12
    with pytest.raises(cps.NotSolved):
        problem.solve("gs", tol=1e-12, max_iterations=2, strict=True)


def test_progress_ends_a_solve():
    rows = []
    problem = cps.generate("spheres", contacts=100)
    solution = problem.solve("gs", tol=1e-14, progress=lambda p: rows.append(p.iteration) or len(rows) < 3)
    assert solution.info.status == "interrupted" and len(rows) == 3
    with pytest.raises(ZeroDivisionError):
        problem.solve("gs", tol=1e-14, progress=lambda p: 1 / 0)


@pytest.mark.parametrize("W, b, mu, sentence", [
    (np.eye(4), np.zeros(4), 0.5, "multiple"),
    (np.eye(3), np.zeros(2), 0.5, "b: expected 3"),
    (np.eye(3), np.full(3, np.nan), 0.5, "nan|finite"),
    (np.eye(3), np.zeros(3), -1.0, "mu"),
    (np.ones((3, 6)), np.zeros(3), 0.5, "square"),
    (-np.eye(3), np.zeros(3), 0.5, "definite|negative"),
])
def test_what_makes_no_sense_is_refused(W, b, mu, sentence):
    with pytest.raises(ValueError, match=sentence):
        cps.Problem(W, b, mu)


def test_a_workspace_belongs_to_one_solve_at_a_time():
    problem, workspace, said = cps.generate("spheres", contacts=20), cps.Workspace(), []

    def progress(*_):
        with pytest.raises(RuntimeError, match="the workspace is in use"):
            problem.solve(workspace=workspace)
        said.append(True)

    assert problem.solve("gs", tol=1e-6, workspace=workspace, progress=progress).info.residual <= 1e-6 and said
    assert problem.solve("gs", tol=1e-6, workspace=workspace).info.residual <= 1e-6
