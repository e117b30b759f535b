"""Evaluators that fall to each technique of sources, and what each technique falls to."""

import ast
import importlib
import os.path
import re
import string
import subprocess
from pathlib import Path

from capfuzz.attacks.case import Surface
from capfuzz.attacks.trace import Trace
from capfuzz.targets.broken import FAULTS
from capfuzz.targets.eval import EvalTarget


class Evaluates(EvalTarget):
    """An eval target that adapts by itself, and leaves nothing planted between two runs."""

    def run(self, case, patience=1.0):
        """Run the case in the form that the function understands, if there is one."""
        try:
            adapted = self.adapt(case)
            if adapted is None:
                return Trace(case, self.surface, ())
            return super().run(adapted, patience)
        finally:
            self.close()


def guard(thing, name):
    """Get an attribute, as a function of the host that sandboxes hand to the code."""
    return getattr(thing, name)


def python(source):
    """Run Python with everything, among what sandboxes and applications hand out."""
    tree = ast.parse(source)
    names = {"_getattr_": guard, "string": string, "path": os.path}
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<code>", "exec"), names)
    return last and eval(compile(ast.Expression(last.value), "<code>", "eval"), names)


class Filter:
    """What stands behind a bar in a template."""

    def __init__(self, act):
        self.act = act

    def __ror__(self, value):
        """Apply the filter to what stands in front."""
        return self.act(value)


class Lipsum:
    """A function of the host that also gives its attributes to whoever writes brackets."""

    def __init__(self):
        self.__globals__ = globals()

    def __getitem__(self, name):
        """Get an attribute."""
        return getattr(self, name)


FILTERS = {
    "attr": lambda name: Filter(lambda value: getattr(value, name)),
    "apply": lambda *given: Filter(lambda called: called(*given)),
}


def template(source):
    """Render expressions with filters, and include files."""
    included = re.sub(r"\{% include '(.*?)' %\}", lambda found: Path(found[1]).read_text(), source)
    names = {"lipsum": Lipsum(), **FILTERS}
    return re.sub(r"\{\{ (.*?) \}\}", lambda found: str(eval(found[1], names)), included)


def template_without_brackets(source):
    """Refuse brackets, which honest templates have, too."""
    if "(" in source:
        raise ValueError("a bracket")
    return template(source)


def javascript(source):
    """Have Node print the value of a script."""
    ran = subprocess.run(["node", "-p", source], capture_output=True, text=True, check=True)
    return ran.stdout


def javascript_without_brackets(source):
    """Compute, and refuse brackets."""
    if "(" in source:
        raise ValueError("a bracket")
    return 42 if source.startswith('"') else python(source)


_FAULTS = {one.name: one for one in FAULTS if one.surface is Surface.EVAL}


def _fault(name):
    module, _, name = _FAULTS[name].spec.removeprefix("py:").partition(":")
    return Evaluates(name, getattr(importlib.import_module(module), name))


EVAL = {
    "evaluates Python": Evaluates("python", python),
    "computes without a bound": Evaluates("endless", python, op_limit=0.5, bounded=True),
    "renders templates": Evaluates("template", template),
    "renders no brackets": Evaluates("brackets", template_without_brackets),
    "runs JavaScript": Evaluates("javascript", javascript, op_limit=5.0),
    "computes no brackets": Evaluates("brackets", javascript_without_brackets),
    **{f"eval fault {name}": _fault(name) for name in _FAULTS},
}

FALLS_TO = {
    "evaluates Python": (
        "eval-plain eval-namespace eval-import eval-module-attributes eval-imported-attributes "
        "eval-coroutine-frame eval-traceback eval-special-methods "
        "eval-exception-object eval-formatter eval-lying-name eval-odd-spelling "
        "eval-indirect-call eval-function-globals eval-builtin-self eval-match-pattern"
    ),
    "computes without a bound": (
        "eval-big-number eval-long-text eval-endless-loop eval-slow-pattern"
    ),
    "eval fault frames_forgotten": "eval-generator-frame",
    "eval fault format_within_reach": "eval-format-string",
    "eval fault spec_in_format_string": "eval-format-spec",
    "eval fault getattr_handed_out": "eval-attribute-by-name",
    "eval fault words_in_text": "eval-unicode-names",
    "eval fault builtins_removed": "eval-object-graph",
    "eval fault refuses_brackets": "honest-python",
    "eval fault template_of_anybody": "jinja-walk",
    "renders templates": (
        "jinja-subscript jinja-attr-filter jinja-format jinja-format-got jinja-format-passed "
        "jinja-inside"
    ),
    "renders no brackets": "honest-jinja",
    "runs JavaScript": (
        "javascript-plain javascript-constructor javascript-constructor-spelt "
        "javascript-host-objects"
    ),
    "computes no brackets": "honest-javascript",
}
