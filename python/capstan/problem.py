"""Discrete frictional contact problems: u = W r + b with Coulomb's law at every contact, and their solvers."""

import numpy as np

from ._callbacks import Calls
from ._capstan import ffi, lib
from ._errors import call, check, refuse, status_name, text
from ._structs import Record, enum_value, fill, suggestion, view

_LAW = ffi.typeof("CpsLaw")
_FORM = ffi.typeof("CpsForm")


def _csr(matrix):
    """Row starts, columns and values of a scipy.sparse matrix or of anything numpy takes for a matrix."""
    if not hasattr(matrix, "tocsr"):
        dense = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
        rows, columns = dense.shape
        return (np.arange(rows + 1, dtype=np.int64) * columns, np.tile(np.arange(columns, dtype=np.int32), rows),
                np.ascontiguousarray(dense).ravel())
    sparse = matrix.tocsr()
    return (np.ascontiguousarray(sparse.indptr, dtype=np.int64), np.ascontiguousarray(sparse.indices, dtype=np.int32),
            np.ascontiguousarray(sparse.data, dtype=np.float64))


class Problem:
    """A problem, immutable. `Problem(W, b, mu)`, `read_fclib(path)`, `generate(...)` or `world.problem()` make one."""

    def __init__(self, W, b, mu, dim=3, laws=None, shift=None, dof_count=0):
        """
        W: scipy.sparse matrix or array, rows × rows. b: relative velocity without impulses, m/s. mu: one for each contact,
        or one number for all. dim: 2, 3 or 6, or one for each contact. laws: "coulomb", "convex", "bilateral" or "free", one
        for all or one for each. shift: added to u before the law is applied.
        """
        start, column, value = _csr(W)
        rows = len(start) - 1
        dims = None if np.isscalar(dim) else np.ascontiguousarray(dim, dtype=np.int32)
        if dims is None and (dim <= 0 or rows % dim):
            raise ValueError(f"{rows} rows are no multiple of the dimension {dim}")
        count = rows // dim if dims is None else len(dims)
        if dims is not None and dims.sum() != rows:
            raise ValueError(f"the dimensions add up to {dims.sum()}, W has {rows} rows")
        wanted = {"b": (b, rows), "shift": (shift, rows)}
        for name, (array, length) in wanted.items():
            if array is not None and np.size(array) != length:
                raise ValueError(f"{name}: expected {length} numbers, found {np.size(array)}")
        if column.size and (column.min() < 0 or column.max() >= max(rows, 1)):
            raise ValueError(f"W has {rows} rows and more columns: it must be square")
        keep = []
        contacts = ffi.new("CpsContactsDef*", lib.cps_contacts_def_default())
        contacts.count, contacts.dim = count, 0 if dims is not None else dim
        contacts.dof_count = dof_count
        arrays = {"dims": dims, "b": np.ravel(b), "mu": np.broadcast_to(np.asarray(mu, dtype=np.float64), (count,)),
                  "shift": None if shift is None else np.ravel(shift)}
        fill(contacts, arrays, keep, "a problem")
        if laws is not None:
            names = [laws] * count if isinstance(laws, (str, int)) else list(laws)
            if len(names) != count:
                raise ValueError(f"laws: expected {count}, found {len(names)}")
            keep.append(ffi.new("CpsLaw[]", [enum_value(_LAW, law) for law in names]))
            contacts.laws = keep[-1]
        out = ffi.new("CpsProblem**")
        call(lib.cps_problem_from_csr, contacts, ffi.from_buffer("int64_t[]", start), ffi.from_buffer("int32_t[]", column),
             ffi.from_buffer("double[]", value), out)
        self._own(out[0])

    @classmethod
    def _of(cls, pointer):
        problem = cls.__new__(cls)
        problem._own(pointer)
        return problem

    def _own(self, pointer):
        self._c = ffi.gc(pointer, lib.cps_problem_destroy)

    @property
    def contact_count(self):
        """Number of contacts."""
        return lib.cps_problem_contact_count(self._c)

    @property
    def row_count(self):
        """Number of scalar rows: the length of r, u and b."""
        return lib.cps_problem_row_count(self._c)

    def _borrow(self, pointer, count):
        array = view(pointer, count)
        array.flags.writeable = False
        return _Borrowed(array, self)

    @property
    def mu(self):
        """Friction coefficient of each contact; the problem's own memory."""
        return self._borrow(lib.cps_problem_mu(self._c), self.contact_count)

    @property
    def b(self):
        """Relative velocities without impulses, m/s; the problem's own memory."""
        return self._borrow(lib.cps_problem_b(self._c), self.row_count)

    @property
    def offsets(self):
        """First row of each contact and, at the end, the number of rows."""
        return self._borrow(lib.cps_problem_offsets(self._c), self.contact_count + 1)

    @property
    def W(self):
        """W as a scipy.sparse.csr_matrix (formed if the problem is matrix-free)."""
        from scipy.sparse import csr_matrix

        count = lib.cps_problem_W_entry_count(self._c)
        if count < 0:
            refuse(lib.CPS_NO_MEMORY, "memory is short for W")
        rows = self.row_count
        start, column, value = np.empty(rows + 1, np.int64), np.empty(count, np.int32), np.empty(count)
        check(lib.cps_problem_W_csr(self._c, ffi.from_buffer("int64_t[]", start), ffi.from_buffer("int32_t[]", column),
                                    ffi.from_buffer("double[]", value)))
        return csr_matrix((value, column, start), shape=(rows, rows))

    def describe(self):
        """Facts about the problem: islands, rank, condition, memory."""
        info = ffi.new("CpsProblemInfo*")
        check(lib.cps_problem_describe(self._c, info))
        return Record(info)

    def velocity(self, r):
        """u = W r + b."""
        r = self._rows(r)
        u = np.empty_like(r)
        check(lib.cps_problem_velocity(self._c, ffi.from_buffer("double[]", r), ffi.from_buffer("double[]", u)))
        return u

    def _rows(self, r):
        r = np.ascontiguousarray(r, dtype=np.float64).ravel()
        if r.size != self.row_count:
            raise ValueError(f"r: expected {self.row_count} numbers, found {r.size}")
        return r

    def solve(self, method="auto", tol=1e-8, guess=None, local=None, max_iterations=None, strict=False, progress=None,
              **options):
        """
        Finds impulses that obey the law of every contact.

        method, local: as `capstan methods` lists them. guess: impulses to start from. strict: raise NotSolved where the
        tolerance was not reached. progress: called after each iteration with its number, residual and seconds; False ends
        the solve. Further options are the fields of CpsSolveOptions. Ctrl-C ends a solve.
        """
        keep, calls = [], Calls(progress)
        settings = ffi.new("CpsSolveOptions*", lib.cps_solve_options_default())
        fill(settings, {"tolerance": tol, "max_iterations": max_iterations, **options}, keep, "solve")
        for name, setter in ((method, lib.cps_solve_options_set_method), (local, lib.cps_solve_options_set_local)):
            if name is not None and setter(settings, str(name).encode()) < 0:
                known = [m["name"] for m in methods()] if setter is lib.cps_solve_options_set_method else []
                raise ValueError(f"there is no method '{name}'{suggestion(str(name), known) if known else ''}")
        settings.cancel, settings.cancel_data = lib.capstan_py_cancel, calls.handle
        if progress is not None:
            settings.progress, settings.progress_data = lib.capstan_py_progress, calls.handle
        r = np.zeros(self.row_count) if guess is None else self._rows(guess).copy()
        info, error = ffi.new("CpsSolveInfo*"), ffi.new("CpsError*")
        status = lib.cps_problem_solve(self._c, settings, ffi.from_buffer("double[]", r), info, error)
        calls.reraise()
        if status < 0 or (strict and status > 0):
            refuse(status, text(error.text) or f"{status_name(status)}: residual {info.residual:g}")
        return Solution(self, r, Record(info))

    def save(self, path, solution=None, title=None):
        """Writes an FCLIB file, with a solution if one is given."""
        r = ffi.NULL if solution is None else ffi.from_buffer("double[]", solution.r)
        u = ffi.NULL if solution is None else ffi.from_buffer("double[]", solution.u)
        call(lib.cps_fclib_write, str(path).encode(), self._c, r, u, ffi.NULL if title is None else title.encode())

    def __repr__(self):
        return f"Problem({self.contact_count} contacts, {self.row_count} rows)"


