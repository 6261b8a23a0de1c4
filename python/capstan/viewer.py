"""The interactive viewer in a notebook: a separate server process, shown in a frame in the cell."""

from __future__ import annotations

import html
import os
import subprocess
import sys
from typing import Sequence

from ._capstan import ffi, lib
from ._errors import FileError, Unsupported, call, text
from ._types import Path


class Viewer:
    """
    Serves a result or a live scene on this machine until it is closed or the process ends. A notebook displays it in the cell;
    elsewhere, open `url`. The server is a separate process because HDF5 works in one thread only.
    """

    url: str
    height: int

    def __init__(self, path: Path, height: int = 480, overrides: Sequence[str] = ()) -> None:
        """path: a result or a scene. overrides: values of a scene, "KEY=VALUE"."""
        if not hasattr(lib, "cps_view_create"):
            raise Unsupported("this build has no viewer (CAPSTAN_VIEW is off)")
        self.height = height
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])}
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from capstan.viewer import _serve; _serve()", os.fspath(path), *overrides],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            raise FileError(self._process.communicate()[1].strip() or "the viewer did not start")

    def close(self) -> None:
        """Stops the server."""
        if self._process.poll() is None:
            self._process.stdin.close()  # the server ends when nobody is left to read from
            self._process.wait(timeout=10)
        for stream in (self._process.stdout, self._process.stderr):
            stream.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _repr_html_(self) -> str:
        return f"<iframe src='{html.escape(self.url)}' width='100%' height='{int(self.height)}' style='border:0'></iframe>"

    def __repr__(self) -> str:
        return f"Viewer({self.url})"


def _serve():
    """The server process of a viewer: prints the address, then serves until its standard input closes."""
    import threading

    path, overrides = sys.argv[1], [ffi.new("char[]", value.encode()) for value in sys.argv[2:]]
    options = ffi.new("CpsViewOptions*", lib.cps_view_options_default())
    pointers = ffi.new("char*[]", overrides) if overrides else ffi.NULL
    options.embedded, options.overrides, options.override_count = True, pointers, len(overrides)
    out = ffi.new("CpsView**")
    try:
        call(lib.cps_view_create, os.fsencode(path), options, out)
    except Exception as error:
        sys.exit(str(error))
    view = ffi.gc(out[0], lib.cps_view_destroy)

    def wait():
        sys.stdin.read()
        lib.cps_view_stop(view)

    threading.Thread(target=wait, daemon=True).start()
    print(text(lib.cps_view_url(view)), flush=True)
    call(lib.cps_view_run, view)
