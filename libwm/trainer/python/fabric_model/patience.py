"""Role: how long the first batch of a shape may take: frameworks compile then."""

import os

_START_LIMIT_S = 600.0


def limit_s():
    """@units seconds"""
    try:
        return float(os.environ.get('WM_START_LIMIT_S', _START_LIMIT_S))
    except ValueError:
        return _START_LIMIT_S
