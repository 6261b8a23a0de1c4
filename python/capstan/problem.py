"""Discrete frictional contact problems: u = W r + b with Coulomb's law at every contact, and their solvers."""

from __future__ import annotations

import os
import tempfile
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._callbacks import Calls
from ._capstan import ffi, lib
from ._errors import call, check, refuse, status_name, text
from ._structs import Record, enum_name, enum_value, fill, reals, suggestion, table_html, view
from ._types import Array, Matrix, Numbers, Path, Progress

_LAW = ffi.typeof("CpsLaw")
_FORM = ffi.typeof("CpsForm")
_STATUS = ("take-off", "stick", "slide")
Laws = Union[str, Sequence[str], None]


def _csr(matrix):
    """Row starts, columns and values of a scipy.sparse matrix or of anything that numpy converts to a matrix."""
    if not hasattr(matrix, "tocsr"):
        dense = np.atleast_2d(reals(matrix))
        rows, columns = dense.shape
        return (np.arange(rows + 1, dtype=np.int64) * columns, np.tile(np.arange(columns, dtype=np.int32), rows),
                np.ascontiguousarray(dense).ravel())
    sparse = matrix.tocsr()
    return (np.ascontiguousarray(sparse.indptr, dtype=np.int64), np.ascontiguousarray(sparse.indices, dtype=np.int32),
            reals(sparse.data))


def _sparse(matrix):
    from scipy.sparse import csc_matrix

    return csc_matrix(reals(matrix))


def _point(struct, name, array, keep):
    keep.append(array)
    kind = {"f8": "double[]", "i8": "int64_t[]", "i4": "int32_t[]"}[array.dtype.str[1:]]
    setattr(struct, name, ffi.from_buffer(kind, array))


def _contacts(rows, b, mu, dim, laws, shift, keep, name_of_b="b"):
    """CpsContactsDef of the arrays of a problem, whose lengths are checked here."""
    dims = None if np.isscalar(dim) else np.ascontiguousarray(dim, dtype=np.int32)
    if dims is None and (dim <= 0 or rows % dim):
        raise ValueError(f"{rows} rows are not a multiple of the dimension {dim}")
    count = rows // dim if dims is None else len(dims)
    if dims is not None and dims.sum() != rows:
        raise ValueError(f"the dimensions add up to {dims.sum()}, but there are {rows} rows")
    for name, array in {name_of_b: b, "shift": shift}.items():
        if array is not None and np.size(array) != rows:
            raise ValueError(f"{name}: expected {rows} numbers, found {np.size(array)}")
    contacts = ffi.new("CpsContactsDef*", lib.cps_contacts_def_default())
    contacts.count, contacts.dim = count, 0 if dims is not None else dim
    if np.ndim(mu) and np.shape(mu) != (count,):
        raise ValueError(f"mu: expected one number or {count}, found {np.size(mu)}")
    arrays = {"dims": dims, "b": np.ravel(b), "mu": np.broadcast_to(mu, (count,)),
              "shift": None if shift is None else np.ravel(shift)}
    fill(contacts, arrays, keep, "a problem")
    if laws is not None:
        names = [laws] * count if isinstance(laws, (str, int)) else list(laws)
        if len(names) != count:
            raise ValueError(f"laws: expected {count}, found {len(names)}")
        keep.append(ffi.new("CpsLaw[]", [enum_value(_LAW, law) for law in names]))
        contacts.laws = keep[-1]
    return contacts


