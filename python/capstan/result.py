"""Results of runs: frames, series, contacts, pictures."""

from __future__ import annotations

import base64
import os
import re
import tempfile
import threading
from typing import TYPE_CHECKING, Any, Generic, Iterator, List, Optional, Type, TypeVar, overload

import numpy as np

from ._capstan import ffi
from ._errors import BadArgument, Unsupported, call, text
from ._guard import lib
from ._structs import Record, count_of, entry_index, fill, suggestion, table_html, view
from ._types import Array, Path
from .contacts import Contacts

if TYPE_CHECKING:
    import pandas

    from .viewer import Viewer
    from .world import World


class Picture(np.ndarray):  # type: ignore[type-arg]
    """A picture: an array (height × width × 3 bytes) that notebooks display."""

    def save(self, path: Path) -> None:
        """Writes it as PNG."""
        rgb = np.ascontiguousarray(self, dtype=np.uint8)
        if rgb.ndim != 3 or rgb.shape[2] != 3:
            raise ValueError(f"a picture has height × width × 3 bytes, found {rgb.shape}")
        call(lib.cps_image_write, os.fsencode(path), rgb.shape[1], rgb.shape[0], ffi.from_buffer("uint8_t[]", rgb))

    def _repr_png_(self) -> Optional[bytes]:
        if self.ndim != 3:
            return None
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "picture.png")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()


def render(show: Any, frame: int, camera: Any, options: Any) -> Picture:
    """A picture of a frame of a show."""
    if not hasattr(lib, "cps_render_create"):
        raise Unsupported("this build has no pictures (CAPSTAN_VIEW is off)")
    settings = ffi.new("CpsRenderOptions*", lib.cps_render_options_default())
    if camera is not None:
        settings.camera, settings.camera_given = camera, True
    fill(settings, options, [], "picture")
    out = ffi.new("CpsRender**")
    call(lib.cps_render_create, show, settings, out)
    renderer = ffi.gc(out[0], lib.cps_render_destroy)
    rgb = np.empty((settings.height, settings.width, 3), dtype=np.uint8)
    call(lib.cps_render_frame, renderer, frame, ffi.from_buffer("uint8_t[]", rgb))
    return rgb.view(Picture)


class Group:
    """The objects of one scene entry ("hair" for hair[0], hair[1], …), over all frames."""

    name: str
    members: List[int]

    def __init__(self, result: Result, kind: str, name: str, members: List[int]) -> None:
        self._result, self._kind, self.name, self.members = result, kind, name, members

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"{self.name}: {count_of(len(self), self._kind)}"


class BodyGroup(Group):
    """Bodies or obstacles."""

    def _poses(self):
        def of(frame, things):
            count = things.body_count if self._kind == "body" else things.obstacle_count
            poses = view(frame.bodies if self._kind == "body" else frame.obstacles, count)
            return np.concatenate([poses["position"], poses["rotation"]], axis=1)[self.members]
        return self._result._gather(of)

    @property
    def positions(self) -> Array:
        """frames × objects × 3, m."""
        return self._poses()[..., :3]

    @property
    def rotations(self) -> Array:
        """frames × objects × 4, unit quaternions w, x, y, z."""
        return self._poses()[..., 3:]


class FibreGroup(Group):
    """Fibres."""

    def _lines(self):
        lines = view(self._result._things.lines, self._result._things.line_count)
        chosen = lines[np.isin(lines["fibre"], self.members) & (lines["branch"] < 0)]
        if len(set(chosen["count"].tolist())) > 1:
            raise ValueError(f"the fibres of '{self.name}' have different numbers of points: index them one by one, "
                             f"as result.fibres['{self.name}[0]']")
        return np.array([np.arange(line["first"], line["first"] + line["count"]) for line in chosen])

    @property
    def points(self) -> Array:
        """frames × fibres × points × 3, m."""
        rows = self._lines()
        return self._result._gather(lambda frame, things: view(frame.points, things.point_count)[rows])

    @property
    def tension(self) -> Optional[Array]:
        """frames × fibres × points, N; None if the result has none."""
        rows = self._lines()
        return self._result._gather(
            lambda frame, things: None if frame.tension == ffi.NULL else view(frame.tension, things.point_count)[rows])

    @property
    def velocities(self) -> Optional[Array]:
        """frames × fibres × points × 3, m/s; None if the result has none."""
        rows = self._lines()
        return self._result._gather(lambda frame, things: None if frame.point_velocities == ffi.NULL
                                    else view(frame.point_velocities, things.point_count)[rows])


