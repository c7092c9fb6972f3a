"""Role: checkpoints of a job in $RESULT_DIR/checkpoint, written by rank 0, and the final model in
$RESULT_DIR/model. A checkpoint can be resumed at any world size: it holds what a newcomer is
given (state.py), rank 0's generators, and whose it is: numbers of jobs, and so folders, come again.

  checkpoint.pt.<pid>.tmp ──fsync──► rename ──► checkpoint.pt ──► fsync of the folder
                              checkpoint.pt ──link──► checkpoint.pt.before, which is read where the newer one is damaged

  file   "WMCKPT03", length of the head (8 bytes, little-endian), the head (plain.py), its blocks,
         CRC-32 of all before (4 bytes, little-endian). "WMCKPT02" has no sum.

Invariants: checkpoint.pt is whole at every instant; no bit of it that has changed since is gone on from; periodic ones are written by a thread
from a copy, so that neither training nor a resize waits for the disk; reading one runs nothing of it.
"""

import contextlib
import functools
import os
import random
import sys
import threading
import zlib

import numpy

from . import plain
from .copies import copy_tensors, without_functions

NAME = 'checkpoint.pt'
BEFORE = '.before'  # behind the name: the checkpoint before the newest
_MAGIC, _MAGIC_UNSUMMED = b'WMCKPT03', b'WMCKPT02'
_SUM = 4  # bytes
_CHUNK = 1 << 24
_PICKLES = (b'PK\x03\x04', b'\x80\x02')  # how torch's own files begin


def _write(path, pour, keep=False):
    """Makes the file whole or not at all; `pour(file)` fills it. `keep`: the one that is there stays beside it.
    @errors OSError; those of pour"""
    temporary = f'{path}.{os.getpid()}.tmp'
    try:
        with open(temporary, 'wb') as file:
            pour(file)
            file.flush()
            os.fsync(file.fileno())
        if keep:
            _keep_before(path)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_file(path, pour):
    """Makes a file whole or not at all; `pour(file)` fills it. @errors OSError; those of pour"""
    _write(path, pour)


def _keep_before(path):
    """The checkpoint that is there gets a second name, by which it stays when the next takes its place."""
    if not os.path.exists(path):
        return
    temporary = f'{path}.{os.getpid()}.link'
    with contextlib.suppress(OSError):  # a file system without links keeps one
        os.link(path, temporary)
        os.replace(temporary, path + BEFORE)


def dump(value, file):
    """Writes a tree as a checkpoint. @errors OSError; plain.NotPlain"""
    head, tensors = plain.pack(value)
    start = _MAGIC + len(head).to_bytes(8, 'little') + head
    file.write(start)
    total = zlib.crc32(start)
    for tensor in tensors:
        block = plain.raw(tensor)
        file.write(block)
        total = zlib.crc32(block, total)
    file.write(total.to_bytes(_SUM, 'little'))


def load(path):
    """The tree in a checkpoint. Runs nothing of it.
    @errors OSError; plain.Damaged: the text says what to do"""
    with open(path, 'rb') as file:
        magic = file.read(len(_MAGIC))
        if magic.startswith(_PICKLES):
            raise plain.Damaged(f'checkpoint {path}: a pickle, as versions before this one wrote; reading it can run '
                                'whatever was put into it. Remove it; or, if you trust who wrote it: '
                                f'python3 -m fabric_model.checkpoint {path}')
        if magic not in (_MAGIC, _MAGIC_UNSUMMED):
            raise plain.Damaged(f'checkpoint {path}: begins with {magic!r}, not with {_MAGIC!r}: of another '
                                'version, or damaged. Remove it to begin anew')
        summed = _SUM if magic == _MAGIC else 0
        if summed and not _sum_fits(file):
            raise plain.Damaged(f'checkpoint {path}: its sum is another than when it was written: damaged. Remove it to begin anew')
        return _load_rest(path, file, summed)


def _sum_fits(file):
    """Whether the file's last bytes are the sum of those before; it stands where it stood."""
    began, total = file.tell(), 0
    left = os.fstat(file.fileno()).st_size - _SUM
    file.seek(0)
    while left > 0:
        chunk = file.read(min(left, _CHUNK))
        if not chunk:
            return False
        total, left = zlib.crc32(chunk, total), left - len(chunk)
    fits = file.read(_SUM) == total.to_bytes(_SUM, 'little')
    file.seek(began)
    return fits


def _load_rest(path, file, summed):
    left = os.fstat(file.fileno()).st_size - file.tell() - 8 - summed
    size = int.from_bytes(file.read(8), 'little')
    if size > left:
        raise plain.Damaged(f'checkpoint {path}: cut short. Remove it to begin anew')
    try:
        head = plain.Head(file.read(size))
        if sum(head.sizes) != left - size:
            raise plain.Damaged(f'{left - size} bytes of memory, {sum(head.sizes)} announced')
        return head.tree([_read_block(file, count) for count in head.sizes])
    except plain.Damaged as error:
        raise plain.Damaged(f'checkpoint {path}: {error}. Remove it to begin anew') from None


