"""Why the scenario families hold what they hold: one note for each group of techniques."""

from collections.abc import Mapping
from typing import Any

_LINKS = "https://cwe.mitre.org/data/definitions/{}.html"


def note(bug: str, effect: str, *weaknesses: int) -> Mapping[str, Any]:
    """Return why vectors are there: what is wrong, what comes of it, and the CWEs it belongs to."""
    links = [_LINKS.format(number) for number in weaknesses]
    return {"bug": bug, "effect": effect, "cves": [], "links": links}


_BUDGETS = {
    "max-ops": note(
        "The count of ops is compared one off, or wraps.",
        "An agent runs more ops than it was granted.",
        193,
        770,
    ),
    "max-ops-door": note(
        "The count of ops is compared in some handlers only.",
        "One kind of op stays open after the budget is gone.",
        770,
    ),
    "max-ops-order": note(
        "An op is judged before its budget is.",
        "Guesses go on past the budget, each with an answer of its own.",
        696,
    ),
    "charge-honest": note(
        "A kind of op is not counted.", "That kind may be tried without end.", 770
    ),
    "charge-denied": note(
        "A refused op is not counted.",
        "What is forbidden may be guessed at without end.",
        307,
        799,
    ),
    "charge-malformed": note(
        "A malformed op is not counted.", "Parsers and checks may be probed without end.", 799
    ),
    "charge-failure": note(
        "An op that fails is not counted, or its charge is given back.",
        "A tool that fails after its effect may be called without end.",
        799,
    ),
    "redelivery": note(
        "An op seen before is taken for a redelivery: its first answer stands, its charge falls.",
        "One op, repeated, is free.",
        799,
    ),
    "max-output": note(
        "Output is not measured, measured one off, or measured once it is handed over.",
        "More flows back than was granted.",
        770,
    ),
    "max-output-door": note(
        "Output is compared with what is left in some handlers only.",
        "One door gives output after the budget is gone.",
        770,
    ),
    "output-sum": note(
        "Each output, or each door's, is compared with the whole budget.",
        "Many outputs that fit carry any amount out.",
        770,
    ),
    "output-empty": note(
        "What gives nothing back is charged as output.", "Honest work is refused.", 131
    ),
    "size-channel": note(
        "A refused op is charged what it would have given back.",
        "What is left of the budget tells the size of what is forbidden.",
        203,
    ),
    "output-failure": note(
        "The text of an error is charged as output.", "Honest work is refused.", 131
    ),
    "redirect": note(
        "A redirect is followed instead of being handed back.",
        "A granted host sends the agent anywhere; what it said itself goes uncharged.",
        601,
        918,
    ),
    "stale-size": note(
        "A file is charged by the size that it had before.",
        "A file that has grown flows back uncharged.",
        367,
    ),
    "output-unit": note(
        "Output is measured in characters, or after it was decoded, cleaned or escaped.",
        "Up to four times as many bytes flow back as were granted, or honest output is refused.",
        135,
    ),
    "encode-raises": note(
        "Output is encoded strictly in order to measure it.",
        "An exception comes out of the sandbox, or the output goes uncharged.",
        248,
    ),
    "zero-budget": note(
        "A budget of zero is taken for no budget.", "Nothing granted becomes everything.", 1284
    ),
    "huge-budget": note(
        "A budget is narrowed to a machine word or a float.",
        "It wraps to nothing, or an exception comes out.",
        190,
        681,
    ),
    "which-limit": note(
        "Limits are asked for in another order than the documented one, or after the effect.",
        "The reason misleads whoever tunes the grant; an effect slips in past a limit.",
        696,
    ),
    "race": note(
        "A budget is compared and charged in two steps, without a lock around both.",
        "Threads that come together all see the last unit, and all take it.",
        362,
    ),
    "eager-halt": note(
        "A budget that is used up exactly halts.", "The last granted unit is lost.", 193
    ),
    "budget-regrant": note(
        "An op reaches what its own budget is kept in.", "The agent grants itself more.", 269
    ),
}

_CLOCKS = {
    "max-wall": note(
        "Elapsed ticks are compared one off.", "An agent runs longer than granted.", 193
    ),
    "max-wall-door": note(
        "The clock is read in some handlers only.", "One kind of op has no deadline.", 770
    ),
    "clock-unread": note(
        "The clock is read for allowed ops only.", "Time spent on refusals is free.", 696
    ),
    "clock-origin": note(
        "Time is counted from zero or from the first op.",
        "A clock that starts elsewhere trips at once, or never.",
        682,
    ),
    "clock-stopped": note(
        "A clock that stands still trips, or suspends the other limits.",
        "Honest work is refused, or no limit holds.",
        799,
    ),
    "clock-backwards": note(
        "A step back is subtracted, or counted as time.",
        "A clock that is set back gives time back, or takes it.",
        682,
    ),
    "clock-wrap": note(
        "Elapsed ticks are kept in a narrow field, or in one part of a date.",
        "A long jump looks like none.",
        190,
    ),
    "clock-float": note("Ticks are turned into floats.", "Late ticks are lost in rounding.", 681),
}

