"""Role: deterministic=True: the same bits at any number of workers. A step is divided among V virtual workers, whose number
is fixed for the job; a member computes its virtual workers one after the other, each with the same samples, the same draws
(seeded by job, step and virtual worker) and its own running statistics wherever it is computed.

  gradients    summed in one binary tree over the V: a member adds what it computes at once (log V partial sums are kept); the
               members' partial sums go to all, each into a place of its own (x + 0 is x), and are added in the tree's order
  statistics   of batch normalisation travel with their virtual worker; evaluation and saving use those of the first
  loss, metrics  are added in the order of the virtual workers

Invariant: which member computes a virtual worker changes no bit of what it gives.
@source virtual workers: M. Li et al., EasyScale, SC'23   @cost of the sum: as many all-reduces as there are partial sums
"""

import contextlib
import os
import zlib

import torch

from .native import part

_MIX = 1000003


def span(virtual, world, rank):
    """The virtual workers of a member: [begin, end)."""
    first, count = part(virtual, world, rank)
    return first, first + count


def blocks(begin, end):
    """The tree's nodes that make up [begin, end). @shape [(begin, size)]"""
    while begin < end:
        size = 1
        while begin % (2 * size) == 0 and begin + 2 * size <= end:
            size *= 2
        yield begin, size
        begin += size


class Tree:
    """Sums in the order of one binary tree, whoever has added its lower parts."""

    def __init__(self):
        self.sums = []  # [(begin, size, [tensors])], rising

    def add(self, begin, size, tensors):
        """A node's sum; the tree takes the tensors over."""
        while self.sums and self.sums[-1][1] == size and self.sums[-1][0] % (2 * size) == 0 and self.sums[-1][0] + size == begin:
            begin, before = self.sums[-1][0], self.sums.pop()[2]
            tensors, size = [a.add_(b) for a, b in zip(before, tensors)], 2 * size
        self.sums.append((begin, size, tensors))

    def total(self):
        """Of all: what is left of a number that is no power of two is added from the left."""
        first, *others = [tensors for _, _, tensors in self.sums]
        for tensors in others:
            for a, b in zip(first, tensors):
                a.add_(b)
        return first


def described():
    """What has to be equal on all members for equal bits."""
    capability = getattr(getattr(torch.backends, 'cpu', None), 'get_cpu_capability', None)
    kernels = capability() if capability else os.environ.get('ATEN_CPU_CAPABILITY', 'default')
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else 'no GPU'
    return (f'torch {torch.__version__}, {torch.get_num_threads()} threads, CPU kernels {kernels}, {gpu}, CUDA {torch.version.cuda}, cuDNN '
            f'{torch.backends.cudnn.version() if torch.cuda.is_available() else None}, TF32 {torch.backends.cuda.matmul.allow_tf32}')


def mark():
    """A number that follows from described()."""
    return zlib.crc32(described().encode()) or 1


class Virtual:
    """@thread the training thread"""

    described, mark = staticmethod(described), staticmethod(mark)

    def __init__(self, model, count):
        self.count = count
        self._buffers = [(owner, name) for owner in model.modules() for name, _ in owner.named_buffers(recurse=False)
                         if name not in owner._non_persistent_buffers_set]
        self._stats, self._new = None, {}
        self._tree = None

    # ---- statistics ------------------------------------------------------------------------

    def _now(self):
        return [owner._buffers[name].clone() for owner, name in self._buffers]

    def _put(self, values):
        for (owner, name), value in zip(self._buffers, values):
            owner._buffers[name].copy_(value)

    def state_dict(self):
        return {'stats': [list(map(torch.clone, one)) for one in self._stats or []]}

    def load_state_dict(self, values):
        self._stats = values['stats'] or None

    def undo(self):
        """The step was not applied: the model has the first one's statistics as they were."""
        if self._stats:
            self._put(self._stats[0])
        self._new = {}

    # ---- a step ------------------------------------------------------------------------------

    def compute(self, group, samples, seed, work, gradients):
        """This member's virtual workers. `work(offset, size)` computes a part of the step, from a sample of it on, and returns
        its numbers; `gradients()` are where it adds, cleared before each."""
        self._stats = self._stats or [self._now() for _ in range(self.count)]
        self._tree, self._new, self._numbers = Tree(), {}, {}
        for v in range(*span(self.count, group.world, group.rank)):
            self._put(self._stats[v])
            for flat in gradients():
                flat.zero_()
            offset, size = part(samples, self.count, v)
            with _drawing(seed * self.count + v):
                self._numbers[v] = work(offset, size)
            self._new[v] = self._now()
            self._tree.add(v, 1, [flat + 0.0 for flat in gradients()])  # + 0: no minus zero, as behind a sum

    def is_finite(self):
        """Of this member's partial sums."""
        return all(bool(torch.isfinite(t).all()) for _, _, tensors in self._tree.sums for t in tensors)

    def sum(self, group, gradients):
        """The step's gradients into `gradients`, the same bits on every member. Returns the step's numbers.
        @errors GroupBroken"""
        if group.world == 1:
            tree = self._tree
        else:
            tree = self._gathered(group, gradients)
        for flat, value in zip(gradients, tree.total()):
            flat.copy_(value)
        numbers, stats = self._shared(group)
        self._stats, self._new = stats, {}
        self._put(stats[0])
        total = [0.0] * len(numbers[0])
        for one in numbers:
            total = [a + b for a, b in zip(total, one)]
        return total

    def _gathered(self, group, gradients):
        nodes = [node for rank in range(group.world) for node in blocks(*span(self.count, group.world, rank))]
        own = {(begin, size): tensors for begin, size, tensors in self._tree.sums}
        tree, found = Tree(), []
        for at in range(len(gradients)):
            room = torch.zeros(len(nodes), gradients[at].numel(), dtype=gradients[at].dtype, device=gradients[at].device)
            for row, node in enumerate(nodes):
                if node in own:
                    room[row] = own[node][at]
            group.sum(room)
            found.append(room)
        for row, (begin, size) in enumerate(nodes):
            tree.add(begin, size, [room[row] for room in found])
        return tree

    def _shared(self, group):
        """(numbers of each virtual worker, its statistics), of all of them."""
        width = len(next(iter(self._numbers.values()), [])) or self._width
        self._width = width
        sizes = [owner._buffers[name].numel() for owner, name in self._buffers]
        room = torch.zeros(self.count, width + sum(sizes), dtype=torch.float64)
        for v, numbers in self._numbers.items():
            flat = [value.double().reshape(-1).cpu() for value in self._new[v]]
            room[v] = torch.cat([torch.tensor(numbers, dtype=torch.float64), *flat])
        group.sum(room)
        stats = []
        for row in room:
            values = row[width:].split(sizes) if sizes else []
            stats.append([value.view(owner._buffers[name].shape).to(owner._buffers[name]).clone()
                          for (owner, name), value in zip(self._buffers, values)])
        return room[:, :width].tolist(), stats

    def width(self, numbers):
        """How many numbers work() returns, for a member without a virtual worker of its own."""
        self._width = numbers


@contextlib.contextmanager
def _drawing(seed):
    """What is drawn follows from the seed."""
    kept = torch.get_rng_state(), torch.cuda.get_rng_state_all() if torch.cuda.is_available() else None
    torch.manual_seed(seed & 0x7fffffffffffffff)
    try:
        yield
    finally:
        torch.set_rng_state(kept[0])
        if kept[1]:
            torch.cuda.set_rng_state_all(kept[1])
