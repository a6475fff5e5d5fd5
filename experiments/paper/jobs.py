"""All jobs of a run: what each needs is in its arguments, so that any process can do it."""

from typing import NamedTuple

from paper import properties, real, speed, synthetic

KINDS = real, synthetic, properties
FUNCTIONS = {
    f"{kind.__name__.rpartition('.')[2]}.{function.__name__}": function
    for kind in (*KINDS, speed)
    for function in kind.JOBS
}


class Job(NamedTuple):
    """A piece of work that gives rows."""

    function: str
    arguments: tuple

    @property
    def name(self):
        """For people and for the file."""
        words = "_".join(str(argument) for argument in self.arguments)
        return f"{self.function}-{words}".replace(" ", "-").replace("/", "-")


def shared_jobs(settings):
    """Jobs that two processes can do side by side."""
    return [Job(*parts) for kind in KINDS for parts in kind.jobs(settings)]


def timed_jobs(settings):
    """Jobs that want the machine for themselves."""
    return [Job(*parts) for parts in speed.jobs(settings)]


def perform(job, settings):
    """The rows of a job."""
    return list(FUNCTIONS[job.function](settings, *job.arguments))
