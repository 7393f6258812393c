from elseif.report.calculator import (
    NOTE as NOTE,
    calculator_page as calculator_page,
)
from elseif.report.edited_list import read_edited_list as read_edited_list
from elseif.report.explorer import explorer_page as explorer_page
from elseif.report.external_validation import (
    ExternalValidation as ExternalValidation,
    validate_externally as validate_externally,
)
from elseif.report.findings import (
    Finding as Finding,
    Verdict as Verdict,
    verdict as verdict,
)
from elseif.report.methods import methods_text as methods_text
from elseif.report.out_of_sample import performance as performance
from elseif.report.plain_data import plain as plain
from elseif.report.report import report_page as report_page
from elseif.report.report_options import ReportOptions as ReportOptions
from elseif.report.summary import (
    Summary as Summary,
    summarise as summarise,
)
from elseif.report.validation_report import validation_page as validation_page
