"""Classifiers that exist only in R: tables and risks are exchanged as files."""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from elseif.errors import DataError, ParamError, ResourceError
from elseif.evaluation.comparison.fitted_inside import SparseClassifier
from elseif.files.temporary import temporary_folder

SCRIPTS = Path(__file__).parent / "r"
ANSWERS_WITHIN = 60.0  # seconds that R has to say whether it has a package


@lru_cache
def lacking_in_r(package: str) -> str | None:
    """What has to be installed before R can use a package; None where nothing has."""
    program = shutil.which("Rscript")
    if program is None:
        return f"needs R with its package {package}, and there is no Rscript on the path"
    question = f'cat(requireNamespace("{package}", quietly = TRUE))'
    asked = [program, "--vanilla", "-e", question]
    try:
        answer = subprocess.run(
            asked, capture_output=True, text=True, timeout=ANSWERS_WITHIN, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"needs R with its package {package}, and Rscript does not answer ({error})"
    if answer.returncode or not answer.stdout.endswith("TRUE"):
        return f"needs R's package {package}: install.packages('{package}') in R"
    return None


class RClassifier(SparseClassifier):
    """Two labels learnt by a function of R with its defaults.

    ``max_cells`` bounds rows times columns, for R holds the table densely, and ``max_seconds``
    the time of each call; beyond either a ResourceError says so.
    """

    package: ClassVar[str] = ""
    script: ClassVar[str] = ""

    def __init__(
        self,
        max_cells: float = 1e8,
        max_seconds: float | None = None,
        random_state: int | None = None,
    ) -> None:
        self.max_cells = max_cells
        self.max_seconds = max_seconds
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> RClassifier:
        """Fit the model in R, and keep it.

        Parameters
        ----------
        X : array or sparse matrix
            Columns of 0 and 1.
        y : array
            The labels.

        Returns
        -------
        RClassifier
            The classifier itself.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise DataError(
                f"{type(self).__name__} can only separate two labels; y has {len(self.classes_)}."
            )
        too_large = self.too_large(*X.shape)
        if too_large:
            raise ResourceError(f"{type(self).__name__}: {too_large}.")
        if lack := lacking_in_r(self.package):
            raise ParamError(f"{type(self).__name__} {lack}.")
        # a column of one value splits nothing, and some functions of R stumble over it
        X = sparse.csr_array(X)
        self.kept_ = np.flatnonzero(_varies(X))
        if not len(self.kept_):
            raise DataError("Every column of X has one value; there is nothing to learn from.")
        self.seed_ = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        with temporary_folder("elseif-r") as folder:
            _write_table(folder / "table.bin", X[:, self.kept_])
            codes.astype(np.int32).tofile(folder / "labels.bin")
            self._call("learn", folder)
            self.model_ = (folder / "model.rds").read_bytes()
        return self

    def too_large(self, n_rows: int, n_columns: int) -> str | None:
        """Why a table of this size is not handed to R.

        Parameters
        ----------
        n_rows : int
            Number of rows.
        n_columns : int
            Number of columns.

        Returns
        -------
        str or None
            The reason; None if the size is fine.
        """
        if n_rows * n_columns <= self.max_cells:
            return None
        return (
            f"{n_rows:,} rows by {n_columns:,} columns are more than the "
            f"{self.max_cells:,.0f} cells that it is given memory for"
        )

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probabilities of both labels in R.

        Parameters
        ----------
        X : array or sparse matrix
            Columns of 0 and 1, as in ``fit``.

        Returns
        -------
        array of float
            One row for each observation, one column for each label.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        with temporary_folder("elseif-r") as folder:
            _write_table(folder / "table.bin", sparse.csr_array(X)[:, self.kept_])
            (folder / "model.rds").write_bytes(self.model_)
            self._call("risk", folder)
            risk = np.fromfile(folder / "risk.bin", dtype=np.float64)
        if len(risk) != X.shape[0] or not np.all((risk >= 0) & (risk <= 1)):
            raise ResourceError(
                f"R returned {len(risk)} risks for {X.shape[0]} rows, or risks outside 0 to 1."
            )
        return np.column_stack([1 - risk, risk])

    def predict(self, X: Any) -> np.ndarray:
        """Predict the more probable label.

        Parameters
        ----------
        X : array or sparse matrix
            Columns of 0 and 1, as in ``fit``.

        Returns
        -------
        array
            The predicted labels.
        """
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]

    def _call(self, action: str, folder: Path) -> None:
        program = shutil.which("Rscript")
        if program is None:
            raise ParamError(f"{type(self).__name__} {lacking_in_r(self.package)}.")
        # a list of arguments and never a shell; names of columns stay here
        order = [program, "--vanilla", str(SCRIPTS / "road.R"), action, str(folder)]
        order += [str(SCRIPTS / self.script), str(self.seed_)]
        try:
            done = subprocess.run(
                order, capture_output=True, text=True, timeout=self.max_seconds, check=False
            )
        except subprocess.TimeoutExpired:
            raise ResourceError(
                f"R's package {self.package} was stopped after {self.max_seconds:g} s; allow more "
                "by max_seconds, or give fewer rows and columns."
            ) from None
        if done.returncode:
            message = " ".join(done.stderr.split())[-400:]
            raise ResourceError(f"R's package {self.package} failed: {message or 'no message'}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class C50(RClassifier):
    """C5.0 with the defaults of R's package C50.

    Parameters
    ----------
    random_state : int, default=None
        Seed given to R.
    max_seconds : float, default=None
        R is stopped after this time.
    max_cells : float, default=1e8
        Rows times columns of the largest table that is handed to R.

    Examples
    --------
    >>> from elseif.evaluation import C50
    >>> C50().too_large(n_rows=100, n_columns=20) is None
    True
    """

    package: ClassVar[str] = "C50"
    script: ClassVar[str] = "c50.R"


class BayesianCART(RClassifier):
    """Bayesian CART with the defaults of ``bcart`` in R's package tgp.

    Parameters
    ----------
    random_state : int, default=None
        Seed given to R.
    max_seconds : float, default=None
        R is stopped after this time.
    max_cells : float, default=1e8
        Rows times columns of the largest table that is handed to R.

    Examples
    --------
    >>> from elseif.evaluation import BayesianCART
    >>> BayesianCART().too_large(n_rows=100, n_columns=20) is None
    True
    """

    package: ClassVar[str] = "tgp"
    script: ClassVar[str] = "bayesian_cart.R"

    def __init__(
        self,
        max_cells: float = 2e6,
        max_seconds: float | None = 600.0,
        random_state: int | None = None,
    ) -> None:
        super().__init__(max_cells, max_seconds, random_state)


def _varies(X: Any) -> np.ndarray:
    """Whether each column of a sparse table has more than one value."""
    highest, lowest = X.max(axis=0), X.min(axis=0)
    return np.asarray((highest - lowest).todense()).ravel() > 0


def _write_table(path: Path, X: Any) -> None:
    """Size, then places from 1 and values of what is not 0, as R's readBin wants them."""
    cells: Any = sparse.coo_array(X)
    with path.open("wb") as file:
        np.array([*cells.shape, cells.nnz], dtype=np.int32).tofile(file)
        for positions in cells.coords:
            (np.asarray(positions) + 1).astype(np.int32).tofile(file)
        cells.data.astype(np.float64).tofile(file)
