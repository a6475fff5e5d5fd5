"""Failures of the command line: one readable line with the remedy, and the exit code."""

import os
import sys

from pypmeans._cli_screen import print_error

FAILED, WRONG_USE, STOPPED = 1, 2, 130
SPELLED = {  # remedies in the words of the command line
    "with missing='drop'": "with --missing drop",
    "with missing='mean'": "with --missing mean",
    "allow it to be overwritten": "overwrite it with --force",
    "choose other columns": "choose other columns with --columns",
    "leave the column out": "leave the column out with --columns",
    "leave out the columns": "leave out the columns with --columns",
    "Name the columns to use": "Name the columns to use with --columns",
    "Give a smaller lam": "Give a smaller --lam",
}


def run_app(app):
    """Run the commands and exit; whatever fails is told in one line."""
    try:
        code = app(prog_name="pypmeans", standalone_mode=False)
        if code == STOPPED:  # newer versions of typer turn an interrupt into this
            raise KeyboardInterrupt
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads any more; what is left in the buffer must not raise once again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILED
    except (KeyboardInterrupt, EOFError):
        print_error("stopped; no output was changed.")
        code = STOPPED
    except Exception as error:
        if os.environ.get("PYPMEANS_TRACEBACK"):
            raise
        code = _tell(error)
    sys.exit(code if isinstance(code, int) else 0)


def _tell(error):
    """Print what went wrong; return the exit code."""
    if hasattr(error, "format_message"):  # a wrong option or argument
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "pypmeans"
        if error.format_message():  # else it was the help that was shown
            print_error(f"{_sentence(error.format_message())} See: {command} --help")
        return WRONG_USE
    if type(error).__name__ == "Abort":
        print_error("stopped; no output was changed.")
        return STOPPED
    print_error(_in_words(error))
    return FAILED


def _in_words(error):
    if isinstance(error, MemoryError):
        return "not enough memory. Use fewer --columns or a smaller file."
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}. Check the disk and the permissions."
    if not isinstance(error, ValueError | ImportError | OSError):
        return (
            f"unexpected {type(error).__name__}: {text}. This is a fault of the program; "
            "PYPMEANS_TRACEBACK=1 shows where, please report it."
        )
    for ours, theirs in SPELLED.items():
        text = text.replace(ours, theirs)
    return " ".join(text.split())


def _sentence(text):
    text = " ".join(text.split())
    return text if text.endswith((".", "?")) else f"{text}."
