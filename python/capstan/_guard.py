"""Which thread may use a world.

The library runs without Python's interpreter lock, so two threads can be inside it at once. A world lets in one call that changes it
(the owner, for as long as a step takes) or one call that reads it. A thread that comes while another owns the world gets an error;
one that comes while another reads waits, because reading is short.

`lib` is the library as the modules of this package use it: its functions that take a world go through the guard of that world.
"""

from __future__ import annotations

import threading
import weakref
from contextlib import contextmanager
from types import BuiltinFunctionType
from typing import Any

from ._capstan import ffi, lib as _lib


class Guard:
    """Lets threads into one world. `with guard:` owns it, `with guard.reading():` reads it."""

    def __init__(self):
        self._gate = threading.RLock()  # held while the fields change and while a thread reads
        self._owner, self._readers = None, 0
        self.times = 0  # number of calls that may have changed the world
        self.views = weakref.WeakSet()  # live views into the memory of the world

    def __enter__(self):
        with self._gate:
            # readers: a callback of a call that reads, in this thread
            if self._owner is not None or self._readers:
                raise RuntimeError("the world is in use by another thread or by a callback")
            self.keep_in_place("contact")
            self._owner = threading.get_ident()
            self.times += 1

    def __exit__(self, *_):
        self._owner = None

    def begin_reading(self):
        """Keeps other threads from changing the world; False if this thread owns it, so that none can."""
        if self._owner == threading.get_ident():
            return False
        self._gate.acquire()
        if self._owner is not None:
            self._gate.release()
            raise RuntimeError("the world is in use by another thread")
        self._readers += 1
        return True

    def end_reading(self):
        self._readers -= 1
        self._gate.release()

    @contextmanager
    def reading(self):
        """For several calls that must find the world in the same state."""
        began = self.begin_reading()
        try:
            yield
        finally:
            if began:
                self.end_reading()

    def owned(self):
        """Whether this thread owns the world: it is in a callback of a call that changes it."""
        return self._owner == threading.get_ident()

    def keep_in_place(self, kind):
        """
        Refuses a call that would move memory of which there are views, as Python does for a bytearray. The owner calls it, so that no
        thread can make a view before the memory has moved.
        """
        if any(view.kind == kind for view in self.views):
            raise BufferError(f"there are views of the world's memory (kind '{kind}') that this call would leave dangling: "
                              "delete them first")


class GuardedWorld:
    """A pointer to a world and its guard, for the functions of `lib`."""

    __slots__ = ("pointer", "guard")

    def __init__(self, pointer: Any, guard: Guard) -> None:
        self.pointer, self.guard = pointer, guard


def _guarded(function, place):
    def guarded(*arguments):
        world = arguments[place]
        if not isinstance(world, GuardedWorld):
            return function(*arguments)
        began = world.guard.begin_reading()
        try:
            return function(*arguments[:place], world.pointer, *arguments[place + 1:])
        finally:
            if began:
                world.guard.end_reading()

    return guarded


class _Library:
    def __getattr__(self, name):
        found = getattr(_lib, name)
        if isinstance(found, BuiltinFunctionType) and name != "cps_world_destroy":
            is_world = [argument.cname == "struct CpsWorld *" for argument in ffi.typeof(found).args]
            if any(is_world):
                found = _guarded(found, is_world.index(True))
        setattr(self, name, found)
        return found


lib: Any = _Library()