class SheetGroup(Group):
    """Sheets, or the surfaces of solids."""

    def _one(self):
        if len(self.members) != 1:
            raise ValueError(f"'{self.name}' has {len(self.members)} objects: index them one by one")
        return view(self._result._things.sheets, self._result._things.sheet_count)[self.members[0]]

    @property
    def vertices(self) -> Array:
        """frames × vertices × 3, m."""
        one = self._one()
        rows = slice(int(one["first_vertex"]), int(one["first_vertex"] + one["vertex_count"]))
        return self._result._gather(lambda frame, things: view(frame.vertices, things.vertex_count)[rows])

    @property
    def triangles(self) -> Array:
        """Three vertices of each triangle."""
        one, things = self._one(), self._result._things
        rows = view(things.triangles, 3 * things.triangle_count).reshape(-1, 3)
        first = int(one["first_triangle"])
        return rows[first:first + int(one["triangle_count"])] - int(one["first_vertex"])


G = TypeVar("G", bound=Group)


class Groups(Generic[G]):
    """The groups of a kind, by name; single objects by their full name."""

    def __init__(self, result: Result, kind: str, cls: Type[G], names: List[str]) -> None:
        self._result, self._kind, self._cls, self._names = result, kind, cls, names

    def keys(self) -> List[str]:
        """Names of the groups, in the order of the scene."""
        return list(dict.fromkeys(re.sub(r"\[\d+\]$", "", name) for name in self._names))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __getitem__(self, name: str) -> G:
        members = [i for i, full in enumerate(self._names)
                   if full == name or re.sub(r"\[\d+\]$", "", full) == name]
        if not members:
            raise KeyError(f"there is no {self._kind} '{name}'" + (suggestion(name, self.keys()) if self._names else ""))
        return self._cls(self._result, self._kind, name, members)

    def __repr__(self) -> str:
        return f"{self._kind}: {', '.join(self.keys()) or 'none'}"


