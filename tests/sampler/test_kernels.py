"""The kernels that can be asked for, and saved models of those that no longer can be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from elseif import load_model, save_model
from elseif.datasets import load_titanic
from elseif.errors import ParamError
from elseif.parameters import CHOICES, FORMER_KERNELS
from elseif.sampler.move_mix import DEFAULT_KERNEL, KERNELS
from tests.tables.fitting import quick, random_frame

SAVED = Path(__file__).parent / "saved"  # written by a version that had four kernels of chains


def test_kernels_are_named_where_settings_are_checked() -> None:
    """The names are written twice, since the kernels themselves would load Numba."""
    assert set(CHOICES["kernel"]) == {"auto", "exact", *KERNELS}
    assert DEFAULT_KERNEL in KERNELS


@pytest.mark.parametrize("kernel", FORMER_KERNELS)
def test_former_kernels_are_refused_by_name(kernel: str) -> None:
    """The message names the kernels that there are."""
    X, y = random_frame(50, 3)
    with pytest.raises(ParamError, match=rf"'{kernel}'.*'auto', 'exact', 'tempered', 'paper'"):
        quick(kernel=kernel).fit(X, y)


@pytest.mark.parametrize("kernel", FORMER_KERNELS)
def test_models_of_former_kernels_load_and_predict(kernel: str, tmp_path: Path) -> None:
    """The setting is a record; only a new fit with it is refused."""
    X, y = load_titanic("paper")
    model = load_model(SAVED / f"{kernel}.json")
    assert model.kernel == kernel
    assert model.predict_proba(X).shape == (len(y), 2)
    save_model(model, tmp_path / "again.json")
    again = load_model(tmp_path / "again.json")
    assert again.kernel == kernel
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    with pytest.raises(ParamError, match=f"'{kernel}'.*'tempered'"):
        clone(model).fit(X, y)


def test_swap_rates_keep_their_name_in_model_files(tmp_path: Path) -> None:
    """Files of earlier versions load, and those written now have the same fields, and more."""
    path = SAVED / "tempered.json"
    model = load_model(path)
    assert model.convergence_.swap_rates == (0.5, 0.5, 0.5, 1.0, 0.5)
    assert "replace by similar" in model.convergence_.acceptance
    save_model(model, tmp_path / "again.json")
    old, new = (json.loads(p.read_text("utf-8")) for p in (path, tmp_path / "again.json"))
    before, after = old["convergence"], new["convergence"]
    quantities = zip(before.pop("quantities"), after["quantities"], strict=True)
    assert all(first.items() <= second.items() for first, second in quantities)
    assert {name: after[name] for name in before} == before
