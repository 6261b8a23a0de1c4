"""Tables of `capstan sweep`."""

from __future__ import annotations

import csv
import os
from typing import TYPE_CHECKING, Any, List, Optional

import numpy as np

from ._errors import FileError
from ._types import Array, Path

if TYPE_CHECKING:
    import pandas

    from .result import Result


class Sweep:
    """The table of a sweep: one row per case.

        sweep = capstan.read_sweep("ramps")
        sweep["mu"], sweep["way:block"]       # arrays, one entry per case
        sweep.to_dataframe()                  # where pandas is installed
        sweep.result(3)                       # the Result of case 3

    Columns are `case`, the varied keys (with their unit, `"angle (deg)"`) and the quantities. A column with entries that are
    not numbers is an array of strings.
    """

    folder: str

    def __init__(self, folder: Path) -> None:
        self.folder = os.fspath(folder)
        path = os.path.join(self.folder, "table.csv")
        try:
            with open(path, newline="", encoding="utf-8") as file:
                names, *rows = csv.reader(file)
        except OSError as error:
            raise FileError(f"{path}: {error.strerror}; `capstan sweep --table -o {self.folder}` writes it") from error
        self._columns = {}
        for i, name in enumerate(names):
            texts = [row[i] for row in rows]
            try:
                self._columns[name] = np.array(texts, dtype=float)
            except ValueError:
                self._columns[name] = np.array(texts)

    @property
    def columns(self) -> List[str]:
        """Names of the columns, in their order."""
        return list(self._columns)

    def __len__(self) -> int:
        return len(self._columns["case"])

    def __getitem__(self, name: str) -> Array:
        return self._columns[name]

    def result(self, case: int) -> Result:
        """The result of a case, by its number from 1."""
        from .result import Result

        return Result(os.path.join(self.folder, f"{case:04d}.h5"))

    def to_dataframe(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self._columns)

    def plot(self, quantity: str, over: Optional[str] = None, ax: Any = None) -> Any:
        """Draws a quantity over a varied key (the first by default) with matplotlib, and returns the axes."""
        from .plots import plot_sweep

        return plot_sweep(self, quantity, over, ax)

    def __repr__(self) -> str:
        return f"<Sweep {self.folder}: {len(self)} cases, {', '.join(self.columns[1:])}>"


def read_sweep(folder: Path) -> Sweep:
    """Reads the table of a folder written by `capstan sweep`."""
    return Sweep(folder)
