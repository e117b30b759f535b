"""Which build of Python on which machine: the same code differs by half between two builds."""

import platform
import sys
import sysconfig
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Build:
    """
    An interpreter's build and its machine.

    ``optimised``: built with profile-guided optimisation. ``node`` is the machine's own name.
    """

    implementation: str
    version: str
    compiler: str
    built: str
    flags: str
    optimised: bool
    machine: str
    processor: str
    system: str
    node: str

    def differs_from(self, other: "Build") -> list[str]:
        """Return what makes times incomparable; a renamed machine or a new kernel does not."""
        mine, theirs = asdict(self), asdict(other)
        names = (name for name in mine if name not in {"node", "system"})
        return [
            f"{name}: {theirs[name]} / {mine[name]}" for name in names if mine[name] != theirs[name]
        ]


def this_build() -> Build:
    """Return the build that runs this."""
    flags = str(sysconfig.get_config_var("CONFIG_ARGS") or "")
    return Build(
        implementation=platform.python_implementation(),
        version=platform.python_version(),
        compiler=platform.python_compiler(),
        built=" ".join(platform.python_build()),
        flags=flags,
        optimised="--enable-optimizations" in flags,
        machine=platform.machine(),
        processor=_processor(),
        system=f"{platform.system()} {platform.release()}",
        node=platform.node(),
    )


def _processor() -> str:
    """Return the processor's model, which `platform` leaves empty on Linux."""
    if sys.platform == "linux":
        try:
            with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
                models = (line.partition(":")[2].strip() for line in lines if "model name" in line)
                return next(models, platform.processor())
        except OSError:
            pass
    return platform.processor()
