"""The command line: ``warpsmith …``, and ``python -m warpsmith …``.

Called through a link that is named as a vendor's tool (``ptxas``), it takes that tool's place.
"""

import os
import signal
import sys

from . import _native, _tools


def main() -> int:
    """Runs the command line of this process; the exit status."""
    # The work is not Python's: Ctrl-C and a closed pipe end it as they end any other program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.argv[1:2] == ["paths"]:
        return _tools.main(sys.argv[2:])
    called = sys.argv[0]
    name = "warpsmith" if os.path.basename(called) == "__main__.py" else called
    return _native.main([name, *sys.argv[1:]], _tools.script())


if __name__ == "__main__":
    sys.exit(main())
