"""``python -m pypmeans``, and the command ``pypmeans``."""

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
    run()


if __name__ == "__main__":
    main()
