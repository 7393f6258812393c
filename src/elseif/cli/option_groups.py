"""Options that a command gets as one value, such as those declared as fields of a dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


@dataclass(frozen=True)
class Gathered:
    """A parameter of a command that is made from several options."""

    options: Sequence[inspect.Parameter]
    make: Callable[..., Any]


def option(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    """A parameter that typer makes an option of."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=annotation)


def gathering(command: Callable[..., None], **gathered: Gathered) -> Callable[..., None]:
    """A command that has options in place of some of its parameters, which are made from them."""
    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
        parameters += gathered[name].options if name in gathered else own

    @wraps(command)
    def with_options(**given: Any) -> None:
        for name, each in gathered.items():
            given[name] = each.make(**{o.name: given.pop(o.name) for o in each.options})
        command(**given)

    del with_options.__wrapped__  # whose signature has no options
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_options


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command with an option for every field of each parameter that is a dataclass."""
    declared = {
        n: p.annotation for n, p in inspect.signature(command, eval_str=True).parameters.items()
    }
    groups = {
        n: kind for n, kind in declared.items() if is_dataclass(kind) and isinstance(kind, type)
    }
    return gathering(
        command, **{n: Gathered(_options(group), group) for n, group in groups.items()}
    )


def _options(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [option(field.name, _default(field), hints[field.name]) for field in fields(group)]


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()
