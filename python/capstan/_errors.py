"""Failures of the library as exceptions; each carries the library's own sentence."""

from __future__ import annotations

from typing import Any, NoReturn, Optional

from ._capstan import ffi, lib


class Error(Exception):
    """A call that the library refused. `status` is its CpsStatus, the text its sentence."""

    status: int = 0


class BadArgument(Error, ValueError):
    """An argument breaks the contract of a call, or names something that is not there."""


class BadData(Error, ValueError):
    """Numbers that make no sense: NaN, a negative friction coefficient, sizes that do not fit."""


class BadFormat(Error, ValueError):
    """A file was read but is not what it should be."""


class FileError(Error, OSError):
    """A file cannot be opened, read or written."""


class NoMemory(Error, MemoryError):
    """An allocation failed."""


class Unsupported(Error, NotImplementedError):
    """The method does not handle this law, dimension or form, or was left out of this build."""


class NotSolved(Error, RuntimeError):
    """The answer is not as good as was asked for, and the caller wanted to be told so."""


_CLASSES = {
    lib.CPS_BAD_ARGUMENT: BadArgument,
    lib.CPS_BAD_DATA: BadData,
    lib.CPS_NO_MEMORY: NoMemory,
    lib.CPS_UNSUPPORTED: Unsupported,
    lib.CPS_FILE_ERROR: FileError,
    lib.CPS_BAD_FORMAT: BadFormat,
}


def text(pointer: Any) -> Any:
    """A string of C as one of Python; None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def status_name(status: int) -> str:
    """"ok", "not converged", …"""
    return text(lib.cps_status_string(status))


def refuse(status: int, sentence: Optional[str]) -> NoReturn:
    """Raises the exception of a status."""
    error = _CLASSES.get(status, NotSolved)(sentence or status_name(status))
    error.status = int(status)
    raise error


def call(function: Any, *arguments: Any) -> int:
    """Calls a function of the library whose last argument is a CpsError*; raises if it refuses, returns its status."""
    error = ffi.new("CpsError*")
    status = function(*arguments, error)
    if status < 0:
        refuse(status, text(error.text))
    return status


def check(status: int) -> int:
    """For functions without a sentence: raises if the call was refused."""
    if status < 0:
        refuse(status, None)
    return status
