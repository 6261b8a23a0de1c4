import os
import pathlib

import pytest


@pytest.fixture
def scenes():
    """The folder of the project's scenes."""
    return pathlib.Path(__file__).resolve().parents[2] / "scenes"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    """Every test writes into a folder of its own."""
    monkeypatch.chdir(tmp_path)
    os.environ.setdefault("MPLBACKEND", "Agg")
