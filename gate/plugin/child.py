"""``capfuzz`` as the plugin runs it: it ends when pytest does, however that ends."""

import signal

from capfuzz.gate.cli import main
from capfuzz.targets.processes import end_with_parent

if __name__ == "__main__":
    end_with_parent(signal.SIGTERM)
    main()
