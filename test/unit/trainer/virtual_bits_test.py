"""Role: property: deterministic=True gives the same bits after any sequence of resizes. The engine's parts of several members in one
process, over a mesh that adds in any order: forward, backward, tree, optimizer, and the state that newcomers are given are the real ones.

Invariant: as over gloo, every member gets the same bits of a sum, and in which order they were added is nobody's to know.
"""

import contextlib
import os
import queue
import random
import sys
import threading
import unittest
from types import SimpleNamespace

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'support'))
import bits_models  # noqa: E402

from fabric_model.compute import Compute  # noqa: E402
from fabric_model.flat import FlatModel  # noqa: E402
from fabric_model.parcel import Delivery, Parcel, receive  # noqa: E402
from fabric_model.progress import Progress  # noqa: E402
from fabric_model.state import Script  # noqa: E402
from fabric_model.stepping import Summed  # noqa: E402
from fabric_model.tail import FIXED  # noqa: E402
from fabric_model.virtual import Virtual  # noqa: E402

NONE = [0.0] * (FIXED - 1)
VIRTUAL, SAMPLES, STEP = 4, 230, 23  # a number that four do not divide
RESIZES = 300 if os.environ.get('WM_SOAK') else 12
MOST = 5  # members
LIMIT_S = 60


class Mesh:
    """What the members of an epoch have between them."""

    def __init__(self, world, source):
        self.world, self._source = world, source
        self._parts, self._total = [None] * world, None
        self._barrier = threading.Barrier(world, timeout=LIMIT_S)
        self._letters = {(a, b): queue.Queue() for a in range(world) for b in range(world)}

    def group(self, rank):
        """That member's communicator."""
        return SimpleNamespace(world=self.world, rank=rank, sum=lambda tensor: self._sum(rank, tensor),
                               send=lambda block, to: self._letters[rank, to].put(block.copy()),
                               receive=lambda block, of: self._receive(block, self._letters[of, rank]))

    def _sum(self, rank, tensor):
        self._parts[rank] = tensor
        if self._barrier.wait() == 0:
            order = random.Random(self._source.random()).sample(range(self.world), self.world)
            total = self._parts[order[0]].clone()
            for one in order[1:]:
                total += self._parts[one]
            self._total = total
        self._barrier.wait()
        tensor.copy_(self._total)
        self._barrier.wait()

    @staticmethod
    def _receive(block, letters):
        block[:] = letters.get(timeout=LIMIT_S)


class Samples:
    """As a loader has them."""

    def get(self, numbers, _seeds):
        x = torch.stack([torch.randn(8, generator=torch.Generator().manual_seed(n)) for n in numbers])
        return x, bits_models.answer(x)


class Member:
    """One worker's parts, as model.py puts them together."""

    def __init__(self, kind):
        self.model = bits_models.made(kind)
        self.virtual = Virtual(self.model, VIRTUAL)
        self.virtual.width(1)
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05, momentum=0.9)
        self.script = Script(model=self.model, loss=torch.nn.functional.mse_loss, optimizer=optimizer, lr_scheduler=None, callbacks=[], extras={},
                             driver_logger=None, worker_logger=None, scaler=None, joined=[], virtual=self.virtual, amp=None, clip_grad_norm=1.0,
                             measured=SimpleNamespace(width=0, sums=lambda *_: []), loss_reduction='mean', fn_step_train=None, fn_test=None)
        self.flat = FlatModel(self.model, 0, in_order=True)
        self._compute = Compute(self.script, self.flat, 8, SimpleNamespace(excused=None))
        self._compute._shapes.patient = lambda _batch: contextlib.nullcontext()
        self._stepping = Summed(self.script, self.flat, self._compute)
        self.progress = Progress(seed=11)

    def compute(self, group):
        """Forward and backward; draws from the process's generator, so that one member does it at a time."""
        begin, self._group = self.progress.cursor, group
        self.flat.begin()

        def work(offset, size):
            numbers = [(begin + offset + n) % SAMPLES for n in range(size)]
            return self._compute.train(Samples(), numbers, numbers, STEP)

        self.virtual.compute(group, STEP, self.progress.seed * 1000003 + self.progress.step, work, self.flat.gradients)

    def step(self):
        """The sums of all, and the step."""
        tail = self._stepping.sum(self._group, self.progress, STEP if self._group.rank == 0 else 0, self._group.rank == 0, NONE + [0.0])
        self.loss, = self.virtual.sum(self._group, self.flat.gradients())
        self._stepping.apply(tail)
        self.progress.step, self.progress.cursor = self.progress.step + 1, (self.progress.cursor + STEP) % SAMPLES

    def bits(self):
        """All that a training has."""
        state = self.script.state(self.progress)['parts']
        head = [value.numpy().tobytes() for value in state['model'].values()]
        return head, [one['momentum_buffer'].numpy().tobytes() for one in state['optimizer']['state'].values()], self.loss