class Problem:
    """
    An immutable problem, created by `Problem(W, b, mu)`, `Problem.from_global(...)`, `read_fclib(path)`, `generate(...)` or
    `world.problem()`.
    """

    def __init__(self, W: Matrix, b: Numbers, mu: Numbers, dim: Union[int, Sequence[int]] = 3, laws: Laws = None,
                 shift: Optional[Numbers] = None, dof_count: int = 0) -> None:
        """
        W: scipy.sparse matrix or array, rows × rows. b: relative velocity without impulses, m/s. mu: one number for all
        contacts, or one per contact. dim: 2, 3 or 6, for all contacts or one per contact. laws: "coulomb", "convex",
        "bilateral" or "free", for all contacts or one per contact. shift: added to u before the law is applied.
        """
        start, column, value = _csr(W)
        rows, keep = len(start) - 1, []
        if column.size and (column.min() < 0 or column.max() >= max(rows, 1)):
            raise ValueError(f"W has {rows} rows and more columns: it must be square")
        contacts = _contacts(rows, b, mu, dim, laws, shift, keep)
        contacts.dof_count = dof_count
        out = ffi.new("CpsProblem**")
        call(lib.cps_problem_from_csr, contacts, ffi.from_buffer("int64_t[]", start), ffi.from_buffer("int32_t[]", column),
             ffi.from_buffer("double[]", value), out)
        self._own(out[0])

    @classmethod
    def from_global(cls, M: Matrix, H: Matrix, f: Numbers, w: Numbers, mu: Numbers,
                    dim: Union[int, Sequence[int]] = 3, laws: Laws = None, shift: Optional[Numbers] = None,
                    form: str = "w") -> Problem:
        """
        The global form M v = Hᵀ r + f, u = H v + w, with v eliminated: M (dofs × dofs) and H (rows × dofs) as scipy.sparse
        matrices or arrays, f in N·s. form: representation of the problem: "w", "factored" or "sparse". `dof_velocity` computes
        v.
        """
        start, column, value = _csr(H)
        mass = M if hasattr(M, "tocsc") else _sparse(M)
        mass = mass.tocsc()
        dofs, keep = mass.shape[0], []
        if mass.shape[0] != mass.shape[1]:
            raise ValueError(f"M is {mass.shape[0]} × {mass.shape[1]}: it must be square")
        if column.size and (column.min() < 0 or column.max() >= dofs):
            raise ValueError(f"H has more columns than the {dofs} degrees of freedom of M")
        if np.size(f) != dofs:
            raise ValueError(f"f: expected {dofs} numbers, found {np.size(f)}")
        contacts = _contacts(len(start) - 1, w, mu, dim, laws, shift, keep, "w")
        form_c = ffi.new("CpsGlobalForm*")
        arrays = {"H_row_start": start, "H_col": column, "H_value": value, "f": reals(f).ravel()}
        for name, array in arrays.items():
            _point(form_c, name, array, keep)
        form_c.M.kind, form_c.M.dof_count = lib.CPS_MASS_SPARSE, dofs
        _point(form_c.M, "col_start", np.ascontiguousarray(mass.indptr, dtype=np.int64), keep)
        _point(form_c.M, "row", np.ascontiguousarray(mass.indices, dtype=np.int32), keep)
        _point(form_c.M, "value", reals(mass.data), keep)
        out = ffi.new("CpsProblem**")
        call(lib.cps_problem_from_global, contacts, form_c, enum_value(_FORM, form), out)
        return cls._of(out[0])

    @classmethod
    def from_bodies(cls, body_dofs: Sequence[int], terms: Sequence[Sequence[Tuple[int, Numbers]]], b: Numbers,
                    mu: Numbers, dim: Union[int, Sequence[int]] = 3, laws: Laws = None,
                    shift: Optional[Numbers] = None) -> Problem:
        """
        A problem that never forms W. terms: for each contact a list of (body, G), where G (dim × body_dofs[body]) is the
        Jacobian in mass-normalised coordinates. W is the sum of G Gᵀ over the bodies shared by two contacts.
        """
        dofs = np.ascontiguousarray(body_dofs, dtype=np.int32)
        start = np.cumsum([0] + [len(contact) for contact in terms]).astype(np.int64)
        body = np.array([which for contact in terms for which, _ in contact], dtype=np.int32)
        if body.size and (body.min() < 0 or body.max() >= len(dofs)):
            raise ValueError(f"a term names a body out of range: there are {len(dofs)}")
        dims = [int(dim)] * len(terms) if np.isscalar(dim) else [int(d) for d in dim]
        if len(dims) != len(terms):
            raise ValueError(f"dim: expected {len(terms)}, found {len(dims)}")
        blocks = []
        for d, contact in zip(dims, terms):
            for which, G in contact:
                block = reals(G)
                if block.shape != (d, dofs[which]):
                    raise ValueError(f"a term of body {which}: expected {d} × {dofs[which]} numbers, found {block.shape}")
                blocks.append(block.ravel())
        G, keep = np.concatenate(blocks) if blocks else np.empty(0), []
        contacts = _contacts(sum(dims), b, mu, dim, laws, shift, keep)
        form = ffi.new("CpsFactoredForm*")
        form.body_count = len(dofs)
        for name, array in {"body_dofs": dofs, "contact_start": start, "body": body, "H": G}.items():
            _point(form, name, array, keep)
        form.Y = form.H
        out = ffi.new("CpsProblem**")
        call(lib.cps_problem_from_bodies, contacts, form, out)
        return cls._of(out[0])

    @classmethod
    def _of(cls, pointer):
        problem = cls.__new__(cls)
        problem._own(pointer)
        return problem

    def __reduce__(self) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "problem.hdf5")
            self.save(path)
            form = "w" if self.has_W else "sparse" if self.node_count else "factored"
            with open(path, "rb") as file:
                return _unpickled, (file.read(), form)

    def _own(self, pointer):
        self._c = ffi.gc(pointer, lib.cps_problem_destroy)

    @property
    def contact_count(self) -> int:
        """Number of contacts."""
        return lib.cps_problem_contact_count(self._c)

    @property
    def row_count(self) -> int:
        """Number of scalar rows: the length of r, u and b."""
        return lib.cps_problem_row_count(self._c)

    def _borrow(self, pointer, count):
        array = view(pointer, count)
        array.flags.writeable = False
        return _Borrowed(array, self)

    @property
    def mu(self) -> Array:
        """Friction coefficient of each contact; the problem's own memory."""
        return self._borrow(lib.cps_problem_mu(self._c), self.contact_count)

    @property
    def dashpot(self) -> Optional[Array]:
        """Dashpot of each contact (0: none), or None if no contact has one; the problem's own memory."""
        pointer = lib.cps_problem_dashpot(self._c)
        return self._borrow(pointer, self.contact_count) if pointer else None

    @property
    def cohesion(self) -> Optional[Array]:
        """Cohesion of each contact (0: none), or None if no contact has any; the problem's own memory."""
        pointer = lib.cps_problem_cohesion(self._c)
        return self._borrow(pointer, self.contact_count) if pointer else None

    @property
    def b(self) -> Array:
        """Relative velocities without impulses, m/s; the problem's own memory."""
        return self._borrow(lib.cps_problem_b(self._c), self.row_count)

    @property
    def offsets(self) -> Array:
        """First row of each contact and, at the end, the number of rows."""
        return self._borrow(lib.cps_problem_offsets(self._c), self.contact_count + 1)

    @property
    def W(self) -> Matrix:
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

    @property
    def b_shifted(self) -> Array:
        """b plus the shift: the velocities to which the law applies without impulses, m/s; the problem's own memory."""
        return self._borrow(lib.cps_problem_b_shifted(self._c), self.row_count)

    @property
    def laws(self) -> List[str]:
        """The law of each contact."""
        pointer = lib.cps_problem_laws(self._c)
        return [enum_name(_LAW, pointer[i]) for i in range(self.contact_count)]

    def set_cone_law(self, law: str) -> None:
        """Sets the law of all contacts with a cone to "coulomb" or "convex"."""
        check(lib.cps_problem_set_cone_law(self._c, enum_value(_LAW, law)))

    @property
    def has_W(self) -> bool:
        """Whether W is stored; otherwise the problem stores its factors."""
        return lib.cps_problem_has_W(self._c)

    @property
    def node_count(self) -> int:
        """Number of nodes of sheets and solids in the problem."""
        return lib.cps_problem_node_count(self._c)

    def islands(self) -> Array:
        """The island of each contact. Contacts are in the same island if a chain of non-zero entries of W connects them."""
        out, count = np.empty(self.contact_count, dtype=np.int32), ffi.new("int32_t*")
        check(lib.cps_problem_islands(self._c, ffi.from_buffer("int32_t[]", out), count))
        return out

    def residual(self, r: Numbers) -> CpsResidual:
        """The residual of impulses: the same error measure for all methods."""
        out = ffi.new("CpsResidual*")
        check(lib.cps_problem_residual(self._c, ffi.from_buffer("double[]", self._rows(r)), out))
        return Record(out)

    def identities(self, r: Numbers) -> CpsIdentities:
        """Largest violations of the identities that a solution satisfies."""
        out = ffi.new("CpsIdentities*")
        check(lib.cps_problem_identities(self._c, ffi.from_buffer("double[]", self._rows(r)), out))
        return Record(out)

    def contacts(self, r: Numbers, tol: float = 1e-8) -> Tuple[Array, Array]:
        """The state of each contact ("take-off", "stick" or "slide") and its violation of the law."""
        count = self.contact_count
        statuses, far = ffi.new("CpsContactStatus[]", max(count, 1)), np.empty(count)
        check(lib.cps_problem_contacts(self._c, ffi.from_buffer("double[]", self._rows(r)), tol, statuses,
                                       ffi.from_buffer("double[]", far)))
        return np.array([_STATUS[statuses[i]] for i in range(count)], dtype="<U8"), far

    def dof_velocity(self, r: Numbers) -> Array:
        """v = M⁻¹ (Hᵀ r + f) of a problem created by `from_global`."""
        v = np.empty(self.describe().dof_count)
        status = lib.cps_problem_dof_velocity(self._c, ffi.from_buffer("double[]", self._rows(r)), ffi.from_buffer("double[]", v))
        if status < 0:
            refuse(status, "only problems made by from_global know the velocities of degrees of freedom")
        return v

    def describe(self) -> CpsProblemInfo:
        """Facts about the problem: islands, rank, condition, memory."""
        info = ffi.new("CpsProblemInfo*")
        check(lib.cps_problem_describe(self._c, info))
        return Record(info)

    def velocity(self, r: Numbers) -> Array:
        """u = W r + b."""
        r = self._rows(r)
        u = np.empty_like(r)
        check(lib.cps_problem_velocity(self._c, ffi.from_buffer("double[]", r), ffi.from_buffer("double[]", u)))
        return u

    def _rows(self, r):
        r = reals(r).ravel()
        if r.size != self.row_count:
            raise ValueError(f"r: expected {self.row_count} numbers, found {r.size}")
        return r

    def solve(self, method: str = "auto", tol: float = 1e-8, guess: Optional[Numbers] = None, local: Optional[str] = None,
              max_iterations: Optional[int] = None, strict: bool = False, progress: Union[Progress, None] = None,
              workspace: Optional[Workspace] = None, **options: CpsSolveOptions) -> Solution:
        """
        Finds impulses that obey the law of every contact.

        method, local: names listed by `capstan methods`. guess: initial impulses. strict: raise NotSolved if the tolerance is not
        reached. progress: called after each iteration with its number, residual and seconds; return False to stop. workspace:
        reuses memory between solves. Other options are the fields of CpsSolveOptions. Ctrl-C stops a solve.
        """
        if progress is not None and not callable(progress):
            raise TypeError(f"progress must be a function, found {progress!r}")
        if "tolerance" in options and tol != 1e-8:
            raise TypeError("solve: give tol or tolerance, not both")
        keep, calls = [], Calls(progress)
        settings = ffi.new("CpsSolveOptions*", lib.cps_solve_options_default())
        fill(settings, {"tolerance": tol, "max_iterations": max_iterations, **options}, keep, "solve")
        for name, setter in ((method, lib.cps_solve_options_set_method), (local, lib.cps_solve_options_set_local)):
            if name is not None and setter(settings, str(name).encode()) < 0:
                what, known = ("method", methods()) if setter is lib.cps_solve_options_set_method else ("one-contact solver", local_solvers())
                raise ValueError(f"unknown {what} '{name}'{suggestion(str(name), [row['name'] for row in known])}")
        settings.cancel, settings.cancel_data = lib.capstan_py_cancel, calls.handle
        if progress is not None:
            settings.progress, settings.progress_data = lib.capstan_py_progress, calls.handle
        r = np.zeros(self.row_count) if guess is None else self._rows(guess).copy()
        info, error = ffi.new("CpsSolveInfo*"), ffi.new("CpsError*")
        where = ffi.from_buffer("double[]", r)
        if workspace is None:
            status = lib.cps_problem_solve(self._c, settings, where, info, error)
        else:
            if not workspace._lock.acquire(blocking=False):
                raise RuntimeError("the workspace is in use by another thread or by a callback")
            try:
                status = lib.cps_workspace_solve(workspace._c, self._c, settings, where, info, error)
            finally:
                workspace._lock.release()
        calls.reraise()
        if status < 0 or (strict and status > 0):
            refuse(status, text(error.text) or f"{status_name(status)}: residual {info.residual:g}")
        return Solution(self, r, Record(info))

    def save(self, path: Path, solution: Optional[Solution] = None, title: Optional[str] = None) -> None:
        """Writes an FCLIB file, with a solution if one is given."""
        r = u = ffi.NULL
        if solution is not None:  # it may be that of another problem
            r, u = (ffi.from_buffer("double[]", self._rows(numbers)) for numbers in (solution.r, solution.u))
        call(lib.cps_fclib_write, str(path).encode(), self._c, r, u, ffi.NULL if title is None else title.encode())

    def _repr_html_(self) -> str:
        laws, counts = np.unique(self.laws, return_counts=True)
        rows = {"contacts": self.contact_count, "rows": self.row_count, **{f"{law}": int(n) for law, n in zip(laws, counts)}}
        rows["form"] = "W" if self.has_W else "matrix-free"
        return table_html("Problem", rows)

    def __repr__(self) -> str:
        return f"Problem({self.contact_count} contacts, {self.row_count} rows)"