def _read_block(file, count):
    block = numpy.empty(count, dtype=numpy.uint8)
    if count and file.readinto(block) != count:
        raise plain.Damaged('cut short')
    return block


def convert(path):
    """Rewrites a checkpoint of an earlier version, a pickle: for files whose writer is trusted, since reading it runs
    whatever is in it. @errors OSError; what torch.load raises"""
    import torch
    value = torch.load(path, map_location='cpu', weights_only=False)  # a newer torch's default refuses numpy's state
    value['parts'] = {k: without_functions(v) for k, v in value['parts'].items()}
    _write(path, lambda file: dump(value, file))


def _generators():
    state = {'python': random.getstate(), 'numpy': numpy.random.get_state()}
    if 'torch' in sys.modules:
        state['torch'] = sys.modules['torch'].get_rng_state()
    return state


def _set_generators(state):
    if 'torch' in state and 'torch' in sys.modules:
        sys.modules['torch'].set_rng_state(state['torch'])
    random.setstate(state['python'])
    if 'numpy' in state:
        numpy.random.set_state(state['numpy'])


def _newest_whole(path):
    """The tree in a checkpoint, or in the one before where that is damaged. @errors OSError; plain.Damaged"""
    try:
        return load(path)
    except plain.Damaged as damage:
        try:
            found = load(path + BEFORE)
        except (OSError, plain.Damaged):
            raise damage from None
        print(f'{damage} (the one before it, {path}{BEFORE}, is whole: that is gone on from)', file=sys.stderr, flush=True)
        return found


class Checkpoints:
    """@thread the training thread; at most one writing thread at a time"""

    def __init__(self, result_dir, training=1, resume_from=None):
        """`training`: which call of train() in this program it is; each has its own file.
        `resume_from`: where to begin when there is none of this job: a file, another job's
        RESULT_DIR, or its number; else what bsub -resume said, which need not have one for
        every training."""
        self._folder = os.path.join(result_dir, 'checkpoint') if result_dir else None
        self._name = NAME if training == 1 else f'checkpoint-{training}.pt'
        self._job = os.environ.get('WM_JOB', '')
        self._optional = not resume_from and training > 1
        self._other = self._find_other(result_dir, resume_from or os.environ.get('WM_RESUME_FROM'))
        self.source = None  # path of what load() returned
        self._writer = None

    def _find_other(self, result_dir, resume_from):
        if not resume_from:
            return None
        text = str(resume_from)
        if text.isdecimal():
            text = os.path.join(os.path.dirname(os.path.abspath(result_dir)), text)
        return text if os.path.isfile(text) else os.path.join(text, 'checkpoint', self._name)

    def save(self, state, wait=False):
        """Writes `state`; with `wait` returns when it is on disk. A failure is printed, it
        does not end the training. Returns whether it was begun."""
        if self._folder is None:
            return False
        self.finish()
        whole = {**(state if wait else copy_tensors(state)), 'generators': _generators(),
                 'job': self._job}
        self._writer = threading.Thread(target=self._save, args=(whole,), name='wm-checkpoint')
        self._writer.start()
        if wait:
            self.finish()
        return True

    def _save(self, whole):
        try:
            os.makedirs(self._folder, exist_ok=True)
            _write(self.path, lambda file: dump(whole, file), keep=True)
        except (OSError, plain.NotPlain) as error:
            print(f'checkpoint {self._folder}/{self._name}: {error}', file=sys.stderr, flush=True)

    @property
    def busy(self):
        """Whether one is being written."""
        return self._writer is not None and self._writer.is_alive()

    def finish(self):
        """Waits for the one being written."""
        if self._writer:
            self._writer.join()
            self._writer = None

    @property
    def path(self):
        """Of the file; None: there is no folder for it."""
        return self._folder and os.path.join(self._folder, self._name)

    def exists(self):
        """Whether there is one to go on from."""
        self.finish()
        return any(path and os.path.exists(path) for path in (self.path, self._other))

    def load(self):
        """The newest state of this job, else that to begin with, its generators set; None when
        there is neither.
        @errors plain.Damaged, OSError: it is there but cannot be read; ValueError: none to begin with"""
        for path, find in ((self.path, self._own), (self._other, _newest_whole)):
            whole = find(path) if path and os.path.exists(path) else None
            if whole is not None:
                _set_generators(whole.pop('generators'))
                self.source = path
                return whole
        if self._other and not self._optional:
            raise ValueError(f'resume_from: there is no checkpoint {self._other}')
        return None

    def _own(self, path):
        """What lies there, if it is this job's, or nobody knows whose, or the one to begin with.
        Another's makes way: it may be all that its owner has."""
        whole = _newest_whole(path)
        job = whole.get('job')
        if not job or not self._job or job == self._job or path == self._other:
            return whole
        aside = f"{path}.{job.replace('/', '_')}"
        os.replace(path, aside)
        print(f'checkpoint {path} is of another job: kept as {aside}, not gone on from (bsub -resume, '
              'or train(resume_from=...) does that)', flush=True)
        return None


if __name__ == '__main__':
    for given in sys.argv[1:]:
        convert(given)
