"""A statement of the paper with our verdict."""

from typing import NamedTuple

YES, PARTLY, NO = "holds", "holds in part", "does not hold"


class Claim(NamedTuple):
    """What the paper says and where, whether it holds, and why we think so."""

    where: str
    statement: str
    verdict: str
    evidence: str
    figure: str = ""
