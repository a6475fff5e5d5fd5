"""``python -m pypmeans``, and the command ``pypmeans``."""

import signal
import sys


def main():
    """Run the command line, or say how to install what it needs."""
    try:
        from pypmeans.cli import run
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "pypmeans":
            raise
        message = f'The command requires {package}: pip install "pypmeans[cli]".'
        print(f"pypmeans: {message}", file=sys.stderr)
        sys.exit(1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that drafts are removed
    run()


if __name__ == "__main__":
    main()
