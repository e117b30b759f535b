"""A small evaluator that walks the syntax tree: what no method stands for is refused."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

LARGEST = 10**30  # no number that is computed may be larger
MOST_STEPS = 10_000  # nodes visited in one evaluation
LONGEST = 10_000  # characters of a source
_OPERATORS: Mapping[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.Eq: operator.eq,
}


class EvaluationError(ValueError):
    """Code that is not evaluated; the text says what it is."""


class Evaluator:
    """
    Evaluates statements over numbers, names, conditions and loops, with a bound on all of it.

    The value is that of the last expression. Subclasses add nodes as methods ``on_`` and the
    node's name in small letters.
    """

    def __init__(self, names: Mapping[str, Any] | None = None) -> None:
        self.names = dict(names or {})
        self.steps = 0

    def run(self, source: str) -> Any:
        """Return the value of the last expression of ``source``; raises what it refuses."""
        if len(source) > LONGEST:
            raise EvaluationError("too long")
        value = None
        for statement in ast.parse(source).body:
            value = self.visit(statement)
        return value

    def visit(self, node: ast.AST) -> Any:
        """Return the value of a node."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise EvaluationError("too many steps")
        handler = getattr(self, f"on_{type(node).__name__.lower()}", None)
        if handler is None:
            raise EvaluationError(f"{type(node).__name__} is not evaluated")
        return handler(node)

    def on_expr(self, node: ast.Expr) -> Any:
        """Evaluate an expression that stands for itself."""
        return self.visit(node.value)

    def on_constant(self, node: ast.Constant) -> Any:
        """Take a number or a text as it is."""
        return self.bounded(node.value)

    def on_name(self, node: ast.Name) -> Any:
        """Look a name up."""
        return self.names[node.id]

    def on_assign(self, node: ast.Assign) -> None:
        """Give a value one name."""
        (target,) = node.targets
        if not isinstance(target, ast.Name):
            raise EvaluationError("only names are assigned to")
        self.names[target.id] = self.visit(node.value)

    def on_binop(self, node: ast.BinOp) -> Any:
        """Compute with two numbers."""
        one, other = self.visit(node.left), self.visit(node.right)
        return self.bounded(self.operator(node.op)(self.number(one), self.number(other)))

    def on_unaryop(self, node: ast.UnaryOp) -> Any:
        """Turn a number's sign."""
        return self.operator(node.op)(self.number(self.visit(node.operand)))

    def on_compare(self, node: ast.Compare) -> Any:
        """Compare two numbers."""
        (compared,), (other,) = node.ops, node.comparators
        return self.operator(compared)(self.visit(node.left), self.visit(other))

    def on_if(self, node: ast.If) -> None:
        """Run one of two branches."""
        for statement in node.body if self.visit(node.test) else node.orelse:
            self.visit(statement)

    def on_while(self, node: ast.While) -> None:
        """Run a body while a condition holds, or until the steps are used up."""
        while self.visit(node.test):
            for statement in node.body:
                self.visit(statement)

    def operator(self, node: ast.AST) -> Callable[..., Any]:
        """Return what an operator does."""
        if type(node) not in _OPERATORS:
            raise EvaluationError(f"{type(node).__name__} is not computed")
        return _OPERATORS[type(node)]

    def number(self, value: Any) -> Any:
        """Return a value that can be computed with."""
        if type(value) not in {int, float}:
            raise EvaluationError("only numbers are computed with")
        return value

    def bounded(self, value: Any) -> Any:
        """Return a value that is not too large."""
        if isinstance(value, int | float) and abs(value) > LARGEST:
            raise EvaluationError("too large")
        return value
