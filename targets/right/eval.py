"""Right eval targets: ``NAME(source)``, each written in another style."""

import ast
import re
from types import CodeType
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.targets.right.evaluator import EvaluationError, Evaluator
from capfuzz.targets.right.registry import right


@right(Surface.EVAL, "tree walker")
def tree_walker(source: str) -> Any:
    """Walk the syntax tree, and know numbers, names, conditions and bounded loops alone."""
    return Evaluator().run(source)


tree_walker.bounded = True  # type: ignore[attr-defined]


_TOKEN = re.compile(r"\s*(?:(\d+\.\d+|\d+)|([-+*/()]))")
_MOST_TOKENS = 500


def _tokens(source: str) -> list[str]:
    found, at = list[str](), 0
    while source[at:].strip():
        match = _TOKEN.match(source, at)
        if match is None or len(found) >= _MOST_TOKENS:
            raise EvaluationError("not a number, an operator or a bracket")
        found.append(match[1] or match[2])
        at = match.end()
    return found


class _Sum:
    """A parser by recursive descent over the tokens of a formula."""

    def __init__(self, tokens: list[str]) -> None:
        self._left = tokens[::-1]

    def whole(self) -> float:
        """Return the value of all tokens."""
        value = self._sum()
        if self._left:
            raise EvaluationError("something is left over")
        return value

    def _sum(self) -> float:
        value = self._product()
        while self._left and self._left[-1] in "+-":
            sign = 1 if self._left.pop() == "+" else -1
            value += sign * self._product()
        return value

    def _product(self) -> float:
        value = self._item()
        while self._left and self._left[-1] in "*/":
            times = self._left.pop() == "*"
            other = self._item()
            value = value * other if times else value / other
        return value

    def _item(self) -> float:
        part = self._left.pop()
        if part == "-":
            return -self._item()
        if part != "(":
            return float(part) if "." in part else int(part)
        value = self._sum()
        if self._left.pop() != ")":
            raise EvaluationError("a bracket is not closed")
        return value


@right(Surface.EVAL, "parser of its own")
def own_parser(source: str) -> float:
    """Parse formulas of numbers, four operators and brackets, and nothing else."""
    return _Sum(_tokens(source)).whole()


own_parser.bounded = True  # type: ignore[attr-defined]


@right(Surface.EVAL, "code object", not_promised=("bounds",))
def code_without_names(source: str) -> Any:
    """Compile an expression, and run it only where its code names nothing and holds no other."""
    code = compile(source, "<expression>", "eval")
    if code.co_names or any(isinstance(one, CodeType) for one in code.co_consts):
        raise EvaluationError("names something")
    return eval(code, {"__builtins__": {}})  # noqa: S307 - names nothing, so it reaches nothing


@right(Surface.EVAL, "nodes listed", not_promised=("bounds",))
def listed_nodes(source: str) -> Any:
    """Parse an expression, and let Python run it where every node is on a short list."""
    tree = ast.parse(source, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, _LISTED):
            raise EvaluationError(f"{type(node).__name__} is not listed")
    return eval(compile(tree, "<expression>", "eval"), {"__builtins__": {}})  # noqa: S307 - see above


_LISTED = (
    *(ast.Expression, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.List),
    *(ast.Tuple, ast.Load, ast.operator, ast.unaryop, ast.cmpop),
)


@right(Surface.EVAL, "template")
def number_template(source: str) -> str:
    """Replace formulas in double braces by their values; blocks and filters are refused."""
    if "{%" in source:
        raise EvaluationError("blocks are not rendered")
    return re.sub(r"\{\{(.*?)\}\}", lambda found: str(Evaluator().run(found[1].strip())), source)
