"""How every benchmark here is run: iterations, rounds and warm-up are fixed."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import pytest

# The plug-in's own calibration flips between 1 and 20 iterations, and the figures with it.
_ROUNDS, _WARM = 15, 2


@pytest.fixture
def ask(benchmark: Any) -> Callable[..., None]:
    """Time one pass of ``make()`` over ``items``, made afresh for each round; says ops a round."""

    def run(make: Callable[[], Callable[[Any], object]], items: Sequence[Any]) -> None:
        benchmark.extra_info["ops_a_round"] = len(items)
        benchmark.pedantic(
            lambda asked: deque(map(asked, items), maxlen=0),
            setup=lambda: ((make(),), {}),
            rounds=_ROUNDS,
            warmup_rounds=_WARM,
            iterations=1,  # of a pass over all items
        )

    return run


@pytest.fixture
def work(benchmark: Any) -> Callable[..., Any]:
    """Time whole calls of ``function``, and return what the last one returned."""

    def run(function: Callable[[], Any], rounds: int = 5, iterations: int = 1) -> Any:
        return benchmark.pedantic(function, rounds=rounds, iterations=iterations, warmup_rounds=1)

    return run
