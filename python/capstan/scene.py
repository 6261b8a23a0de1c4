"""Scene files (YAML): read, change, build, run."""

import os
import sys

from ._callbacks import Calls
from ._capstan import ffi, lib
from ._errors import call, refuse, text
from ._structs import Record
from .result import Result
from .world import World

_KINDS = ("body", "obstacle", "fibre", "sheet", "solid", "tie")


class Scene:
    """
    A scene that was read and checked.

        scene = Scene("knot.yaml", {"time.step": "2 ms"}, mu=0.3)     # as `--set time.step="2 ms" --set mu=0.3`
        result = scene.run("knot.h5")
    """

    def __init__(self, path=None, overrides=None, text=None, **more):
        """path: the file, or with `text` the name that stands for it in sentences. notes: what may not be as meant."""
        if (path is None) == (text is None) and text is None:
            raise TypeError("a scene needs a path or a text")
        texts = [f"{key}={value}".encode() for key, value in {**(overrides or {}), **more}.items()]
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
                call(lib.cps_scene_load_telling, os.fsencode(path), pointers, len(texts), lib.capstan_py_tell, calls.handle, out)
            except Exception as error:
                error.mistakes = mistakes  # all of them; the exception's text is the first
                raise
        self._c = ffi.gc(out[0], lib.cps_scene_destroy)

    @property
    def info(self):
        """Title, counts, end, what frames hold."""
        return Record(lib.cps_scene_info(self._c))

    def names(self, kind):
        """Names of all bodies, obstacles, fibres, sheets, solids or ties, in their order."""
        plural = {"body": "bodies"}.get(kind, kind + "s")
        count = getattr(lib.cps_scene_info(self._c), plural)
        return [text(getattr(lib, f"cps_scene_{kind}_name")(self._c, i)) for i in range(count)]

    def build(self, threads=0):
        """The world of the scene; things are found by name as `world.bodies["crate"]`."""
        out = ffi.new("CpsWorld**")
        call(lib.cps_scene_build, self._c, threads, out)
        return World._of(out[0], {kind: self.names(kind) for kind in _KINDS})

    def run(self, path, threads=0, progress=None, resume=False):
        """
        Simulates to the scene's end and writes a result, as `capstan run` does. progress: a function of the share that is
        done, True for a line on the terminal, None for a line where the terminal is one. An interrupted run can be resumed.
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

    def __repr__(self):
        info = self.info
        things = {"bodies": info.bodies, "obstacles": info.obstacles, "fibres": info.fibres, "sheets": info.sheets,
                  "solids": info.solids, "ties": info.ties}
        return f"Scene({info.title!r}: {', '.join(f'{n} {k}' for k, n in things.items() if n)}; end {info.end:g} s)"


def _progress(progress):
    """A function of the share that is done."""
    if callable(progress):
        return progress
    if progress is True or (progress is None and sys.stderr.isatty()):
        def line(share):
            sys.stderr.write(f"\r{100 * share:5.1f} %" + ("\n" if share >= 1 else ""))
        return line
    return lambda share: None
