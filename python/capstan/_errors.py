"""Errors of the library as exceptions, with the library's error messages."""

from __future__ import annotations

from typing import Any, NoReturn, Optional

from ._capstan import ffi, lib


class Error(Exception):
    """The library rejected a call. `status` is its CpsStatus, the text its error message."""

    status: int = 0


class BadArgument(Error, ValueError):
    """An argument is invalid or names something that does not exist."""


class BadData(Error, ValueError):
    """Invalid numbers: NaN, a negative friction coefficient, inconsistent sizes."""


class BadFormat(Error, ValueError):
    """A file was read but its contents are invalid."""


class FileError(Error, OSError):
    """A file cannot be opened, read or written."""


class NoMemory(Error, MemoryError):
    """An allocation failed."""


class Unsupported(Error, NotImplementedError):
    """The method does not handle this law, dimension or form, or was left out of this build."""


class NotSolved(Error, RuntimeError):
    """The tolerance was not reached, and `strict` was set."""


_CLASSES = {
    lib.CPS_BAD_ARGUMENT: BadArgument,
    lib.CPS_BAD_DATA: BadData,
    lib.CPS_NO_MEMORY: NoMemory,
    lib.CPS_UNSUPPORTED: Unsupported,
    lib.CPS_FILE_ERROR: FileError,
    lib.CPS_BAD_FORMAT: BadFormat,
}


def text(pointer: Any) -> Any:
    """A C string as a Python string; None for NULL."""
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
    """Calls a library function whose last argument is a CpsError*; raises on an error, otherwise returns the status."""
    error = ffi.new("CpsError*")
    status = function(*arguments, error)
    if status < 0:
        refuse(status, text(error.text))
    return status


def check(status: int) -> int:
    """For functions without an error message: raises if the call failed."""
    if status < 0:
        refuse(status, None)
    return status
