"""Role: who works on what in async; see below."""


class Desk:
    """To be."""

    commits = 0
