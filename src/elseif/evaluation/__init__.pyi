from elseif.evaluation.calibration import (
    Brier as Brier,
    Recalibration as Recalibration,
    brier as brier,
    overstatement as overstatement,
    recalibration as recalibration,
)
from elseif.evaluation.comparison.indicators import Indicators as Indicators
from elseif.evaluation.comparison.published import (
    EVERYBODY as EVERYBODY,
    MEN as MEN,
    PUBLISHED as PUBLISHED,
    WOMEN as WOMEN,
    Figure as Figure,
    Published as Published,
)
from elseif.evaluation.comparison.registry import (
    Comparison as Comparison,
    comparison_classifiers as comparison_classifiers,
)
from elseif.evaluation.comparison.svm import TunedSVM as TunedSVM
from elseif.evaluation.comparison.through_r import (
    C50 as C50,
    BayesianCART as BayesianCART,
)
from elseif.evaluation.comparison.trees import (
    PrunedTree as PrunedTree,
    TunedForest as TunedForest,
)
from elseif.evaluation.contenders import (
    Contender as Contender,
    FoldResult as FoldResult,
    Scores as Scores,
)
from elseif.evaluation.cross_validation import (
    Validation as Validation,
    cross_validate as cross_validate,
    held_out as held_out,
)
from elseif.evaluation.discrimination import (
    Curve as Curve,
    auc_with_interval as auc_with_interval,
)
from elseif.evaluation.folds import stratified_folds as stratified_folds
from elseif.evaluation.intervals import Estimate as Estimate
from elseif.evaluation.keeper import (
    FitKey as FitKey,
    Keeper as Keeper,
)
from elseif.evaluation.net_benefit import (
    DecisionCurve as DecisionCurve,
    decision_curve as decision_curve,
)
from elseif.evaluation.sample_size import (
    Criterion as Criterion,
    SampleSize as SampleSize,
    cox_snell_r2 as cox_snell_r2,
    development_sample_size as development_sample_size,
)
from elseif.evaluation.sample_size_validation import (
    sample_size_to_validate as sample_size_to_validate,
    validation_sample_size as validation_sample_size,
)
from elseif.evaluation.scores import (
    CHADS2 as CHADS2,
    CHA2DS2VASc as CHA2DS2VASc,
    PointScore as PointScore,
)
from elseif.evaluation.stability import (
    agreement as agreement,
    most_common as most_common,
)
from elseif.evaluation.table_of_classifiers import (
    Compared as Compared,
    Measured as Measured,
    Population as Population,
    compare as compare,
    spread as spread,
)
from elseif.evaluation.updating import recalibrate as recalibrate
