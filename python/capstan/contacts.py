"""The contacts of a step as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._types import Array

if TYPE_CHECKING:
    import pandas

STATUSES = ("take-off", "stick", "slide")
_KINDS = ("none", "body", "fibre", "sheet", "solid", "grains", "other", "obstacle")


class Contacts:
    """
    The contacts of one step as arrays with one row per contact. `table` holds the library's structs as a structured array.
    """

    table: Array

    def __init__(self, table: Array) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, rows: Any) -> Contacts:
        """A selection, by whatever indexes an array: `contacts[contacts.status == "slide"]`, `contacts[:10]`, `contacts[0]`."""
        return Contacts(np.atleast_1d(self.table[rows]))

    @property
    def normal(self) -> Array:
        """Unit vectors from side 1 to side 0."""
        return self.table["normal"]

    @property
    def impulse(self) -> Array:
        """Impulse on side 0, N·s, along the normal and two tangents."""
        return self.table["impulse"]

    @property
    def velocity(self) -> Array:
        """Velocity of side 0 relative to side 1 after the step, m/s, along the same axes."""
        return self.table["velocity"]

    @property
    def gap(self) -> Array:
        """Distance at the beginning of the step, m; negative: penetration."""
        return self.table["gap"]

    @property
    def mu(self) -> Array:
        """Friction coefficient."""
        return self.table["mu"]

    @property
    def residual(self) -> Array:
        """Violation of Coulomb's law at each contact."""
        return self.table["residual"]

    @property
    def point(self) -> Array:
        """Points of the two sides, m (contacts × 2 × 3)."""
        return self.table["side"]["point"]

    @property
    def kind(self) -> Array:
        """Kinds of the two sides: "body", "fibre", … (contacts × 2)."""
        return np.array(_KINDS)[self.table["side"]["thing"]["kind"]]

    @property
    def index(self) -> Array:
        """Index of each side among its kind (contacts × 2)."""
        return self.table["side"]["thing"]["index"]

    @property
    def status(self) -> Array:
        """"take-off", "stick" or "slide" for each contact."""
        return np.array(STATUSES)[self.table["status"]] if len(self) else np.empty(0, dtype="<U8")

    @property
    def world_impulse(self) -> Array:
        """Impulse on side 0 in world axes, N·s."""
        axes = np.stack([self.table[name] for name in ("normal", "tangent1", "tangent2")], axis=1)
        return np.einsum("ij,ijk->ik", self.table["impulse"], axes)

    def to_dataframe(self) -> pandas.DataFrame:
        """The contacts as a pandas DataFrame with one row per contact."""
        import pandas

        columns = {}
        for side in (0, 1):
            columns[f"kind_{side}"] = self.kind[:, side]
            columns[f"index_{side}"] = self.index[:, side]
            for k, axis in enumerate("xyz"):
                columns[f"{axis}_{side}"] = self.point[:, side, k]
        for name in ("impulse", "velocity"):
            for k, axis in enumerate(("n", "t1", "t2")):
                columns[f"{name}_{axis}"] = self.table[name][:, k]
        for name in ("gap", "mu", "residual"):
            columns[name] = self.table[name]
        columns["status"] = self.status
        return pandas.DataFrame(columns)

    def _repr_html_(self) -> str:
        counts = "".join(f"<tr><td>{s}</td><td>{int((self.status == s).sum())}</td></tr>" for s in STATUSES)
        return f"<table><caption>{len(self)} contacts</caption>{counts}</table>"

    def __repr__(self) -> str:
        counts = ", ".join(f"{int((self.status == s).sum())} {s}" for s in STATUSES)
        return f"Contacts({len(self)}: {counts})"