class _Borrowed(np.ndarray):
    """An array in the library's memory, which it keeps alive."""

    def __new__(cls, array, owner):
        new = array.view(cls)
        new._owner = owner
        return new

    def __array_finalize__(self, source):
        self._owner = getattr(source, "_owner", None)


class Workspace:
    """Memory and threads reused between solves: `problem.solve(workspace=workspace)`. One solve at a time: RuntimeError in a second thread."""

    def __init__(self) -> None:
        out = ffi.new("CpsWorkspace**")
        check(lib.cps_workspace_create(out))
        self._c, self._lock = ffi.gc(out[0], lib.cps_workspace_destroy), threading.Lock()


class Solution:
    """Impulses r (N·s), velocities u (m/s) and the report of a solve."""

    problem: Problem
    r: Array
    u: Array

    def __init__(self, problem: Problem, r: Array, info: Any) -> None:
        self.problem, self.r, self._info = problem, r, info
        self.u = problem.velocity(r)

    @property
    def info(self) -> CpsSolveInfo:
        """The report: status, residual, iterations, times."""
        return self._info

    @property
    def status(self) -> Array:
        """"take-off", "stick" or "slide" for each contact."""
        return self.problem.contacts(self.r)[0]

    @property
    def solved(self) -> bool:
        """Whether the residual is within the tolerance."""
        return self.info.status == "ok"

    @property
    def residual(self) -> float:
        """The largest violation of the law at any contact."""
        return self.info.residual

    def __repr__(self) -> str:
        state = "solved" if self.solved else self.info.status
        return f"Solution({state}, residual {self.residual:.2e}, {self.info.iterations} iterations)"

    def _repr_html_(self) -> str:
        return self.info._repr_html_()


