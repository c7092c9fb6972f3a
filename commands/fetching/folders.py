"""Role: folders that are here already, such as uploaded files of a data asset: a task or a volume gets its own copy."""

import os
import shutil

from fetching.connections import Refused


def names(top):
    """Paths of the files below it, links among them, from it on."""
    found = []
    for folder, folders, files in os.walk(top, onerror=unreadable):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        found += [os.path.relpath(os.path.join(folder, name), top) for name in files + links]
    return sorted(found)


def unreadable(problem):
    """A folder that cannot be read is no empty one."""
    raise Refused(f'{problem.filename}: {problem.strerror}')


def listing(top):
    """What is there: paths, sizes and times of change."""
    found = []
    for name in names(top):
        facts = os.lstat(os.path.join(top, name))
        found.append((name, facts.st_size, facts.st_mtime_ns))
    if not found:
        raise Refused(f'{top}: nothing is there')
    return found


def copy(top, folder, progress):
    """Brings it below `folder`; what another source has brought under the same name is replaced."""
    done = progress.state.get('before', 0)
    for name in names(top):
        source, target = os.path.join(top, name), os.path.join(folder, name)
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.lexists(target):
                os.unlink(target)
            shutil.copy2(source, target, follow_symlinks=False)
        except OSError as problem:
            raise Refused(f'{source}: {problem.strerror}') from None
        done += os.lstat(target).st_size
        progress.tell(bytes=done)
