#!/usr/bin/env python3
"""usage: notebooks.py NOTEBOOK…   Runs the code cells of notebooks one after the other in this Python, as a kernel would: the value of
the last expression of a cell is shown by its _repr_html_ or _repr_png_. A kernel of Jupyter would take seconds to start; the cells need
nothing of it. Says which cell failed."""

import ast
import json
import os
import pathlib
import sys
import tempfile
import time
import traceback

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def show(value):
    """What a notebook would do with it."""
    for name in ("_repr_html_", "_repr_png_"):
        if hasattr(type(value), name) and not getattr(value, name)():
            raise AssertionError(f"{type(value).__name__}.{name} shows nothing")
    return repr(value)


def run_cell(source, name, space):
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), space)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), name, "eval"), space)
        if value is not None and not source.rstrip().endswith(";"):
            show(value)


def run(path):
    book = json.loads(path.read_text())
    assert book["nbformat"] == 4 and book["cells"][0]["cell_type"] == "markdown"
    space, count = {"__name__": "__main__"}, 0
    for number, cell in enumerate(book["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None, f"{path.name}: clear the outputs of cell {number}"
        try:
            run_cell("".join(cell["source"]), f"{path.name}, cell {number}", space)
        except Exception:
            traceback.print_exc()
            sys.exit(f"{path.name}: cell {number} failed")
        count += 1
        plt.close("all")  # as the inline backend does after each cell
    return count


def main():
    for path in [pathlib.Path(name).resolve() for name in sys.argv[1:]]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            begun = time.process_time()
            count = run(path)
            os.chdir("/")
            print(f"{path.name}: {count} cells, {time.process_time() - begun:.1f} s")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