class _Borrowed(np.ndarray):
    """An array in the library's memory, which it keeps alive."""

    def __new__(cls, array, owner):
        new = array.view(cls)
        new._owner = owner
        return new

    def __array_finalize__(self, source):
        self._owner = getattr(source, "_owner", None)


class Solution:
    """Impulses r (N·s), velocities u (m/s) and the report of a solve."""

    def __init__(self, problem, r, info):
        self.problem, self.r, self.info = problem, r, info
        self.u = problem.velocity(r)

    @property
    def solved(self):
        """Whether the residual is within the tolerance."""
        return self.info.status == "ok"

    @property
    def residual(self):
        """How far the worst contact is from its law; `docs/theory/residual.md`."""
        return self.info.residual

    def __repr__(self):
        state = "solved" if self.solved else self.info.status
        return f"Solution({state}, residual {self.residual:.2e}, {self.info.iterations} iterations)"

    def _repr_html_(self):
        return self.info._repr_html_()


def read_fclib(path, form="factored"):
    """Reads a problem of an FCLIB file (HDF5). form: how a global one is held: "w", "factored" or "sparse"."""
    out = ffi.new("CpsProblem**")
    call(lib.cps_fclib_read, str(path).encode(), enum_value(_FORM, form), out, ffi.NULL)
    return Problem._of(out[0])


def generate(kind="fibres", contacts=1000, **options):
    """A realistic problem of any size: "fibres", "stack" or "spheres"; further fields of CpsGenerateDef as options."""
    definition = ffi.new("CpsGenerateDef*", lib.cps_generate_def_default())
    fill(definition, {"kind": kind, "contact_count": contacts, **options}, [], "generate")
    out = ffi.new("CpsProblem**")
    call(lib.cps_problem_generate, definition, out)
    return Problem._of(out[0])


def methods():
    """Every method: its name, what it does, where it was published, whether it is exact."""
    out = []
    for number in range(lib.CPS_METHOD_COUNT):
        row = lib.cps_method_info(number)
        out.append({"name": text(row.name), "summary": text(row.summary), "reference": text(row.reference),
                    "exact": bool(row.exact), "available": bool(row.available)})
    return out
