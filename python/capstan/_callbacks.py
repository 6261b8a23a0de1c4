"""Python functions called by the library. An exception in one of them ends the call, which then raises it."""

from ._capstan import ffi
from ._structs import Record


class Calls:
    """Connects a library call to Python: the function to call, and the exception it raised."""

    def __init__(self, function=None):
        self.function = function
        self.exception = None
        self.handle = ffi.new_handle(self)

    def catch(self, exception):
        if self.exception is None:
            self.exception = exception

    def reraise(self):
        """Raises the exception of a callback, if there was one."""
        exception, self.exception = self.exception, None
        if exception is not None:
            raise exception


def _keep_exception(_kind, exception, traceback):
    """Finds the Calls among the arguments of the function that failed."""
    data = traceback.tb_frame.f_locals.get("data")
    if data:
        ffi.from_handle(data).catch(exception)


@ffi.def_extern(onerror=_keep_exception, error=True)
def capstan_py_cancel(data):
    # Running here lets Python look for signals: Ctrl-C raises KeyboardInterrupt, and the step ends.
    return ffi.from_handle(data).exception is not None


@ffi.def_extern(onerror=_keep_exception)
def capstan_py_friction(query, data):
    calls = ffi.from_handle(data)
    answer = calls.function(Record(query)) if calls.exception is None else None
    if answer is not None:
        mu, restitution = answer if isinstance(answer, tuple) else (answer, query.restitution)
        query.mu, query.restitution = mu, restitution


@ffi.def_extern(onerror=_keep_exception, error=False)
def capstan_py_progress(progress, data):
    calls = ffi.from_handle(data)
    return calls.exception is None and calls.function(Record(progress)) is not False


@ffi.def_extern(onerror=_keep_exception)
def capstan_py_predict(step, q, v, matrix, impulse, data):
    from . import model

    model._predict(ffi.from_handle(data), step, q, v, matrix, impulse)


@ffi.def_extern(onerror=_keep_exception)
def capstan_py_place(q, ball, centre, jacobian, data):
    from . import model

    model._place(ffi.from_handle(data), q, ball, centre, jacobian)


@ffi.def_extern(onerror=_keep_exception)
def capstan_py_energy(gravity, q, v, kinetic, potential, data):
    from . import model

    model._energy(ffi.from_handle(data), gravity, q, v, kinetic, potential)


@ffi.def_extern(onerror=_keep_exception)
def capstan_py_tell(mistake, sentence, data):
    ffi.from_handle(data).function(bool(mistake), ffi.string(sentence).decode())
