from elseif.conditions.binarise import ColumnReport as ColumnReport
from elseif.conditions.condition import Condition as Condition
from elseif.conditions.fit_report import FitReport as FitReport
from elseif.conditions.training_range import TrainingRange as TrainingRange