class ContactsOfFrames:
    """The contacts of each frame: `result.contacts[frame]`, or a list of them for a slice."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __len__(self) -> int:
        return len(self._result)

    @overload
    def __getitem__(self, frame: int) -> Contacts: ...
    @overload
    def __getitem__(self, frame: slice) -> List[Contacts]: ...
    def __getitem__(self, frame):
        if isinstance(frame, slice):
            return [self[i] for i in range(*frame.indices(len(self)))]
        with self._result._lock:
            now = self._result._read(frame)
            return Contacts(view(now.contacts, now.contact_count).copy())

    def to_dataframe(self) -> pandas.DataFrame:
        """The contacts of all frames as one pandas DataFrame with columns `frame` and `time`."""
        import pandas

        tables = []
        for frame in range(len(self)):
            table = self[frame].to_dataframe()
            table.insert(0, "time", self._result.times[frame])
            table.insert(0, "frame", frame)
            tables.append(table)
        return pandas.concat(tables, ignore_index=True) if tables else pandas.DataFrame()


class Result:
    """A result file, even of a run in progress. `len(result)` is the number of frames."""

    path: str
    bodies: Groups[BodyGroup]
    obstacles: Groups[BodyGroup]
    fibres: Groups[FibreGroup]
    sheets: Groups[SheetGroup]
    contacts: ContactsOfFrames

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        self._lock = threading.RLock()  # the library reads a frame into the same memory as the one before
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

        self.bodies = Groups(self, "body", BodyGroup, names(things.body_names, things.body_count))
        self.obstacles = Groups(self, "obstacle", BodyGroup, names(things.obstacle_names, things.obstacle_count))
        self.fibres = Groups(self, "fibre", FibreGroup, names(things.fibre_names, things.fibre_count))
        self.sheets = Groups(self, "sheet", SheetGroup, names(things.sheet_names, things.sheet_count))
        self.contacts = ContactsOfFrames(self)

    @property
    def info(self) -> CpsResultInfo:
        """Title, counts, totals, and whether the run is complete."""
        return Record(lib.cps_result_info(self._c))

    def __len__(self) -> int:
        return lib.cps_show_frame_count(self._show)

    @property
    def times(self) -> Array:
        """Simulated time of each frame, s."""
        return np.array([lib.cps_result_frame_time(self._c, i) for i in range(len(self))])

    def series(self, name: str) -> Array:
        """
        A scalar of every step: "time", "contacts", "residual", "kinetic", …; a wrong name raises an error that lists all names.
        """
        out = np.empty(lib.cps_result_info(self._c).steps)
        with self._lock:
            call(lib.cps_result_series, self._c, name.encode(), ffi.from_buffer("double[]", out))
        return out

    @property
    def particles(self) -> Array:
        """Positions of the particles of grains: frames × particles × 3, m."""
        count = lib.cps_result_info(self._c).particles
        out = np.empty((len(self), count, 3))
        for frame in range(len(self)):
            with self._lock:
                call(lib.cps_result_frame_particles, self._c, frame, ffi.cast("CpsVec3*", ffi.from_buffer(out[frame])), ffi.NULL)
        return out

    def stress(self, frame: int = -1) -> Optional[Array]:
        """Cauchy stress in every tetrahedron of all solids in a frame (xx yy zz xy yz zx, Pa); None if the result has none."""
        count = 6 * self._things.tetrahedron_count
        with self._lock:
            now = self._read(frame)
            return None if now.stress == ffi.NULL else np.array(view(now.stress, count)).reshape(-1, 6)

    def load_frame(self, frame: int, world: World) -> None:
        """Loads the state of a frame into a world of the same scene, to continue from there."""
        with self._lock, world._busy:
            call(lib.cps_result_load_frame, self._c, entry_index(frame, len(self), "frame"), world._c)

    def _read(self, frame):
        call(lib.cps_show_read, self._show, entry_index(frame, len(self), "frame"))
        return lib.cps_show_frame(self._show)

    def _gather(self, of):
        rows = []
        with self._lock:
            for i in range(len(self)):
                row = of(self._read(i), self._things)
                if row is None:
                    return None
                rows.append(np.array(row))  # a copy: the next frame is read into the same memory
        return np.array(rows)

    def export(self, path: Path, format: Optional[str] = None, **options: CpsExportOptions) -> CpsExportInfo:
        """
        Writes the result for other programs: "pvd", "usda", "gltf", "obj" or "csv"; options are the fields of CpsExportOptions.
        """
        name = format or os.path.splitext(os.fspath(path))[1].lstrip(".").replace("glb", "gltf")
        number = lib.cps_export_format_find(name.encode())
        if number == lib.CPS_EXPORT_COUNT:
            names = [text(lib.cps_export_format_name(i)) for i in range(lib.CPS_EXPORT_COUNT)]
            raise BadArgument(f"there is no format '{name}'{suggestion(name, names)}")
        settings = ffi.new("CpsExportOptions*", lib.cps_export_options_default())
        fill(settings, {"format": int(number), **options}, [], "export")
        info = ffi.new("CpsExportInfo*")
        with self._lock:
            call(lib.cps_export, self._c, os.fsencode(path), settings, info)
        return Record(info)

    def picture(self, frame: int = -1, **options: CpsRenderOptions) -> Picture:
        """Renders a frame (height × width × 3 bytes), which notebooks display; options are the fields of CpsRenderOptions."""
        info = lib.cps_result_info(self._c)
        with self._lock:
            return render(self._show, entry_index(frame, len(self), "frame"), info.camera if info.camera_placed else None, options)

    def _repr_png_(self) -> Optional[bytes]:
        if not hasattr(lib, "cps_render_create") or len(self) == 0:
            return None
        return self.picture(-1, width=480, height=270, samples=8)._repr_png_()

    def _repr_html_(self) -> str:
        info = self.info
        rows = {"title": info.title, "frames": len(self), "time": f"{info.time:g} s", "steps": info.steps,
                "finished": "yes" if info.finished else "no", "steps not solved": info.totals.unsolved_steps}
        for groups in (self.bodies, self.obstacles, self.fibres, self.sheets):
            if len(groups):
                rows[groups._kind] = ", ".join(f"{key} ({len(groups[key])})" for key in groups)
        png = self._repr_png_()
        image = "" if png is None else f"<img src='data:image/png;base64,{base64.b64encode(png).decode()}'>"
        return image + table_html(f"Result {os.path.basename(self.path)}", rows)

    def plot(self, *names: str, ax: Any = None) -> Any:
        """
        Draws with matplotlib what `capstan plot --what` draws ("energy", "dissipation", "contacts", "residual", …), or any series,
        over simulated time. Returns the axes.
        """
        from .plots import plot_result

        return plot_result(self, names or ("energy",), ax)

    def view(self, height: int = 480) -> Viewer:
        """The interactive viewer of this result, as a notebook cell."""
        from .viewer import Viewer

        return Viewer(self.path, height)

    def __reduce__(self) -> Any:
        return Result, (self.path,)

    def __repr__(self) -> str:
        info = self.info
        state = "finished" if info.finished else "not finished"
        return f"Result({info.title!r}: {len(self)} frames to {info.time:g} s, {state})"
