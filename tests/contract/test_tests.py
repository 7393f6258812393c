"""What holds of the tests themselves: every module has some, and none uses private names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import elseif
from tests.conftest import LONG_FILES

TESTS = Path(__file__).parents[1]
SOURCE = Path(elseif.__file__).parent
PRIVATE = re.compile(r"_(?!_)(?!repr_\w+_$)\w+")  # _repr_html_ and the like are IPython's names
DOTTED = re.compile(r"\belseif(?:\.\w+)+")

# modules that no test names: the tests that reach them through a door of their package
THROUGH_A_DOOR = {
    "engines/test_same_draws.py": "engine_fitting engines.expressions",
    "engines/test_streaming.py": "engines.row_batches",
    "shards/test_dask.py": (
        "antecedents.sharded_mining engines.sharded_patterns shards.dask_holder"
    ),
    "shards/test_shards.py": "compiled.split_step",
    "cohort/test_fit_database.py": "cli.database_table",
    "antecedents/test_antecedents.py": "antecedents.named_levels",
    "antecedents/test_near_equivalents.py": "antecedents.near_equivalents",
    "antecedents/test_screening.py": "antecedents.screening",
    "projection/test_doors.py": "cli.project",
    "disclosure/test_attack.py": "disclosure.linear_attack",
    "cli/test_program.py": "__main__ cli.interrupts cli.standard_input",
    "cli/test_commands.py": (
        "cli.arguments cli.demo cli.edit cli.explain cli.export cli.models cli.predict "
        "cli.report cli.show cli.tables cli.grouped_command cli.option_groups "
        "report.report_options"
    ),
    "cli/test_extract.py": "cli.extract",
    "federation/test_federation.py": (
        "cli.federate cli.plan cli.site federation.federating federation.plan "
        "federation.plan_file federation.site_counts fitting"
    ),
    "evaluation/test_sample_size.py": "cli.samplesize",
    "evaluation/test_truth_and_risk.py": "evaluation.truth_and_risk",
    "ohdsi/test_cdm_sql.py": "cohort.scoring_queries ohdsi.cdm_sql",
    "ohdsi/test_plp.py": "ohdsi.plp_model ohdsi.plp_results",
    "serving/test_running.py": "cli.serve serving.running",
    "serving/test_app.py": "serving.metrics serving.openapi",
    "serving/test_hostile_requests.py": "serving.requests",
    "serving/test_stopping.py": "serving.slow_clients",
    "cli/test_text_options.py": "cli.text_options",
    "cli/test_reading_as_fit.py": "cli.reading_as_fit",
    "studies/test_stroke_study.py": (
        "cli.study studies.running studies.stroke studies.stroke_contenders "
        "studies.stroke_pages studies.stroke_paper"
    ),
    "contract/test_one_answer.py": "cli.by_place",
    "contract/test_public.py": "studies.titanic",
    "cohort/test_folder.py": "cohort.folder cohort.parts cohort.plan",
    "cohort/test_atlas.py": "cohort.atlas_criteria",
    "cohort/test_definition.py": "cohort.value_checks",
    "cohort/test_features.py": (
        "cohort.feature_matrix cohort.member_queries cohort.number_columns"
    ),
    "cohort/test_warnings.py": "cohort.concept_sets cohort.synthetic",
    "contract/test_models_of_cohorts.py": ("cli.cohort_folder export.cohort_checks tables.origin"),
    "report/test_external_validation.py": (
        "cli.database_source cli.validate report.validation_text"
    ),
    "compiled/test_as_python.py": (
        "compiled.chain compiled.correlation compiled.evidence compiled.exact_sum "
        "compiled.marginal_likelihood compiled.mining "
        "compiled.near_equivalence compiled.prior compiled.short_lists compiled.transfer "
        "compiled.uniforms compiled.vectors"
    ),
    "projection/test_as_python.py": "compiled.projection",
    "sampler/exact/test_positions.py": "compiled.moves.remove_or_reposition compiled.positions",
    "conditions/test_conditions.py": (
        "conditions.levels conditions.matching conditions.hidden_numbers"
    ),
    "datasets/test_stroke_cdm.py": "datasets.patients.people",
    "browser/test_explorer.py": (
        "report.exploration report.explorer_calculator report.explorer_data report.explorer_path"
    ),
    "cli/test_errors.py": "cli.misuse",
    "cli/test_open_and_activity.py": "cli.open_page",
    "cli/test_labels.py": "cli.labels",
    "report/test_findings.py": "report.cautions report.fold_lists",
    "report/test_methods.py": "report.settings_used",
    "showing/test_display_labels.py": ("files.strict_loader files.strict_yaml report.in_words"),
    "showing/test_figures_for_papers.py": "posterior.quantity_names",
    "editing/test_editing.py": "editing.constraints editing.edit_context",
    "evaluation/test_comparison.py": "evaluation.comparison.fitted_inside",
    "projection/test_path.py": (
        "evaluation.projection_scores project_mixin projection.project showing.path_plot "
        "showing.path_text"
    ),
    "projection/test_pages.py": "report.projection_summary",
    "export/test_model_file.py": (
        "export.decoding export.document_part export.encoding export.origin_parts files.sealed"
    ),
    "export/test_model_file_faults.py": "export.checks export.exact_checks export.field_types",
    "export/test_formats.py": (
        "export.dialect_names export.line_cells export.onnx_graph export.plain_text export.pmml "
        "export.sqlite_dates"
    ),
    "export/test_cql.py": "export.fhir export.results",
    "export/test_dmn.py": "export.xml_text",
    "files/test_one_writer.py": "files.folders",
    "test_fitted_model.py": (
        "fitted_attributes list_prior pool_mixin training_labels training_match training_record"
    ),
    "contract/test_forked_children.py": "forking",
    "contract/test_public_names.py": "public_names",
    "contract/test_faults.py": "antecedents.rare_outcomes",
    "antecedents/test_hidden_by_support.py": "antecedents.hidden_by_support",
    "posterior/test_posterior.py": "posterior.collect posterior.steadiness",
    "posterior/test_intervals.py": "posterior.intervals",
    "report/test_summary.py": (
        "report.counted report.decades report.report_data report.grouping report.measures "
        "report.names report.patterns report.plain_data report.posterior_summary report.together "
        "report.training_people report.tripod"
    ),
    "report/test_report.py": "report.charts report.list_lines report.wording",
    "browser/test_calculator.py": "report.answer_cells",
    "browser/test_calculator_sharing.py": "report.calculator_model report.calculator_questions",
    "sampler/test_convergence.py": "sampler.trace_buffer sampler.traces sampler.typical_lists",
    "sampler/test_sample_more.py": "sampling_mixin",
    "contract/test_interrupted_fit.py": "sampler.interruption",
    "showing/test_notebook.py": "showing.convergence_html showing.list_html",
    "showing/test_plots.py": "showing.convergence_plot showing.figures showing.plots",
    "showing/test_golden_text.py": "showing.convergence_text",
    "tables/test_table_matrix.py": (
        "tables.arrow tables.boolean_arrays tables.families tables.times"
    ),
    "tables/test_measured_labels.py": "tables.measured_labels",
    "tables/test_awkward_files.py": "tables.text_header",
    "tables/test_table_faults.py": (
        "tables.look_alikes tables.parsed_text tables.text_columns tables.text_source"
    ),
}
# and what no test runs
REASONS = {
    "elseif.studies.tictactoe": "minutes; tests/paper/test_tictactoe.py fits the same",
}
COVERED_BY = {f"elseif.{m}": test for test, found in THROUGH_A_DOOR.items() for m in found.split()}


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path) for path in SOURCE.rglob("*.py")}


class Use(NamedTuple):
    """A name that a file takes from a module of elseif."""

    module: str
    name: str
    line: int


def uses(source: str) -> Iterator[Use]:
    """Imports, attributes of imported modules, and dotted names in strings (for monkeypatch)."""
    tree = ast.parse(source)
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "elseif":
            assert node.module
            for alias in node.names:
                yield Use(node.module, alias.name, node.lineno)
                if f"{node.module}.{alias.name}" in MODULES:
                    modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "elseif":
                    yield Use(alias.name, "", node.lineno)
                    modules[alias.asname or "elseif"] = alias.name if alias.asname else "elseif"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for dotted in DOTTED.findall(node.value):
                yield Use(*dotted.rpartition(".")[::2], node.lineno)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, _, rest = dotted_name(node).partition(".")
            if first in modules:
                yield Use(*f"{modules[first]}.{rest}".rpartition(".")[::2], node.lineno)
        elif isinstance(node, ast.Call) and last_name(node.func).endswith("setattr"):
            match node.args:
                case [ast.Name(id=owner), ast.Constant(value=str(name)), *_] if owner in modules:
                    yield Use(modules[owner], name, node.lineno)


def dotted_name(node: ast.expr) -> str:
    """The names of a chain of attributes, which begins with a dot if it is not one of a name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id if isinstance(node, ast.Name) else "", *reversed(names)])