class Any(unittest.TestCase):
    """Any members, any order."""

    def setUp(self):
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        self.addCleanup(torch.set_num_threads, threads)

    def together(self, work, members):
        """Does it for all members at once."""
        failures = []

        def one(member):
            try:
                work(member)
            except BaseException as error:  # told below, in the thread that can fail the test
                failures.append(error)

        threads = [threading.Thread(target=one, args=(member,)) for member in members]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT_S)
        if failures:
            raise failures[0]

    def entered(self, members, size, kind, source):
        """The members of the next epoch: some of the ones before, in any order, and newcomers, who are given the state."""
        kept = source.sample(members, source.randint(1, min(size, len(members))))
        new = [Member(kind) for _ in range(size - len(kept))]
        mesh = Mesh(size, source)
        groups = [mesh.group(rank) for rank in range(size)]
        for one in new:  # what a newcomer has of its own is of no use
            for parameter in one.model.parameters():
                parameter.data.fill_(float('nan'))
        if new:
            delivery = Delivery(Parcel(kept[0].script.state(kept[0].progress)), groups[0], range(len(kept), size))
            for rank, one in enumerate(new, len(kept)):
                one.progress = one.script.take_over(receive(groups[rank], 0))
            delivery.finish()
        return kept + new, groups

    def steps(self, members, groups, count):
        for _ in range(count):
            for member, group in zip(members, groups):
                member.compute(group)
            self.together(Member.step, members)

    def trained(self, kind, seed):
        """The bits after each epoch of a training that is resized, with how many steps were done."""
        source = random.Random(seed)
        members, found = [Member(kind)], []
        groups = [Mesh(1, source).group(0)]
        for _ in range(RESIZES):
            self.steps(members, groups, source.randint(1, 2))
            bits = [member.bits() for member in members]
            self.assertTrue(all(one == bits[0] for one in bits), kind)
            found.append((members[0].progress.step, bits[0]))
            members, groups = self.entered(members, source.randint(1, MOST), kind, source)
        return found

    def check(self, kind):
        found = self.trained(kind, seed=3)
        alone, groups = Member(kind), [Mesh(1, random.Random(1)).group(0)]
        first = None
        for step, bits in found:
            self.steps([alone], groups, step - alone.progress.step)
            self.assertEqual(alone.bits(), bits, f'{kind}, step {step}')
            first = first if first is not None else alone.loss
        self.assertNotEqual(alone.loss, first)

    def test_mlp(self):
        self.check('mlp')

    def test_cnn_with_batch_normalisation_and_dropout(self):
        self.check('cnn')

    def test_transformer(self):
        self.check('decoder')

    def test_lstm(self):
        self.check('lstm')

    def test_without_the_tree_the_bits_differ(self):
        """That the property can fail: members add up all that they compute, and the rest is added in any order."""
        source = random.Random(5)
        seen = set()
        for world in range(1, MOST):
            members, mesh = [Member('mlp') for _ in range(world)], Mesh(world, source)
            for rank, member in enumerate(members):
                member.compute(mesh.group(rank))
                for _, _, tensors in member.virtual._tree.sums[1:]:
                    member.virtual._tree.sums[0][2][0].add_(tensors[0])
            totals = [member.virtual._tree.sums[0][2][0] for member in members]
            seen.add(sum(totals[1:], totals[0]).numpy().tobytes())
        self.assertGreater(len(seen), 1)


if __name__ == '__main__':
    unittest.main()
