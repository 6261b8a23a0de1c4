"""Scene files (YAML): read, change, build, run."""

from __future__ import annotations

import difflib
import os
import pathlib
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from ._callbacks import Calls
from ._capstan import ffi
from ._errors import BadArgument, FileError, call, refuse, text
from ._guard import lib
from ._progress import Bar
from ._structs import Record, count_of, table_html
from ._types import Path
from .result import Picture, Result, render
from .viewer import Viewer
from .world import World

_KINDS = ("body", "obstacle", "fibre", "sheet", "solid", "tie")


def _folders() -> List[pathlib.Path]:
    """The folders that may hold packaged scenes: in a wheel, in a source tree, beside an installed command."""
    here = pathlib.Path(os.path.abspath(__file__)).parent
    return [here / "scenes"] + [up / name for up, name in zip(list(here.parents)[2:4], ("scenes", "share/capstan/scenes"))]


def _yaml(value: Any) -> str:
    """A value as YAML spells it: True as true, tuples and arrays as lists, dicts as maps."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_yaml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(map(_yaml, value)) + "]"
    return str(value)


def _find(path: Path) -> str:
    """The path itself, or that of the packaged scene with this name."""
    name = os.fspath(path)
    if isinstance(name, str) and ("\n" in name or ": " in name and not os.path.exists(name)):
        raise FileError("expected the path of a scene; the text of one is given as Scene(text=…)")
    if not isinstance(name, str) or not name or "/" in name or "." in name or os.path.exists(name):
        return name
    for folder in _folders():
        if (folder / f"{name}.yaml").is_file():
            return str(folder / f"{name}.yaml")
    near = difflib.get_close_matches(name, [file.stem for folder in _folders() for file in folder.glob("*.yaml")], 1)
    raise FileError(f"{name}: no such file or packaged scene" + (f"; did you mean '{near[0]}'?" if near else ""))


class Scene:
    """
    A scene that has been read and checked.

        scene = Scene("knot.yaml", {"time.step": "2 ms"}, mu=0.3)     # as `--set time.step="2 ms" --set mu=0.3`
        result = scene.run("knot.h5")
        Scene("arch")                                                 # a packaged scene, by its name
    """

    path: Optional[str]
    notes: List[str]

    def __init__(self, path: Optional[Path] = None, overrides: Optional[Dict[str, Any]] = None, text: Optional[str] = None,
                 **more: Any) -> None:
        """
        path: the file or, with `text`, a name for error messages. notes: a list that receives warnings about input that may be
        unintended.
        """
        if (path is None) == (text is None) and text is None:
            raise TypeError("a scene needs a path or text")
        self.path, self._made_of = None if text is not None else _find(path), (path, {**(overrides or {}), **more}, text)
        texts = [f"{key}={_yaml(value)}".encode() for key, value in self._made_of[1].items()]
        self._overrides = [t.decode() for t in texts]
        arrays = [ffi.new("char[]", t) for t in texts]
        pointers = ffi.new("char*[]", arrays) if arrays else ffi.NULL
        out = ffi.new("CpsScene**")
        self.notes, mistakes = [], []
        if text is not None:
            data = text.encode()
            name = str(path or "scene.yaml").encode()
            call(lib.cps_scene_parse, data, len(data), name, pointers, len(texts), out)
        else:
            calls = Calls(lambda mistake, sentence: (mistakes if mistake else self.notes).append(sentence))
            try:
                call(lib.cps_scene_load_telling, os.fsencode(self.path), pointers, len(texts), lib.capstan_py_tell, calls.handle, out)
            except Exception as error:
                error.mistakes = mistakes  # all of them; the exception's text is the first
                raise
        self._c = ffi.gc(out[0], lib.cps_scene_destroy)

    def __reduce__(self) -> Any:
        return Scene, self._made_of

    @property
    def info(self) -> CpsSceneInfo:
        """Title, counts, end time, contents of frames."""
        return Record(lib.cps_scene_info(self._c))

    def names(self, kind: str) -> List[str]:
        """Names of all bodies, obstacles, fibres, sheets, solids or ties, in their order."""
        if kind not in _KINDS:
            raise BadArgument(f"there is no kind '{kind}'; there are {', '.join(_KINDS)}")
        count = getattr(lib.cps_scene_info(self._c), {"body": "bodies"}.get(kind, kind + "s"))
        return [text(getattr(lib, f"cps_scene_{kind}_name")(self._c, i)) for i in range(count)]

    def fibre_fit(self, i: int) -> Optional[Tuple[float, float]]:
        """
        Mean and largest distance between the i-th fibre and the strand to which it was fitted, m; None if it was not fitted.
        """
        mean, most = ffi.new("double*"), ffi.new("double*")
        return (mean[0], most[0]) if lib.cps_scene_fibre_fit(self._c, i, mean, most) else None

    @property
    def skipped(self) -> List[CpsSceneSkipped]:
        """Strands of hair files that are no fibres of the scene: those without a length or with numbers that are not finite."""
        return [Record(lib.cps_scene_skipped(self._c, i)) for i in range(lib.cps_scene_skipped_count(self._c))]

    @property
    def materials(self) -> List[str]:
        """Names of the materials; number 0 is for objects without a material."""
        return [text(lib.cps_scene_material_name(self._c, i)) for i in range(lib.cps_scene_material_count(self._c))]

    @property
    def world_settings(self) -> CpsWorldDef:
        """World settings of the scene."""
        return Record(ffi.new("CpsWorldDef*", lib.cps_scene_world_def(self._c)))

    def save(self, world: World, path: Path) -> None:
        """
        Writes a world of this scene as a scene that continues from its current state: `path`, and a .state file next to it.
        """
        call(lib.cps_scene_save, self._c, world._c, os.fsencode(path))

    def picture(self, world: World, **options: CpsRenderOptions) -> Picture:
        """Renders the current state of a world of this scene; options are the fields of CpsRenderOptions."""
        show, info = ffi.new("CpsShow**"), lib.cps_scene_info(self._c)
        with world._busy.reading():  # the show reads the world
            call(lib.cps_show_world, self._c, world._c, show)
            return render(ffi.gc(show[0], lib.cps_show_destroy), 0, info.camera if info.camera_placed else None, options)

    def view(self, height: int = 480) -> Viewer:
        """The interactive viewer running this scene live, as a notebook cell. The scene must come from a file."""
        if self.path is None:
            raise BadArgument("the viewer needs a scene that was read from a file")
        return Viewer(self.path, height, self._overrides)

    def build(self, threads: int = 0) -> World:
        """Builds the world of the scene; objects are found by name: `world.bodies["crate"]`."""
        out = ffi.new("CpsWorld**")
        call(lib.cps_scene_build, self._c, threads, out)
        return World._of(out[0], {kind: self.names(kind) for kind in _KINDS})

    def run(self, path: Path, threads: int = 0, progress: Union[Callable[[float], Any], bool, None] = None,
            resume: bool = False) -> Result:
        """
        Simulates to the scene's end and writes a result, as `capstan run` does. progress: a function of the completed fraction;
        True for a progress bar; None for a bar if standard error is a terminal. An interrupted run can be resumed.
        """
        world = self.build(threads)
        info = lib.cps_scene_info(self._c)
        writer, totals = ffi.new("CpsResultWriter**"), ffi.new("CpsRunTotals*")
        where = os.fsencode(path)
        if resume:
            call(lib.cps_result_resume, where, self._c, world._c, totals, writer)
        else:
            call(lib.cps_result_create, where, self._c, writer)
        pen = writer[0]
        tell = _progress(progress)
        try:
            self._write(world, info, pen, totals, tell, first=not resume)
        except BaseException:
            lib.cps_result_close(pen)
            raise
        call(lib.cps_result_finish, pen)
        tell(1.0)
        return Result(path)

    def _write(self, world, info, pen, totals, tell, first):
        said, error = ffi.new("CpsStepInfo*"), ffi.new("CpsError*")
        end, interval = info.end, info.frame_interval
        if first:
            call(lib.cps_result_write, pen, world._c, said, totals)
        frame = int(world.time / interval + 1e-9) if interval > 0 else 0
        while world.time < end - 1e-9 * max(world.settings.step, 1e-12):
            status = lib.cps_world_step(world._c, said, error)
            world._calls.reraise()
            if status < 0:
                refuse(status, text(error.text))
            energy = ffi.new("CpsEnergy*", lib.cps_world_energy(world._c))
            lib.cps_run_totals_add(totals, said, energy)
            call(lib.cps_result_add_step, pen, world._c, said)
            due = interval <= 0 or world.time >= (frame + 1) * interval - 1e-9 * interval
            if due or world.time >= end - 1e-12 * end:
                frame = int(world.time / interval + 1e-9) if interval > 0 else 0
                call(lib.cps_result_write, pen, world._c, said, totals)
            tell(world.time / end)

    def _things(self):
        info = self.info
        return {"bodies": info.bodies, "obstacles": info.obstacles, "fibres": info.fibres, "sheets": info.sheets,
                "solids": info.solids, "grains": info.particles, "ties": info.ties}

    def _repr_html_(self) -> str:
        info = self.info
        rows = {"end": f"{info.end:g} s", **{kind: count for kind, count in self._things().items() if count}}
        return table_html(f"Scene {info.title}", rows)

    def __repr__(self) -> str:
        info = self.info
        shown = [count_of(n, one) for one, n in zip((*_KINDS[:5], "grain", "tie"), self._things().values()) if n]
        return f"Scene({info.title!r}: {', '.join(shown) or 'empty'}; end {info.end:g} s)"


def _progress(progress):
    """A function of the completed fraction."""
    if callable(progress):
        return progress
    return Bar(progress is True or (progress is None and sys.stderr.isatty()))


def scene_keys() -> List[CpsSceneKey]:
    """All keys of scene files: path, type, default and a short description."""
    keys: List[Any] = []
    while lib.cps_scene_key(len(keys)) != ffi.NULL:
        keys.append(Record(lib.cps_scene_key(len(keys))))
    return keys
