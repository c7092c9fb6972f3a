"""Role: tests of fabric_model/state.py and checkpoint.py: what is kept, that it is whole."""

import io
import os
import pickle
import tempfile
import unittest
from unittest import mock

import torch

from fabric_model import checkpoint, plain, state
from fabric_model.progress import Progress


class Queue:
    """Two ends of a group in one process."""

    def __init__(self):
        self.sent = []

    def send(self, array, rank):
        self.sent.append(array.copy())

    def receive(self, array, rank):
        array[:] = self.sent.pop(0)


def detonate():
    Hostile.ran += 1
    return {}


class Hostile:
    """Runs something when it is unpickled."""

    ran = 0

    def __reduce__(self):
        return detonate, ()


class Counter:
    def __init__(self):
        self.count = 0

    def state_dict(self):
        return {'count': self.count}

    def load_state_dict(self, values):
        self.count = values['count']


def job(name, **environment):
    """As in the job of that name."""
    return mock.patch.dict(os.environ, {'WM_JOB': name, **environment})


def script(seed):
    torch.manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(200, 120), torch.nn.BatchNorm1d(120))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01 * (seed + 1))
    model(torch.randn(4, 200)).sum().backward()
    optimizer.step()
    return state.Script(model=model, optimizer=optimizer, lr_scheduler=None, callbacks=[Counter()],
                        extras={'meter': Counter()}, driver_logger=None, worker_logger=None)


def equal(a, b):
    return all(torch.equal(x, y) for x, y in zip(a.model.state_dict().values(), b.model.state_dict().values()))


class StateTest(unittest.TestCase):
    def test_a_parcel_makes_the_receiver_equal(self):
        source, target, line = script(1), script(2), Queue()
        source.extras['meter'].count = 5
        state.Parcel(source.state(Progress(step=7))).send(line, 1)
        progress = target.take_over(state.receive(line, 0))
        self.assertEqual(progress.step, 7)
        self.assertTrue(equal(source, target))
        self.assertEqual(target.extras['meter'].count, 5)
        self.assertEqual(target.optimizer.param_groups[0]['lr'], source.optimizer.param_groups[0]['lr'])
        ours, theirs = (s.optimizer.state_dict()['state'][0]['exp_avg'] for s in (source, target))
        self.assertTrue(torch.equal(ours, theirs))

    def test_torchs_schedulers_travel_without_their_own_methods(self):
        kinds = [lambda o: torch.optim.lr_scheduler.OneCycleLR(o, 0.1, 20),
                 lambda o: torch.optim.lr_scheduler.MultiStepLR(o, [2, 4]),
                 lambda o: torch.optim.lr_scheduler.CyclicLR(o, 0.1, 0.2, cycle_momentum=False),
                 lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda at: 0.5 ** at),
                 lambda o: torch.optim.lr_scheduler.SequentialLR(o, [
                     torch.optim.lr_scheduler.ConstantLR(o), torch.optim.lr_scheduler.OneCycleLR(o, 0.1, 20)], [2])]
        for kind in kinds:
            source, target, line = script(1), script(2), Queue()
            for one in (source, target):
                one.lr_scheduler = kind(one.optimizer)
            for _ in range(3):
                source.lr_scheduler.step()
            state.Parcel(source.state(Progress())).send(line, 1)
            target.take_over(state.receive(line, 0))
            for one in (source, target):
                one.lr_scheduler.step()
            self.assertEqual(target.lr_scheduler.get_last_lr(), source.lr_scheduler.get_last_lr())

    def test_what_a_callback_keeps_has_to_be_plain_data(self):
        source = script(1)
        source.check()
        source.callbacks[0].count = object()
        with self.assertRaisesRegex(plain.NotPlain, r"state of callback 0\['count'\] is a builtins.object"):
            source.check()

    def test_a_received_state_is_read_without_running_anything_of_it(self):
        line = Queue()
        hostile = torch.frombuffer(bytearray(pickle.dumps((Hostile(), []))), dtype=torch.uint8)
        line.sent = [torch.tensor([hostile.numel()]), hostile]
        with self.assertRaises(plain.Damaged):
            state.receive(line, 0)
        self.assertEqual(Hostile.ran, 0)

    def test_a_state_of_another_format_is_refused(self):
        other = {**script(1).state(Progress()), 'format': 99}
        with self.assertRaisesRegex(ValueError, 'format 99'):
            script(2).take_over(other)


class CheckpointTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_what_is_saved_is_loaded_with_the_generators(self):
        source, target = script(1), script(2)
        kept = checkpoint.Checkpoints(self.folder.name)
        torch.manual_seed(11)
        kept.save(source.state(Progress(step=3)), wait=True)
        wanted = torch.rand(3)
        torch.manual_seed(99)
        target.take_over(checkpoint.Checkpoints(self.folder.name).load())
        self.assertTrue(equal(source, target))
        self.assertTrue(torch.equal(torch.rand(3), wanted))

    def test_one_written_in_the_background_is_not_touched_by_later_steps(self):
        source, target = script(1), script(2)
        wanted = {k: v.clone() for k, v in source.model.state_dict().items()}
        kept = checkpoint.Checkpoints(self.folder.name)
        kept.save(source.state(Progress()))
        with torch.no_grad():
            for parameter in source.model.parameters():
                parameter.zero_()
        kept.finish()
        target.take_over(kept.load())
        for name, value in target.model.state_dict().items():
            self.assertTrue(torch.equal(value, wanted[name]), name)

    def test_a_write_that_fails_leaves_the_old_one_whole(self):
        source = script(1)
        kept = checkpoint.Checkpoints(self.folder.name)
        kept.save(source.state(Progress(step=3)), wait=True)
        with mock.patch.object(checkpoint.os, 'fsync', side_effect=OSError(28, 'No space left on device')):
            kept.save(source.state(Progress(step=4)), wait=True)
        self.assertEqual(script(2).take_over(kept.load()).step, 3)
        self.assertEqual(os.listdir(os.path.join(self.folder.name, 'checkpoint')), ['checkpoint.pt'])

    def test_one_of_an_earlier_version_is_refused_unread_until_it_is_converted(self):
        source, kept = script(1), checkpoint.Checkpoints(self.folder.name)
        kept.save(source.state(Progress(step=3)), wait=True)
        old = {**checkpoint.load(kept.path), 'more': Hostile()}
        for zipped in (True, False):
            torch.save(old, kept.path, _use_new_zipfile_serialization=zipped)
            Hostile.ran = 0
            with self.assertRaisesRegex(plain.Damaged, 'pickle.*-m fabric_model.checkpoint ' + kept.path):
                kept.load()
            self.assertEqual(Hostile.ran, 0)
        del old['more']
        torch.save(old, kept.path)
        checkpoint.convert(kept.path)
        self.assertEqual(script(2).take_over(kept.load()).step, 3)

    def test_a_damaged_one_is_refused_with_its_name(self):
        kept = checkpoint.Checkpoints(self.folder.name)
        kept.save(script(1).state(Progress()), wait=True)
        with open(kept.path, 'rb') as file:
            whole = file.read()
        for damaged in (b'', whole[:12], whole[:100], whole[:-1], whole + b'x', b'WMCKPT09' + whole[8:]):
            with open(kept.path, 'wb') as file:
                file.write(damaged)
            with self.assertRaisesRegex(plain.Damaged, f'checkpoint {kept.path}: .*Remove it'):
                kept.load()

    def test_one_that_cannot_be_written_is_told_and_leaves_the_old_one(self):
        source, kept = script(1), checkpoint.Checkpoints(self.folder.name)
        kept.save(source.state(Progress(step=3)), wait=True)
        source.callbacks[0].count = object()
        with mock.patch.object(checkpoint.sys, 'stderr', io.StringIO()) as told:
            kept.save(source.state(Progress(step=4)), wait=True)
        self.assertRegex(told.getvalue(), 'checkpoint.pt: .*builtins.object')
        self.assertEqual(script(2).take_over(kept.load()).step, 3)
        self.assertEqual(os.listdir(os.path.join(self.folder.name, 'checkpoint')), ['checkpoint.pt'])

    def test_one_of_another_job_that_had_this_number_is_kept_and_not_gone_on_from(self):
        with job('c:1:5'):
            checkpoint.Checkpoints(self.folder.name).save(script(1).state(Progress(step=3)), wait=True)
            self.assertIsNotNone(checkpoint.Checkpoints(self.folder.name).load())
        with job('c:1:9'):
            kept = checkpoint.Checkpoints(self.folder.name)
            self.assertIsNone(kept.load())
            self.assertTrue(os.path.exists(kept.path + '.c:1:5'))
            kept.save(script(1).state(Progress(step=4)), wait=True)
            self.assertEqual(script(2).take_over(kept.load()).step, 4)

    def test_one_that_nobody_knows_whose_it_is_is_gone_on_from(self):
        with job(''):
            checkpoint.Checkpoints(self.folder.name).save(script(1).state(Progress(step=3)), wait=True)
        with job('c:1:9'):
            self.assertEqual(checkpoint.Checkpoints(self.folder.name).load()['progress'][2], 3.0)

    def test_that_of_the_job_to_resume_is_begun_with_until_there_is_an_own_one(self):
        theirs, mine = (os.path.join(self.folder.name, name) for name in ('12', '13'))
        with job('c:12:5'):
            checkpoint.Checkpoints(theirs).save(script(1).state(Progress(step=3)), wait=True)
        file = os.path.join(theirs, 'checkpoint', checkpoint.NAME)
        for wanted in (12, '12', theirs, file):
            kept = checkpoint.Checkpoints(mine, resume_from=wanted)
            self.assertEqual(script(2).take_over(kept.load()).step, 3, wanted)
            self.assertEqual(kept.source, file)
        with job('c:13:6', WM_RESUME_FROM=theirs):
            kept = checkpoint.Checkpoints(mine)
            self.assertEqual(script(2).take_over(kept.load()).step, 3)
            kept.save(script(1).state(Progress(step=9)), wait=True)
            self.assertEqual(script(2).take_over(kept.load()).step, 9)
            self.assertEqual(kept.source, kept.path)

    def test_the_one_to_resume_may_be_of_a_job_that_had_this_number(self):
        theirs = os.path.join(self.folder.name, '12')
        with job('c:12:5'):
            checkpoint.Checkpoints(theirs).save(script(1).state(Progress(step=3)), wait=True)
        with job('c:12:9', WM_RESUME_FROM=theirs):
            self.assertEqual(script(2).take_over(checkpoint.Checkpoints(theirs).load()).step, 3)

    def test_one_to_resume_that_is_not_there_is_an_error_unless_another_training_has_it(self):
        with self.assertRaisesRegex(ValueError, 'resume_from: there is no checkpoint .*/99/checkpoint/'):
            checkpoint.Checkpoints(os.path.join(self.folder.name, '13'), resume_from=99).load()
        with job('c:13:6', WM_RESUME_FROM=self.folder.name):
            self.assertIsNone(checkpoint.Checkpoints('', training=2).load())
            with self.assertRaises(ValueError):
                checkpoint.Checkpoints('').load()

    def test_there_is_none_without_a_folder_or_before_the_first(self):
        self.assertIsNone(checkpoint.Checkpoints('').load())
        self.assertIsNone(checkpoint.Checkpoints(self.folder.name).load())
        self.assertFalse(checkpoint.Checkpoints('').save({}))
        self.assertEqual(os.listdir(self.folder.name), [])


if __name__ == '__main__':
    unittest.main()
