"""A campaign as tasks: done anywhere, in any order, they find what a run in one go finds."""

import pickle
import random
from dataclasses import replace

import pytest
from capfuzz.gate.campaign import attack
from capfuzz.gate.explore import explore, rounds
from capfuzz.gate.hand import Answer
from capfuzz.gate.log import Log
from capfuzz.gate.plan import Plan
from capfuzz.gate.report.as_json import to_dict
from capfuzz.gate.tasks import Ground
from capfuzz.targets.spec import Options, load

PATIENT = Options(op_limit=60.0)  # no busy machine is to look like a hang
BROKEN = "py:capfuzz.targets.broken.session:{}"
# By what the fault shows: the corpus; comparisons; what is generated, where nothing else is tried.
CAMPAIGNS = {
    "held": ("engine", {}),
    "corpus": (BROKEN.format("prefix_without_boundary"), {}),
    "comparisons": (BROKEN.format("exists_leak"), {}),
    "generated": (BROKEN.format("max_ops_off_by_one"), {"families": ("generated",)}),
}


class Anyhow:
    """A crew that does the tasks in any order, each on ground of its own, as far processes do."""

    def __init__(self, spec, plan):
        self._spec, self._plan = spec, plan
        self._random = random.Random(5)

    def each(self, jobs):
        """Do all and yield the answers in the order of the jobs."""
        order = self._random.sample(range(len(jobs)), len(jobs))
        results = {number: self._sent(self._far(self._sent(jobs[number]))) for number in order}
        yield from (Answer(results[number]) for number in range(len(jobs)))

    def _far(self, job):
        return job.done(Ground(load(self._spec, PATIENT), self._plan))

    def _sent(self, thing):
        return pickle.loads(pickle.dumps(thing))


def told(spec, plan, crew=None):
    """Return a campaign's report but for the time it took."""
    *_, report = attack(load(spec, PATIENT), plan, crew)
    return to_dict(replace(report, duration_s=0.0))


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "more"), CAMPAIGNS.values(), ids=CAMPAIGNS)
def test_tasks_done_anyhow_give_the_same_report(spec, more, vectors):
    """What is found would depend on how many processes there are, and which one was the faster."""
    plan = Plan(vectors[::10], "quick", **more)
    whole = told(spec, plan)
    assert whole == told(spec, plan, Anyhow(spec, plan))
    assert ("held" if spec == "engine" else "broken") == whole["verdict"]


@pytest.mark.parametrize("examples", [0, 1, 252, 253, 1_500, 50_000])
def test_rounds_leave_no_generated_case_out(examples):
    """A case would be tried twice, or by nobody; a late round would know nothing of the first."""
    shares = [share for tasks in rounds(examples) for share in tasks]
    numbers = [number for share in shares for number in range(share.start, share.stop)]
    assert [*range(examples)] == numbers
    sizes = [len(tasks) for tasks in rounds(examples)]
    assert sizes[:-1] == [2 << number for number in range(len(sizes) - 1)]


def test_a_fault_that_is_new_costs_no_generated_case():
    """A target with many faults would be tried less, as each ends the draw in which it is seen."""
    log, target = Log(), load(BROKEN.format("prefix_without_boundary"), Options())
    *_, done = explore(target, 300, 8, 0, log)
    assert (300, True) == (done, log.cases > 300)
    assert log.hits
