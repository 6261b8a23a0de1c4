"""Names of types in signatures."""

from __future__ import annotations

import os
from typing import Any, Callable, Sequence, Union

from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Numbers = ArrayLike  #: an array, or what numpy makes one of: lists, tuples, a number for all
Vector = Union[Sequence[float], NDArray[Any]]  #: three numbers (four for a quaternion: w, x, y, z)
Matrix = Any  #: a scipy.sparse matrix, or anything numpy takes for a matrix
Path = Union[str, "os.PathLike[str]"]
Friction = Callable[[Any], Any]  #: of a contact (CpsContactQuery); returns mu, or (mu, restitution), or None
Progress = Callable[[Any], Any]  #: returns False to stop