def last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


FILES = [
    path.relative_to(TESTS.parent).as_posix()
    for path in sorted(TESTS.rglob("*.py"))
    if path != Path(__file__) and "elseif" in path.read_text("utf-8")
]


@cache
def uses_in(file: str) -> list[Use]:
    """What a file of the tests uses."""
    return list(uses((TESTS.parent / file).read_text("utf-8")))


@cache
def taken(module: str) -> list[Use]:
    """What a module, or the stub of a package, takes from others, now or when it is used."""
    folder = SOURCE.parent.joinpath(*module.split("."))
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    files = [file for file in (path, path.with_suffix(".pyi")) if file.exists()]
    return [use for file in files for use in uses(file.read_text("utf-8"))]


def modules_meant(use: Use) -> set[str]:
    """The module named, and the one from which it has the name."""
    meant = {use.module, f"{use.module}.{use.name}"}
    if use.module in MODULES and use.name:
        meant |= {other.module for other in taken(use.module) if other.name == use.name}
    return meant & MODULES


@pytest.mark.parametrize("file", FILES)
def test_no_private_names(file: str) -> None:
    """Tests use seams: a name with an underscore may change without them."""
    parts = {use: [*use.module.split("."), use.name] for use in uses_in(file)}
    result = [use for use, names in parts.items() if any(map(PRIVATE.fullmatch, names))]
    assert not result