_HALTS = {
    "halt": note(
        "Exceeding a budget refuses the op and no more.", "Smaller ops go on as before.", 841
    ),
    "halt-door": note(
        "The halt is asked for in some handlers only.", "One kind of op outlives the halt.", 841
    ),
    "halt-forgotten": note(
        "The halt is a state that a later result or a later tick replaces.",
        "Patience lifts the halt.",
        841,
    ),
}

_SHAPES = {
    "unknown-kind": note(
        "A kind that no check knows is let through to a handler that takes it.",
        "An op runs that nothing has judged.",
        20,
        470,
    ),
    "arity": note(
        "A missing or an extra argument shifts what is checked and what is acted on.",
        "The granted argument is judged, another one is used.",
        234,
        237,
    ),
    "sequence-type": note(
        "A list, a nested op or a text is taken for an op.",
        "It passes by the checks of the shape that was expected.",
        843,
    ),
    "wrong-type": note(
        "An argument is used before its type is known.",
        "An exception comes out, a file is emptied, or what was checked is not what is used.",
        843,
    ),
    "lying-type": note(
        "A check asks the argument itself, through methods that a subclass overrides.",
        "A forbidden name answers that it is the granted one.",
        807,
    ),
    "batch": note(
        "Several ops that come as one are all run.", "Most of them unchecked or uncharged.", 799
    ),
    "after-malformed": note(
        "A malformed op changes how the next is judged.",
        "Checks stay open, or honest work is refused.",
        636,
    ),
    "overlong": note(
        "A long text is cut, copied or parsed before it is judged.",
        "What was checked is not what is used, or the check takes too long.",
        400,
    ),
}

_TOOLS = {
    "tool-error": note(
        "What a tool raises is not contained.",
        "One failing tool ends the run, or opens what comes after it.",
        755,
    ),
    "falsy-output": note(
        "An output that is empty or None is taken for a refusal.", "Honest work is refused.", 253
    ),
    "output-as-verdict": note(
        "What a tool, a file or a host says is taken for a decision or an op.",
        "Whoever writes the text decides what is granted.",
        74,
    ),
    "reentrancy": note(
        "An op that a tool tries is not checked as one that an agent tries.",
        "A granted tool does what the agent may not (confused deputy).",
        441,
    ),
    "reentry-state": note(
        "The mark that a tool is running stays.", "The next op has the tool's rights.", 266
    ),
    "reentry-ops": note(
        "A tool's own ops are not charged to the agent.", "Tools run ops without end.", 770
    ),
    "reentry-output": note(
        "What a tool reads is not charged to the agent.", "Tools carry any amount out.", 770
    ),
    "reentry-time": note(
        "Time does not pass while a tool runs.", "Work inside a tool has no deadline.", 770
    ),
}

_SEQUENCES = {
    "cache-key": note(
        "A decision is remembered under a key that two ops share.",
        "The forbidden one is allowed because the other was.",
        706,
    ),
    "cache-refusal": note(
        "A refusal is remembered under a key that two ops share.", "Honest work is refused.", 706
    ),
    "tired-guard": note(
        "How often something was refused or allowed moves the decision.",
        "Patience, or good conduct, opens what is forbidden.",
        307,
        284,
    ),
    "fail-open": note(
        "After an error the guard is open.", "An op that fails lets the next one through.", 636
    ),
    "session-trust": note(
        "A session is authorised by its first op.", "One right brings the others along.", 862
    ),
    "grant-widening": note(
        "What an op made, wrote or was refused adds to what may be reached.",
        "An agent prepares its own way out.",
        284,
        829,
    ),
    "right-crossing": note(
        "One list of paths serves for reading and for writing.",
        "What may be written may be read, or the other way round.",
        863,
    ),
    "stale-answer": note(
        "An answer is given from memory.", "An op is reported that did not happen.", 367
    ),
    "existence": note(
        "A refusal depends on what was found.",
        "It tells whether a forbidden thing exists.",
        203,
    ),
}

NOTES: Mapping[str, Mapping[str, Any]] = _BUDGETS | _CLOCKS | _HALTS | _SHAPES | _TOOLS | _SEQUENCES
