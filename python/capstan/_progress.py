"""A text progress bar for terminals and notebooks."""

from __future__ import annotations

import sys
import time
from typing import Any

_WIDTH = 30


class Bar:
    """Called with the completed fraction, 0 to 1. Shows nothing unless enabled."""

    def __init__(self, show: bool, stream: Any = None) -> None:
        self._show, self._stream, self._next, self._done = show, stream or sys.stderr, 0.0, False

    def __call__(self, share: float) -> None:
        if not self._show or self._done:
            return
        now = time.monotonic()
        if share < 1.0 and now < self._next:
            return
        self._next, self._done = now + 0.1, share >= 1.0
        full = int(_WIDTH * min(share, 1.0))
        self._stream.write(f"\r[{'#' * full}{'.' * (_WIDTH - full)}] {100 * min(share, 1.0):5.1f} %" + ("\n" if self._done else ""))
        self._stream.flush()