def read_fclib(path: Path, form: str = "factored") -> Problem:
    """Reads a problem from an FCLIB file (HDF5). form: representation of a global problem: "w", "factored" or "sparse"."""
    out = ffi.new("CpsProblem**")
    call(lib.cps_fclib_read, str(path).encode(), enum_value(_FORM, form), out, ffi.NULL)
    return Problem._of(out[0])


def _unpickled(data, form):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "problem.hdf5")
        with open(path, "wb") as file:
            file.write(data)
        return read_fclib(path, form)


def read_fclib_solution(path: Path, problem: Problem) -> Tuple[Array, Array]:
    """Reads the solution stored in an FCLIB file: impulses r and velocities u."""
    r, u = np.empty(problem.row_count), np.empty(problem.row_count)
    call(lib.cps_fclib_read_solution, os.fsencode(path), problem.row_count, ffi.from_buffer("double[]", r),
         ffi.from_buffer("double[]", u))
    return r, u


def generate(kind: str = "fibres", contacts: int = 1000, **options: CpsGenerateDef) -> Problem:
    """Generates a realistic problem of any size: "fibres", "stack" or "spheres". Options are the fields of CpsGenerateDef."""
    definition = ffi.new("CpsGenerateDef*", lib.cps_generate_def_default())
    fill(definition, {"kind": kind, "contact_count": contacts, **options}, [], "generate")
    out = ffi.new("CpsProblem**")
    call(lib.cps_problem_generate, definition, out)
    return Problem._of(out[0])


def methods() -> List[Dict[str, Any]]:
    """All methods: name, description, reference, and whether the method is exact."""
    out = []
    for number in range(lib.CPS_METHOD_COUNT):
        row = lib.cps_method_info(number)
        out.append({"name": text(row.name), "summary": text(row.summary), "reference": text(row.reference),
                    "exact": bool(row.exact), "available": bool(row.available)})
    return out


def local_solvers() -> List[Dict[str, Any]]:
    """All one-contact solvers: name, description, reference, and whether the solver is exact."""
    out = []
    for number in range(lib.CPS_LOCAL_COUNT):
        row = lib.cps_local_info(number)
        out.append({"name": text(row.name), "summary": text(row.summary), "reference": text(row.reference), "exact": bool(row.exact)})
    return out


def aliases() -> Dict[str, str]:
    """Names of methods used in papers, with the method for each."""
    out, i = {}, 0
    while lib.cps_alias(i) != ffi.NULL:
        row = lib.cps_alias(i)
        out[text(row.name)] = text(lib.cps_method_info(row.method).name)
        i += 1
    return out
