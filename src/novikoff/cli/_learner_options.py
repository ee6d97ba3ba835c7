"""Options that are made of the signatures of the learners."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from novikoff._learner_names import LEARNERS, ONLINE
from novikoff.errors import input_error, quote

from ._options import ExtraOption
from ._output import flag

NOT_OPTIONS = (
    "warm_start",  # there is one fit
    "verbose",  # the progress bar replaces its messages
    "learners",  # they are not text
    "classes",  # labels come from the data
    "scale",  # an option of how DATA is read, which has this value, too
)
OTHER_FLAGS = {"C": ("-C", "-c"), "tol": ("-e",), "max_iter": ("--passes",)}  # as LIBLINEAR and Vowpal Wabbit name them
_WITHOUT_NONE = {  # None cannot be given on the command line, where it means that the option is missing
    "; None for never": "; 1000000000 for never",
    "None means 1 and -1 all cores": "-1 means all cores",
}
_METAVARS = {int: "N", float: "X", str: "VALUE"}
_METAVARS_OF_TYPES = {"float": "X", "dict": "JSON"}  # in the types of docstrings, beside words: float or "auto"


@dataclass(frozen=True)
class LearnerOptions:
    """The options of a subcommand that has those of learners, besides the parameters of its function.

    Parameters
    ----------
    learners : mapping of str to type
        The learners by name.
    default : str
        The learner if the command line names none.
    before, after : tuple of ExtraOption
        Other options, which the help shows before and after those of the learners.
    """

    learners: Mapping[str, Any]
    default: str
    before: tuple[ExtraOption, ...] = ()
    after: tuple[ExtraOption, ...] = ()

    def all(self) -> list[ExtraOption]:
        """Return the options of all learners, and the others."""
        return [*self.before, *learner_options(self.learners), *self.after]

    def needed(self, function: Callable[..., None], words: Sequence[str]) -> list[ExtraOption]:
        """Return the options that a command line needs: of the learners, only those of the one that it names.

        The others need not be imported then. If the command line has an option that is not among them, all options are
        returned, so that it is known or refused.
        """
        named = self._named(words)
        if named not in self.learners:
            return self.all()
        found = [*self.before, *learner_options({named: self.learners[named]}), *self.after]
        words = [word for word in words if word not in ("-h", "--help")]
        given = {word.partition("=")[0] for word in words if word.startswith("-") and word != "-"}
        return found if given <= {*_own_flags(function), *_flags(found)} else self.all()

    def _named(self, words: Sequence[str]) -> str:
        """Return the learner that a command line names; if it names several, the last one, as typer does."""
        named = self.default
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if word == "--learner":
                named = following
            elif word.startswith("--learner="):
                named = word.partition("=")[2]
        return named


def _own_flags(function: Callable[..., None]) -> Iterator[str]:
    """Return the flags of the parameters of a subcommand, without those of ``**options``."""
    for parameter in list(inspect.signature(function, eval_str=True).parameters.values())[:-1]:
        yield from parameter.annotation.__metadata__[0].param_decls or (flag(parameter.name),)


def _flags(options: Iterable[ExtraOption]) -> Iterator[str]:
    for option in options:
        for flags in option.flags or (flag(option.name),):
            yield from flags.split("/")


def learner_options(learners: Mapping[str, Any]) -> list[ExtraOption]:
    """Return every parameter of some learners as an option, with the first sentence of its description as help."""
    owners: dict[str, dict[str, Any]] = {}
    for name, learner in learners.items():
        for parameter in inspect.signature(learner).parameters:
            if parameter not in NOT_OPTIONS and parameter not in _without_effect(learner):
                owners.setdefault(parameter, {})[name] = learner
    return [_option(parameter, of) for parameter, of in owners.items()]


def _option(name: str, learners: dict[str, Any]) -> ExtraOption:
    first = next(iter(learners.values()))
    hint = _hints(first)[name]
    default = inspect.signature(first).parameters[name].default
    panel = f"Options of {_group(learners)}"
    if hint is bool and default is True:  # it can only be switched off
        help = _help(name, learners, r"^Whether to (\w)", lambda match: "Do not " + match[1])
        return ExtraOption(f"no_{name}", bool, help, panel, (flag(f"no_{name}"),), default=False)
    if hint is bool:
        help = _help(name, learners, r"^Whether to (\w)", lambda match: match[1].upper())
        return ExtraOption(name, bool, help, panel, (flag(name),), default=False)
    kind = next((t for t in (int, float) if hint in (t, t | None)), str)
    flags, shown = (flag(name), *OTHER_FLAGS.get(name, ())), _shown_default(name, learners)
    texts = [_descriptions(cls).get(name, _UNKNOWN).type.partition(", default=")[0] for cls in learners.values()]
    words = [word for text in texts for word in re.findall(r'"(\w+)"', text)]
    words += [_METAVARS_OF_TYPES[word] for text in texts for word in re.findall(r"\b(?:dict|float)\b", text)]
    words = list(dict.fromkeys(words))
    metavar = "|".join(words) if len(words) > 1 else _METAVARS[kind]
    return ExtraOption(name, kind | None, _help(name, learners), panel, flags, metavar, shown_default=shown)


def _help(name: str, learners: dict[str, Any], pattern: str = "", replacement: Any = "") -> str:
    """Return the description of a parameter, for each group of learners if they differ."""
    groups: dict[str, list[str]] = {}
    for learner, cls in learners.items():
        text = re.sub(pattern, replacement, _descriptions(cls).get(name, _UNKNOWN).sentence)
        for words, others in _WITHOUT_NONE.items():
            text = text.replace(words, others)
        groups.setdefault(text, []).append(learner)
    if len(groups) == 1:
        return next(iter(groups))
    return " ".join(f"{text.rstrip('.')} ({_group(names)})." for text, names in groups.items() if text)


def _shown_default(name: str, learners: dict[str, Any]) -> str | None:
    """Return the default of a parameter, for each group of learners if they differ."""
    groups: dict[Any, list[str]] = {}
    for learner, cls in learners.items():
        groups.setdefault(inspect.signature(cls).parameters[name].default, []).append(learner)
    if len(groups) == 1:
        default = next(iter(groups))
        return None if default is None else str(default)
    return "; ".join(f"{default} for {_group(names)}" for default, names in groups.items())


def _group(learners: Iterable[str]) -> str:
    """Return the name of a group of learners, for a heading; if most learners are in it, it names the others."""
    names = list(learners)
    for group, every in (("online learners", ONLINE), ("all learners", LEARNERS)):
        others = [name for name in every if name not in names]
        if set(names) <= set(every) and len(others) < len(names):
            return group + (f" except {', '.join(others)}" if others else "")
    return ", ".join(names)


def _hints(learner: Any) -> dict[str, Any]:
    """Return the types of the parameters; those of a dataclass are evaluated where each field is defined."""
    return typing.get_type_hints(learner if dataclasses.is_dataclass(learner) else learner.__init__)


class _Description(NamedTuple):
    """The type of a parameter in a numpydoc docstring, the first sentence of its description, and all of it."""

    type: str
    sentence: str
    text: str


_UNKNOWN = _Description("", "", "")


@functools.cache
def _descriptions(learner: Any) -> dict[str, _Description]:
    """Return the description of each parameter in a numpydoc docstring."""
    doc = inspect.getdoc(learner) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", doc, re.DOTALL | re.MULTILINE)
    entry = re.compile(r"^(\w[\w, ]*) : (.*)\n((?:[ \t]+.*\n|\n)*)", re.MULTILINE)
    found: dict[str, _Description] = {}
    for names, type_text, text in entry.findall(section[1] if section else ""):
        words = " ".join(text.split("\n\n")[0].split()).replace("``", "")
        sentence = re.match(r".*?\.(?= [A-Z]|$)", words)
        described = _Description(type_text, sentence[0] if sentence else words, words)
        found |= dict.fromkeys(names.split(", "), described)
    return found


@functools.cache
def _without_effect(learner: Any) -> dict[str, str]:
    """Return the parameters that a learner has only because others have them, each with the reason.

    Its docstring says that they have no effect, are not available or are refused. They have no option.
    """
    found = {}
    for name, described in _descriptions(learner).items():
        match = re.search(
            r"\b(?:no effect(?: here)?|not available|refused here), (because .*?)\.", described.text, re.I
        )
        if match is not None and name not in NOT_OPTIONS:
            found[name] = match[1]
    return found


def build(name: str, learners: Mapping[str, Any], options: dict[str, Any]) -> Any:
    """Return the learner of this name with the parameters that were given; those of other learners are refused."""
    if name not in learners:
        raise input_error("--learner", f"there is no learner {quote(name)}. Known: {', '.join(learners)}.")
    refused = _without_effect(learners[name])
    accepted = {p: own for p, own in inspect.signature(learners[name]).parameters.items() if p not in refused}
    given = {option.removeprefix("no_"): (option, value) for option, value in options.items() if is_given(value)}
    for parameter, (option, _) in given.items():
        if parameter not in accepted:
            flags = (f"no_{p}" if accepted[p].default is True else p for p in accepted if p not in NOT_OPTIONS)
            known = ", ".join(map(flag, flags))
            other = " Name another learner with --learner." if name == "tracker" else ""
            reason = f", {refused[parameter]}" if parameter in refused else ""
            raise input_error(flag(option), f"{name} does not have this option{reason}. It has {known}.{other}")
    if "C" in given and "lam" in given:
        raise input_error("--lam", "give --C or --lam, not both.")
    hints = _hints(learners[name])
    plain = (str, str | None)
    values = {p: value if option == p else False for p, (option, value) in given.items()}
    return learners[name](**{p: v if hints[p] in plain else _literal(v) for p, v in values.items()})


def is_given(value: Any) -> bool:
    """Return whether an option of a learner was on the command line."""
    return value is not None and value is not False


def _literal(value: Any) -> Any:
    """Return a value that may be a word, a number, or a JSON object such as {"spam": 2}."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
