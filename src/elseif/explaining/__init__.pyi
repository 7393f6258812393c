from elseif.explaining.case import UNKNOWN as UNKNOWN
from elseif.explaining.explanation import (
    Explanation as Explanation,
    explain as explain,
)
from elseif.explaining.unknown_values import (
    Possibilities as Possibilities,
    possibilities as possibilities,
    possible_rules as possible_rules,
)
