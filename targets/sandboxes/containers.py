"""What stands around a container that a manager or an engine runs, so that nothing of it stays."""

import csv
import io

# Monitors, daemons and shims live on where what started them is killed, and their notes stay in /run:
# all of them are in namespaces that end with it. The machine's own containers are not seen from there.
AROUND = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
OWN_RUN = "mount -t tmpfs none /run"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

# They are busy until what was in them has ended.
_REMOVE = """\
for _ in 1 2 3 4 5 6 7 8 9; do
    find /sys/fs/cgroup -depth -type d -regex "$0" -exec rmdir {} + 2> /dev/null
    [ "$(find /sys/fs/cgroup -type d -regex "$0" -print -quit)" ] || exit 0
    sleep 0.1
done
exit 1"""


def without_groups(mark: str) -> tuple[str, ...]:
    """Return the command that removes the control groups of a container that was killed."""
    return ("sh", "-c", _REMOVE, rf".*/{mark}\(/.*\)?")


def mount(place: str, *more: str) -> str:
    """Return the option that binds a place where it stands; it is read as a line of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(
        ("type=bind", f"src={place}", f"dst={place}", *more)
    )
    return f"--mount={line.getvalue()}"
