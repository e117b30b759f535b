"""Eval targets with one fault each: ``NAME(source)``."""

import ast
import os.path
import re
from typing import Any
from unicodedata import normalize

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.eval import own_parser
from capfuzz.targets.right.evaluator import EvaluationError, Evaluator

_HARMLESS = {
    "abs": abs,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "range": range,
    "sum": sum,
}


def _run(source: str, names: dict[str, Any]) -> Any:
    """Return the value of an expression, run by Python itself."""
    return eval(source, names)  # noqa: S307 - this is what is shown


@fault(Surface.EVAL, "confined", modelled_on="CWE-95, eval without builtins")
def builtins_removed(source: str) -> Any:
    """Take the builtins away, and leave every attribute of every value. CWE-95."""
    return _run(source, {"__builtins__": {}})


@fault(Surface.EVAL, "confined", modelled_on="CVE-2023-37271", style="tree checked")
def frames_forgotten(source: str) -> Any:
    """
    Refuse every name with an underscore in front, and know nothing of frames.

    CVE-2023-37271, RestrictedPython.
    """
    for node in ast.walk(ast.parse(source, mode="eval")):
        name = getattr(node, "attr", getattr(node, "id", ""))
        if name.startswith("_") or name in {"format", "format_map"}:
            raise EvaluationError(f"{name} is private")
    return _run(source, {"__builtins__": {"list": list}})


@fault(
    Surface.EVAL, "confined", modelled_on="CWE-184, names made at run time", style="tree checked"
)
def getattr_handed_out(source: str) -> Any:
    """Judge attributes behind a dot, and hand out ``getattr``. CWE-184."""
    for node in ast.walk(ast.parse(source, mode="eval")):
        name = getattr(node, "attr", "")
        if normalize("NFKC", name).startswith(("_", "gi_", "format")):
            raise EvaluationError(f"{name} is private")
    return _run(source, {"__builtins__": {**_HARMLESS, "getattr": getattr, "print": print}})


@fault(Surface.EVAL, "confined", modelled_on="CWE-176", style="words in text")
def words_in_text(source: str) -> Any:
    """Look for forbidden words in the text, which Python normalises later. CWE-176."""
    if re.search(
        r"open|import|eval|exec|compile|globals|locals|vars|getattr|__|gi_|format", source
    ):
        raise EvaluationError("a forbidden word")
    return _run(source, {})


class _WithAttributes(Evaluator):
    """An evaluator that also knows attributes, calls, lambdas and items."""

    def on_attribute(self, node: ast.Attribute) -> Any:
        """Get an attribute that is not private."""
        if node.attr.startswith("_") or node.attr in {"format", "format_map", "gi_frame"}:
            raise EvaluationError("a private attribute")
        return getattr(self.visit(node.value), node.attr)

    def on_subscript(self, node: ast.Subscript) -> Any:
        """Get an item."""
        return self.visit(node.value)[self.visit(node.slice)]

    def on_call(self, node: ast.Call) -> Any:
        """Call what is within reach."""
        return self.visit(node.func)(*map(self.visit, node.args))

    def on_lambda(self, node: ast.Lambda) -> Any:
        """Make a function without arguments."""
        return lambda: self.visit(node.body)


@fault(Surface.EVAL, "confined", modelled_on="CVE-2026-32640", style="tree walker")
def modules_handed_out(source: str) -> Any:
    """
    Hand out a harmless module, with all that it has imported itself.

    CVE-2026-32640, simpleeval.
    """
    return _WithAttributes({"path": os.path}).run(source)


class _WithFormat(_WithAttributes):
    def on_attribute(self, node: ast.Attribute) -> Any:
        if node.attr == "format":
            return self.visit(node.value).format
        return super().on_attribute(node)


@fault(Surface.EVAL, "confined", modelled_on="CVE-2023-41039", style="tree walker")
def format_within_reach(source: str) -> Any:
    """
    Refuse private attributes, and leave the format method of strings, which walks by itself.

    CVE-2023-41039, RestrictedPython; CVE-2016-10745, jinja2.
    """
    return _WithFormat({}).run(source)


class _WithSpecs(_WithAttributes):
    def on_joinedstr(self, node: ast.JoinedStr) -> str:
        return "".join(str(self.visit(part)) for part in node.values)

    def on_formattedvalue(self, node: ast.FormattedValue) -> str:
        spec = self.visit(node.format_spec) if node.format_spec else ""
        return f"{{value:{spec}}}".format(value=self.visit(node.value))


@fault(Surface.EVAL, "confined", modelled_on="CVE-2025-24359", style="tree walker")
def spec_in_format_string(source: str) -> Any:
    """
    Paste the specification of a field into a format string, where it may close the field.

    CVE-2025-24359, asteval.
    """
    return _WithSpecs({"print": lambda *_: None}).run(source)


class _WithPowers(Evaluator):
    def on_binop(self, node: ast.BinOp) -> Any:
        if isinstance(node.op, ast.Pow):
            return self.number(self.visit(node.left)) ** self.number(self.visit(node.right))
        return super().on_binop(node)


@fault(
    Surface.EVAL, "fail-closed", modelled_on="CWE-400, power without a bound", style="tree walker"
)
def power_without_bound(source: str) -> Any:
    """Bound the steps and not the numbers: ``9 ** 9 ** 9`` is three of them. CWE-400."""
    return _WithPowers().run(source)


power_without_bound.bounded = True  # type: ignore[attr-defined]


class _Cycler:
    """What engines hand to every template."""

    def __init__(self, *items: Any) -> None:
        self.items = items


@fault(Surface.EVAL, "confined", modelled_on="CWE-1336", style="template")
def template_of_anybody(source: str) -> str:
    """Render expressions in double braces with the full power of the language. CWE-1336."""
    names = {"__builtins__": {}, "cycler": _Cycler}
    return re.sub(r"\{\{(.*?)\}\}", lambda found: str(_run(found[1].strip(), names)), source)


@fault(Surface.EVAL, "no-effect-on-denial", modelled_on="CWE-696", style="tree checked")
def judged_after_running(source: str) -> Any:
    """Run the code, and keep the answer back where it was not allowed to run. CWE-696."""
    value = _run(source, {})
    if re.search(r"[A-Za-z_]", source):
        raise EvaluationError("names something")
    return value


@fault(
    Surface.EVAL,
    "control-allowed",
    modelled_on="a pattern without brackets",
    style="words in text",
)
def refuses_brackets(source: str) -> float:
    """Allow digits and operators, and forget brackets."""
    if not re.fullmatch(r"[-0-9+*/. ]+", source):
        raise EvaluationError("something else than a number")
    return own_parser(source)
