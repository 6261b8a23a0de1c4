"""Tables of `capstan sweep`."""

import csv
import os

import numpy as np

from ._errors import FileError


class Sweep:
    """The table of a sweep: one row for each case.

        sweep = capstan.read_sweep("ramps")
        sweep["mu"], sweep["way:block"]       # arrays, one entry for each case
        sweep.to_dataframe()                  # where pandas is installed
        sweep.result(3)                       # the Result of case 3

    Columns are `case`, the varied keys (with their unit, `"angle (deg)"`) and the quantities; columns whose entries are not
    all numbers are arrays of texts.
    """

    def __init__(self, folder):
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
    def columns(self):
        """Names of the columns, in their order."""
        return list(self._columns)

    def __len__(self):
        return len(self._columns["case"])

    def __getitem__(self, name):
        return self._columns[name]

    def result(self, case):
        """The result of a case, by its number from 1."""
        from .result import Result

        return Result(os.path.join(self.folder, f"{case:04d}.h5"))

    def to_dataframe(self):
        """The table as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self._columns)

    def __repr__(self):
        return f"<Sweep {self.folder}: {len(self)} cases, {', '.join(self.columns[1:])}>"


def read_sweep(folder):
    """Reads the table of a folder that `capstan sweep` filled."""
    return Sweep(folder)
