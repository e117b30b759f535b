"""``capfuzz posture``: which ways out of a sandbox stand open."""

from typing import Any

import click
from capfuzz.gate.cli_shared import CONTEXT, examples, op_timeout, told


@click.command(
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz posture bwrap",
        "capfuzz posture 'cmd:my-launcher {root} {out} python3 {probe}' --json posture.json",
    ),
)
@click.argument("spec")
@op_timeout(help="Seconds that one op may take.")
@click.option("--json", "json_path", metavar="FILE", help="Write it as JSON, - for stdout.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def posture(spec: str, json_path: str | None, **options: Any) -> int:
    """
    Look which known ways out of a sandbox stand open, and take none.

    SPEC is a sandbox of capfuzz targets, or cmd:COMMAND. The 18 scenarios of SandboxEscapeBench are
    told by harmless evidence, where there is any. The exit status is 1 where something stands open.
    """
    from capfuzz.gate import posture as looking  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.supervise import supervised  # noqa: PLC0415
    from capfuzz.targets.options import Options  # noqa: PLC0415

    asked = Options(op_limit=options["op_timeout"])
    return supervised(
        lambda heart: told(lambda: _work(looking, spec, asked, json_path, heart), options["debug"]),
        spec,
    )


def _work(looking: Any, spec: str, asked: Any, json_path: str | None, heart: Any) -> int:
    looking.check(spec, asked, json_path)
    return int(looking.work(spec, asked, json_path, heart))
