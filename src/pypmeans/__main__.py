"""``python -m pypmeans``, and the command ``pypmeans``."""

import signal
import sys
from threading import Timer


def interrupt(number, frame):
    """Stop at Ctrl-C; a little later where a compiler calls back, which would lose it."""
    caller = frame
    while caller is not None:
        if caller.f_globals.get("__name__") == "llvmlite.binding.executionengine":
            again = Timer(0.02, signal.raise_signal, [number])
            again.daemon = True
            again.start()
            return
        caller = caller.f_back
    signal.default_int_handler(number, frame)


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
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not if told to ignore it
        signal.signal(signal.SIGINT, interrupt)
    run()


if __name__ == "__main__":
    main()