@pytest.mark.parametrize(
    "source",
    [
        "from elseif.sampler.convergence import _status",
        "from elseif.bits import merging\nmerging._may_pay(1)",
        "import elseif\nelseif.bits.merging._may_pay",
        "from elseif.report import page\nmonkeypatch.setattr(page, '_environment', None)",
        "monkeypatch.setattr('elseif.sampler.chain.Chain._advance', None)",
        "import elseif.bits.merging as m\ndef test():\n    m._may_pay.cache_clear()",
    ],
)
def test_private_names_are_found(source: str) -> None:
    """By import, as an attribute of a module, and in what is patched."""
    assert any(PRIVATE.fullmatch(use.name) for use in uses(source))


def named() -> set[str]:
    """Modules that some test names; a package is where its modules are."""
    modules = {m for file in FILES for use in uses_in(file) for m in modules_meant(use)}
    packages = {module.rpartition(".")[0] for module in MODULES}
    return modules | packages


def test_every_module_is_named_by_a_test() -> None:
    """By an import or in a string; or it stands above, with the test that reaches it."""
    missing = MODULES - named() - {*COVERED_BY, *REASONS}
    assert not missing, "a new module needs a test, or a line above"
    assert {*COVERED_BY, *REASONS} <= MODULES


def test_the_doors_are_there() -> None:
    """The table above names no test that is gone."""
    assert [test for test in THROUGH_A_DOOR if not (TESTS / test).exists()] == []


def test_the_long_files_are_there() -> None:
    """Those that are begun first."""
    assert [file for file in LONG_FILES if not (TESTS / file).exists()] == []
