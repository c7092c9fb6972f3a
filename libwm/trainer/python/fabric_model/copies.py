"""Role: copies of states, so that training may go on meanwhile; of any framework's tensors and arrays."""

import sys


def is_tensor(value):
    """Whether it is one of torch's, which need not be there."""
    torch = sys.modules.get('torch')
    return torch is not None and torch.is_tensor(value)


def without_functions(value):
    """The same tree without the functions and methods in its dicts."""
    if isinstance(value, list):
        return [without_functions(v) for v in value]
    if not isinstance(value, dict):
        return value
    out = value.copy()
    for key, inner in value.items():
        if callable(inner):
            del out[key]
        else:
            out[key] = without_functions(inner)
    return out


def copy_tensors(value):
    """The same tree with its tensors, arrays and containers copied, so that training may go on meanwhile."""
    if is_tensor(value):
        return value.detach().clone()
    if isinstance(value, dict):
        out = value.copy()  # of its own kind: a Counter counts what it is made of
        for key, inner in value.items():
            out[key] = copy_tensors(inner)
        return out
    if type(value) in (list, tuple):
        return type(value)(copy_tensors(v) for v in value)
    return value.copy() if hasattr(value, 'copy') else value
