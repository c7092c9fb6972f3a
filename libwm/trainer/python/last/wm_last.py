"""Role: how the modules of this folder come after everybody else's of the same name. The folder stands at
the end of PYTHONPATH, which is still before what is installed in the system or an environment.
"""

import importlib.machinery
import importlib.util
import os
import sys


def give_way(name, file):
    """Called by module `name` of this folder, from `file`, while it is imported: where sys.path leads
    to another one further on, that one becomes the module. @errors what that one raises"""
    here, entries = os.path.dirname(os.path.abspath(file)), [os.path.abspath(e) for e in sys.path]
    if here not in entries:
        return
    spec = importlib.machinery.PathFinder.find_spec(name, sys.path[entries.index(here) + 1:])
    if spec is None or spec.loader is None:  # nobody's, or only a folder of that name
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # what the import in progress hands out
    spec.loader.exec_module(module)
