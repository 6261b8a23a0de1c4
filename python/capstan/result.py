"""Results of runs: frames, series, contacts, pictures."""

import os
import re
import tempfile

import numpy as np

from ._capstan import ffi, lib
from ._errors import BadArgument, Unsupported, call, text
from ._structs import Record, fill, suggestion, view
from .world import Contacts


class Group:
    """Things of one entry of a scene ("hair" for hair[0], hair[1], …), over all frames."""

    def __init__(self, result, kind, name, members):
        self._result, self._kind, self.name, self.members = result, kind, name, members

    def __len__(self):
        return len(self.members)

    def __repr__(self):
        return f"{self.name}: {len(self)} of kind {self._kind}"


class BodyGroup(Group):
    """Bodies or obstacles."""

    def _poses(self):
        def of(frame, things):
            count = things.body_count if self._kind == "body" else things.obstacle_count
            poses = view(frame.bodies if self._kind == "body" else frame.obstacles, count)
            return np.concatenate([poses["position"], poses["rotation"]], axis=1)[self.members]
        return self._result._gather(of)

    @property
    def positions(self):
        """frames × things × 3, m."""
        return self._poses()[..., :3]

    @property
    def rotations(self):
        """frames × things × 4, unit quaternions w, x, y, z."""
        return self._poses()[..., 3:]


class FibreGroup(Group):
    """Fibres."""

    def _lines(self):
        lines = view(self._result._things.lines, self._result._things.line_count)
        chosen = [line for line in lines if line["fibre"] in set(self.members) and line["branch"] < 0]
        if len({int(line["count"]) for line in chosen}) > 1:
            raise ValueError(f"the fibres of '{self.name}' have different numbers of points: take them one by one, "
                             f"as result.fibres['{self.name}[0]']")
        return np.array([np.arange(line["first"], line["first"] + line["count"]) for line in chosen])

    @property
    def points(self):
        """frames × fibres × points × 3, m."""
        rows = self._lines()
        return self._result._gather(lambda frame, things: view(frame.points, things.point_count)[rows])

    @property
    def tension(self):
        """frames × fibres × points, N; None where the result holds none."""
        rows = self._lines()
        return self._result._gather(
            lambda frame, things: None if frame.tension == ffi.NULL else view(frame.tension, things.point_count)[rows])


class SheetGroup(Group):
    """Sheets, or the surfaces of solids."""

    def _one(self):
        if len(self.members) != 1:
            raise ValueError(f"'{self.name}' are {len(self.members)} things: take them one by one")
        return view(self._result._things.sheets, self._result._things.sheet_count)[self.members[0]]

    @property
    def vertices(self):
        """frames × vertices × 3, m."""
        one = self._one()
        rows = slice(int(one["first_vertex"]), int(one["first_vertex"] + one["vertex_count"]))
        return self._result._gather(lambda frame, things: view(frame.vertices, things.vertex_count)[rows])

    @property
    def triangles(self):
        """Three vertices of each triangle."""
        one, things = self._one(), self._result._things
        rows = view(things.triangles, 3 * things.triangle_count).reshape(-1, 3)
        first = int(one["first_triangle"])
        return rows[first:first + int(one["triangle_count"])] - int(one["first_vertex"])


class _Groups:
    """Groups of a kind by name; a member by its full name."""

    def __init__(self, result, kind, cls, names):
        self._result, self._kind, self._cls, self._names = result, kind, cls, names

    def keys(self):
        """Names of the groups, in the order of the scene."""
        return list(dict.fromkeys(re.sub(r"\[\d+\]$", "", name) for name in self._names))

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __getitem__(self, name):
        members = [i for i, full in enumerate(self._names)
                   if full == name or re.sub(r"\[\d+\]$", "", full) == name]
        if not members:
            raise KeyError(f"there is no {self._kind} '{name}'" + (suggestion(name, self.keys()) if self._names else ""))
        return self._cls(self._result, self._kind, name, members)

    def __repr__(self):
        return f"{self._kind}: {', '.join(self.keys()) or 'none'}"


class _ContactsOfFrames:
    def __init__(self, result):
        self._result = result

    def __len__(self):
        return len(self._result)

    def __getitem__(self, frame):
        now = self._result._read(frame)
        return Contacts(view(now.contacts, now.contact_count).copy())

    def to_dataframe(self):
        """The contacts of all frames as one pandas DataFrame with columns `frame` and `time`."""
        import pandas

        tables = []
        for frame in range(len(self)):
            table = self[frame].to_dataframe()
            table.insert(0, "time", self._result.times[frame])
            table.insert(0, "frame", frame)
            tables.append(table)
        return pandas.concat(tables, ignore_index=True)


