#!/usr/bin/env python3
"""usage: check_result.py RESULT.h5...   Reads results with h5py alone, by what docs/reference/result.md says of them.

Prints one line per file; exits with 1 at the first thing that is not as the page says."""
import pathlib
import sys

import h5py
import numpy as np

PAGE = (pathlib.Path(__file__).parents[3] / "docs/reference/result.md").read_text()


def check(path):
    with h5py.File(path, "r") as f:
        assert f.attrs["format"] == b"capstan-result" and f.attrs["format_version"] == 8
        for name in ("title", "library_version", "method", "local", "units"):
            assert isinstance(f.attrs[name], bytes), name
        for name in ("tolerance", "step", "theta", "end", "frame_interval", "mu", "restitution"):
            assert np.isfinite(f.attrs[name]), name
        assert f.attrs["gravity"].shape == (3,)
        assert b"bodies" in f["scene"][()] or b"fibres" in f["scene"][()]

        def is_described(name, item):
            if isinstance(item, h5py.Dataset):
                assert item.attrs["units"] and item.attrs["about"], name
                assert f"`/{name}`" in PAGE or f"`{name.split('/')[-1]}`" in PAGE, name

        f.visititems(is_described)
        assert all(f"`{name}`" in PAGE for name in f.attrs), list(f.attrs)

        n = int(f["frame_count"][()])
        assert n >= 1 and f["finished"][()] in (0, 1)
        bodies, obstacles = len(f["bodies/name"]), len(f["obstacles/name"])
        assert f["bodies/mass"].shape == (bodies,) and (f["bodies/mass"][:] > 0).all()
        assert f["fibres/mass"].shape == f["fibres/name"].shape and (f["fibres/mass"][:] > 0).all()
        time, pose, velocity = f["frames/time"][:n], f["frames/pose"][:n], f["frames/velocity"][:n]
        assert time.shape == (n,) and pose.shape == (n, bodies, 7) and velocity.shape == (n, bodies, 6)
        assert (np.diff(time) > 0).all() and np.isfinite(pose).all() and np.isfinite(velocity).all()
        assert np.allclose(np.linalg.norm(pose[:, :, 3:], axis=2), 1.0, atol=1e-12)
        assert f["frames/obstacle_pose"][:n].shape == (n, obstacles, 7)
        assert (np.diff(f["frames/step"][:n]) > 0).all() and len(f["frames/hash"][:n]) == n

        # contacts: frame i has the rows offset[i] to offset[i + 1]
        offset = f["contacts/offset"][: n + 1]
        assert offset[0] == 0 and (np.diff(offset) >= 0).all()
        count = offset[-1]
        contacts = {name: item[:count] for name, item in f["contacts"].items() if name != "offset"}
        assert all(len(values) == count for values in contacts.values())
        frame, impulse, mu = contacts["frame"], contacts["impulse"], contacts["mu"]
        eye = np.einsum("cij,ckj->cik", frame, frame)
        assert np.allclose(eye, np.eye(3), atol=1e-9)
        gap = np.einsum("ci,ci->c", frame[:, 0], contacts["point"][:, 0] - contacts["point"][:, 1])
        assert np.allclose(gap, contacts["gap"], atol=1e-9)
        slack = 1e-4 * np.abs(impulse).max(initial=0.0)  # far above the solver's tolerance
        isotropic = mu[:, 0] == mu[:, 1]
        push = np.hypot(impulse[:, 1], impulse[:, 2])
        assert (push[isotropic] <= (mu[:, 0] * impulse[:, 0] + slack)[isotropic]).all()
        assert (impulse[:, 0] >= -slack).all() and set(contacts["status"]) <= {0, 1, 2}
        # sides: kind and number of the thing, its part, material coordinates, material
        kind, number, place = contacts["thing"][:, :, 0], contacts["thing"][:, :, 1], contacts["place"]
        fibres, sheets = len(f["fibres/name"]), len(f["sheets/name"]) if "sheets" in f else 0
        counts = {1: bodies, 2: fibres, 3: sheets, 7: obstacles}
        assert set(kind.flat) <= set(counts) and 7 not in kind[:, 0]
        assert all(((number >= 0) & (number < n))[kind == k].all() for k, n in counts.items())
        assert (place[kind == 2][:, 0] >= 0).all() and (place[kind == 2][:, 1:] == 0).all()
        assert np.allclose(place[kind == 3].sum(axis=1), 1.0) and (place[kind == 3] >= -1e-9).all()
        assert (contacts["part"] >= 0).all() and ((contacts["material"] >= 0) & (contacts["material"] < len(f["materials/name"]))).all()

        assert (contacts["residual"] >= 0).all() and (contacts["residual"] < 1).all()

        # materials: of each thing a row of their names
        materials = len(f["materials/name"])
        assert materials >= 1 and f["materials/name"][0] == b""
        for kind, number in (("bodies", bodies), ("obstacles", obstacles), ("fibres", fibres)):
            material = f[f"{kind}/material"][:]
            assert len(material) == number and ((material >= 0) & (material < materials)).all(), kind

        # fibres: line i has the points point_offset[i] to point_offset[i + 1]
        line_fibre, point_offset = f["fibres/line_fibre"][:], f["fibres/point_offset"][:]
        assert len(point_offset) == len(line_fibre) + 1 and (np.diff(point_offset) >= 2).all()
        assert set(line_fibre) == set(range(fibres)) and (f["fibres/line_radius"][:] > 0).all()
        point, axis = f["frames/fibre_point"][:n], f["frames/fibre_axis"][:n]
        assert point.shape == axis.shape == (n, point_offset[-1], 3) and np.isfinite(point).all()
        assert np.allclose(np.linalg.norm(axis, axis=2), 1.0, atol=1e-5)

        # steps: the rows that belong to the counted frames
        rows = f["frames/row"][n - 1]
        steps = {name: item[:rows] for name, item in f["steps"].items()}
        assert all(len(values) == rows for values in steps.values())
        books = steps["start"] + steps["external"] + steps["obstacles"] + steps["ends"]
        for lost in ("friction", "impact", "damping", "linearisation", "scheme", "projection", "ties"):
            books = books - steps[lost]
        scale = 1.0 + max((np.abs(v).max(initial=0.0) for v in (steps["start"], steps["friction"], steps["impact"])))
        assert np.allclose(steps["kinetic"] + steps["potential"] + steps["elastic"], books, atol=1e-6 * scale)
        if rows:
            assert steps["time"][-1] == time[-1]
            assert f["totals/contacts_max"][n - 1] == steps["contacts"].max()

        # shapes: body i has the parts part_offset[i] to part_offset[i + 1]
        parts = f["bodies/part_offset"][:]
        assert len(parts) == bodies + 1 and (np.diff(parts) >= 1).all()
        assert f["obstacles/part_offset"][0] == parts[-1]
        kind = f["shapes/kind"][:]
        assert len(kind) == f["obstacles/part_offset"][-1] and set(kind) <= {1, 2, 3, 4, 5, 7, 8, 9}
        assert (f["shapes/radius"][:][kind == 1] > 0).all() and (f["shapes/size"][:][kind == 2] > 0).all()
        points = f["shapes/point_first"][:] + f["shapes/point_count"][:]
        assert (points <= len(f["shapes/points"])).all()
        print(f"{path}: {n} frames, {rows} steps, {count} contacts")


for path in sys.argv[1:]:
    check(path)
