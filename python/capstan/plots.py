"""The charts of `capstan plot` and `capstan compare`, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._errors import BadArgument
from ._structs import suggestion
from ._types import Numbers

if TYPE_CHECKING:
    from .result import Result
    from .sweep import Sweep

_LOST = ("friction", "impact", "damping", "linearisation", "scheme", "projection", "ties")
# Chart: label of the vertical axis, whether it is logarithmic, and curves as sums of series. As in src/cli/cmd_plot.c.
CHARTS: Dict[str, Tuple[str, bool, Dict[str, Sequence[str]]]] = {
    "energy": ("energy (J)", False, {"total": ("kinetic", "potential", "elastic"), "kinetic": ("kinetic",),
                                     "potential": ("potential",), "elastic": ("elastic",), "dissipated": _LOST}),
    "dissipation": ("dissipated (J)", False, {name: (name,) for name in _LOST}),
    "contacts": ("contacts", False, {name: (name,) for name in ("contacts", "stick", "slide")}),
    "residual": ("residual", True, {"residual": ("residual",)}),
    "iterations": ("iterations", False, {"iterations": ("iterations",)}),
    "penetration": ("penetration (m)", False, {"penetration": ("penetration",)}),
    "step": ("step (s)", True, {"step": ("step",)}),
    "cost": ("wall clock (s)", True, {"step": ("seconds",)}),
    "parts": ("wall clock (s)", True, {name.replace("seconds_", "") if name != "seconds" else "step": (name,) for name in (
        "seconds", "seconds_predict", "seconds_detect", "seconds_assemble", "seconds_solve", "seconds_advance")}),
    "crossings": ("crossings", False, {"crossings": ("crossings",)}),
    "runout": ("run-out (m)", False, {"farthest grain": ("runout",), "99 % of the grains": ("runout_99",)}),
    "fraction": ("volume fraction", False, {"mean": ("fraction",), "largest": ("fraction_max",)}),
}


def _axes(ax):
    import matplotlib.pyplot as plt

    return plt.gca() if ax is None else ax


def plot_result(result: Result, names: Sequence[str], ax: Any = None) -> Any:
    """Charts or series of a result over simulated time; curves that are zero throughout are left out."""
    ax, time = _axes(ax), result.series("time")
    for name in names:
        if name not in CHARTS:
            try:
                result.series(name)
            except BadArgument as error:
                raise BadArgument(f"there is no chart '{name}'{suggestion(name, CHARTS)}; of the series, {error}") from None
        label, log, curves = CHARTS.get(name, (name, False, {name: (name,)}))
        for curve, terms in curves.items():
            values = sum(result.series(term) for term in terms)
            if len(curves) > 1 and not np.any(values):
                continue
            ax.plot(time, values, label=curve)
        if log:
            ax.set_yscale("log")
        ax.set_ylabel(label)
    ax.set_xlabel("time (s)")
    ax.legend()
    return ax


def plot_sweep(sweep: Sweep, quantity: str, over: Optional[str] = None, ax: Any = None) -> Any:
    """A column of the table of a sweep over one of its varied keys."""
    ax, key = _axes(ax), over or sweep.columns[1]
    order = np.argsort(sweep[key], kind="stable")
    ax.plot(sweep[key][order], sweep[quantity][order], "o")
    ax.set_xlabel(key)
    ax.set_ylabel(quantity)
    return ax


def performance_profile(times: Dict[str, Numbers], ax: Any = None) -> Any:
    """
    The fraction of problems that each method solves within a factor of the fastest time (Dolan and Moré 2002). times: for each
    method, the seconds on each problem, NaN where it failed.
    """
    if not times:
        raise ValueError("times: expected at least one method")
    ax = _axes(ax)
    table = np.array([np.asarray(row, dtype=float) for row in times.values()])
    best = np.nanmin(np.where(np.isnan(table), np.inf, table), axis=0)
    for name, row in zip(times, table):
        ratio = np.sort(np.where(np.isnan(row) | ~np.isfinite(best), np.inf, row / best))
        solved: List[float] = [r for r in ratio if np.isfinite(r)]
        ax.step(solved + [max(solved, default=1.0) * 1.1], list(np.arange(1, len(solved) + 1) / len(row)) + [len(solved) / len(row)],
                where="post", label=name)
    ax.set_xscale("log")
    ax.set_xlabel("time over the fastest")
    ax.set_ylabel("share of problems")
    ax.set_ylim(0, 1.02)
    ax.legend()
    return ax