class Result:
    """A result file, also of a run that is still at work. `len(result)` is the number of frames."""

    def __init__(self, path):
        self.path = os.fspath(path)
        out = ffi.new("CpsResult**")
        call(lib.cps_result_open, os.fsencode(path), out)
        self._c = ffi.gc(out[0], lib.cps_result_destroy)
        show = ffi.new("CpsShow**")
        call(lib.cps_show_result, self._c, show)
        result = self._c  # must outlive the show
        self._show = ffi.gc(show[0], lambda pointer, _owner=result: lib.cps_show_destroy(pointer))
        self._things = lib.cps_show_things(self._show)
        things = self._things

        def names(pointer, count):
            return [text(pointer[i]) for i in range(count)]

        self.bodies = _Groups(self, "body", BodyGroup, names(things.body_names, things.body_count))
        self.obstacles = _Groups(self, "obstacle", BodyGroup, names(things.obstacle_names, things.obstacle_count))
        self.fibres = _Groups(self, "fibre", FibreGroup, names(things.fibre_names, things.fibre_count))
        self.sheets = _Groups(self, "sheet", SheetGroup, names(things.sheet_names, things.sheet_count))
        self.contacts = _ContactsOfFrames(self)

    @property
    def info(self):
        """Title, counts, totals, whether the run came to its end."""
        return Record(lib.cps_result_info(self._c))

    def __len__(self):
        return lib.cps_show_frame_count(self._show)

    @property
    def times(self):
        """Simulated time of each frame, s."""
        return np.array([lib.cps_result_frame_time(self._c, i) for i in range(len(self))])

    def series(self, name):
        """A scalar of every step: "time", "contacts", "residual", "kinetic", …; a wrong name lists those there are."""
        out = np.empty(lib.cps_result_info(self._c).steps)
        call(lib.cps_result_series, self._c, name.encode(), ffi.from_buffer("double[]", out))
        return out

    def _read(self, frame):
        count = len(self)
        if not -count <= frame < count:
            raise IndexError(f"there are {count} frames")
        call(lib.cps_show_read, self._show, frame % count)
        return lib.cps_show_frame(self._show)

    def _gather(self, of):
        rows = [of(self._read(i), self._things) for i in range(len(self))]
        return None if any(row is None for row in rows) else np.array([np.array(row) for row in rows])

    def export(self, path, format=None, **options):
        """Writes the result for other programs: "pvd", "usda", "gltf", "obj" or "csv"; fields of CpsExportOptions."""
        name = format or os.path.splitext(os.fspath(path))[1].lstrip(".").replace("glb", "gltf")
        number = lib.cps_export_format_find(name.encode())
        if number == lib.CPS_EXPORT_COUNT:
            raise BadArgument(f"there is no format '{name}'")
        settings = ffi.new("CpsExportOptions*", lib.cps_export_options_default())
        fill(settings, {"format": int(number), **options}, [], "export")
        info = ffi.new("CpsExportInfo*")
        call(lib.cps_export, self._c, os.fsencode(path), settings, info)
        return Record(info)

    def picture(self, frame=-1, **options):
        """A picture of a frame as a numpy array (height × width × 3 bytes); fields of CpsRenderOptions."""
        if not hasattr(lib, "cps_render_create"):
            raise Unsupported("this build has no pictures (CAPSTAN_VIEW is off)")
        settings = ffi.new("CpsRenderOptions*", lib.cps_render_options_default())
        if lib.cps_result_info(self._c).camera_placed:
            settings.camera, settings.camera_given = lib.cps_result_info(self._c).camera, True
        fill(settings, options, [], "picture")
        out = ffi.new("CpsRender**")
        call(lib.cps_render_create, self._show, settings, out)
        render = ffi.gc(out[0], lib.cps_render_destroy)
        rgb = np.empty((settings.height, settings.width, 3), dtype=np.uint8)
        call(lib.cps_render_frame, render, frame % len(self), ffi.from_buffer("uint8_t[]", rgb))
        return rgb

    def _repr_png_(self):
        if not hasattr(lib, "cps_render_create") or len(self) == 0:
            return None
        rgb = self.picture(-1, width=640, height=360)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "frame.png")
            call(lib.cps_image_write, path.encode(), rgb.shape[1], rgb.shape[0], ffi.from_buffer("uint8_t[]", rgb))
            with open(path, "rb") as file:
                return file.read()

    def plot(self, *names, ax=None):
        """Draws series over time with matplotlib and returns the axes."""
        import matplotlib.pyplot as plt

        ax = ax or plt.gca()
        time = self.series("time")
        for name in names or ("kinetic", "potential"):
            ax.plot(time, self.series(name), label=name)
        ax.set_xlabel("time (s)")
        ax.legend()
        return ax

    def __repr__(self):
        info = self.info
        state = "finished" if info.finished else "not finished"
        return f"Result({info.title!r}: {len(self)} frames to {info.time:g} s, {state})"
