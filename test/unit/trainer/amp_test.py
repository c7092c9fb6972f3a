"""Role: tests of fabric_model/amp.py and of shapes.py: what is not finite is not applied, a scaler is the job's, a
first batch of a shape may take its time.
"""

import os
import unittest
from types import SimpleNamespace
from unittest import mock

import torch
from fabric_test import Fabric, Sums

from fabric_model import amp, checkpoint, native, shapes
from fabric_model.progress import Progress

HALF = torch.__version__ >= '2.4'


class Suspects(unittest.TestCase):
    def test_any_set_of_ranks_comes_back_from_a_sum_of_single_precision(self):
        for ranks in ([], [0], [19, 20], [3, 40, 59], list(range(60))):
            total = torch.zeros(amp.SUSPECTS)
            for rank in range(60):
                total += torch.tensor(amp.suspect(rank, rank not in ranks))
            self.assertEqual(amp.suspects(total.tolist()), ranks)
        self.assertEqual(amp.suspects(amp.suspect(300, False)), [59])


class Scaling(unittest.TestCase):
    def test_it_moves_as_torch_s_does(self):
        scaler = amp.Scaler()
        scaler.update(False)
        self.assertEqual((scaler.scale, scaler.skipped), (32768.0, 1))
        for _ in range(1999):
            scaler.update(True)
        again = amp.Scaler()
        again.load_state_dict(scaler.state_dict())
        again.update(True)
        self.assertEqual(again.scale, 65536.0)


def bad_at(call, value=float('nan')):
    """A loss that is `value` in its so manieth call."""
    calls = []

    def loss(outputs, labels):
        calls.append(1)
        found = torch.nn.functional.mse_loss(outputs, labels)
        return found * value if len(calls) == call else found
    return loss


class Noting:
    """Keeps the weights after each step."""

    def __init__(self, model):
        self._model, self.weights = model, [model.weight.detach().clone()]

    def on_step_end(self, step):
        self.weights.append(self._model.weight.detach().clone())


class NotFinite(Fabric):
    def test_it_ends_the_training_after_a_checkpoint_of_what_was_before(self):
        model = torch.nn.Linear(4, 1)
        noting = Noting(model)
        with self.assertRaisesRegex(amp.NotFinite, r"step 3 is not applied: .* of rank 0\. .*nonfinite='skip'"):
            self.train(model=model, loss=bad_at(3), user_callback=noting)
        saved = checkpoint.load(os.path.join(os.environ['RESULT_DIR'], 'checkpoint', checkpoint.NAME))
        self.assertEqual(Progress.unpack(saved['progress']).step, 2)
        self.assertTrue(torch.equal(saved['parts']['model']['weight'], noting.weights[-1]))

    def test_it_is_left_out_where_that_is_wanted(self):
        model = torch.nn.Sequential(torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
        noting = Noting(model[1])
        self.train(model=model, loss=bad_at(3), nonfinite='skip', user_callback=noting)
        changed = [not torch.equal(a, b) for a, b in zip(noting.weights, noting.weights[1:])]
        self.assertEqual(changed, [True, True, False] + [True] * 5)
        self.assertEqual(model[0].num_batches_tracked.item(), 7)
        self.assertIn('step 3 is not applied', self.printed.getvalue())

    def test_nobody_looks_where_it_is_to_be_applied(self):
        self.assertTrue(self.train(loss=bad_at(3), nonfinite='apply').weight.isnan().all())

    def test_wrong_words_are_refused(self):
        for options, words in (({'amp': 'half'}, "amp 'half': None, 'bf16' or 'fp16'"), ({'nonfinite': 'no'}, "nonfinite 'no'")):
            with self.assertRaisesRegex(ValueError, words):
                self.train(**options)


class Mixed(Fabric):
    def test_bf16_computes_under_autocast_and_stays_near(self):
        seen = []

        class Model(torch.nn.Linear):
            def forward(self, x):
                out = super().forward(x)
                seen.append(out.dtype)
                return out

        def made(kind):
            torch.manual_seed(1)
            return kind(4, 1)

        def loss(outputs, labels):
            return torch.nn.functional.mse_loss(outputs.float(), labels)

        found = self.train(model=made(Model), amp='bf16', loss=loss, sets=(Sums(), Sums()))
        self.assertEqual(set(seen), {torch.bfloat16})
        torch.testing.assert_close(found.weight, self.train(model=made(torch.nn.Linear)).weight, rtol=0.05, atol=0.02)

    @unittest.skipUnless(HALF, 'this torch has fp16 on GPUs only')
    def test_fp16_skips_what_is_not_finite_and_its_scale_goes_into_checkpoints(self):
        model = torch.nn.Linear(4, 1)
        noting = Noting(model)
        inner = bad_at(2, float('inf'))
        self.train(model=model, amp='fp16', loss=lambda outputs, labels: inner(outputs, labels) * 0.01, user_callback=noting)
        changed = [not torch.equal(a, b) for a, b in zip(noting.weights, noting.weights[1:])]
        self.assertEqual(changed, [True, False] + [True] * 6)
        saved = checkpoint.load(os.path.join(os.environ['RESULT_DIR'], 'checkpoint', checkpoint.NAME))
        self.assertEqual(saved['parts']['scaler'], {'scale': 32768.0, 'good': 6, 'skipped': 1})

    @unittest.skipIf(HALF, 'this torch has fp16 on CPUs')
    def test_fp16_without_a_gpu_is_refused_by_name_on_old_torch(self):
        with self.assertRaisesRegex(ValueError, "amp 'fp16': torch 1.*GPUs only"):
            self.train(amp='fp16')

    @unittest.skipUnless(HALF, 'its GradScaler is for GPUs only')
    def test_a_script_s_own_scaler_does_what_it_does_in_a_plain_loop(self):
        def plain():
            torch.manual_seed(1)
            model, scaler, loss = torch.nn.Linear(4, 1), torch.amp.GradScaler('cpu', init_scale=1024.0), bad_at(2, float('inf'))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
            inputs, labels = torch.utils.data.default_collate([Sums()[n] for n in range(32)])
            for _ in range(4):
                optimizer.zero_grad()
                scaler.scale(loss(model(inputs), labels)).backward()
                scaler.step(optimizer)
                scaler.update()
            return model, scaler

        scaler = torch.amp.GradScaler('cpu', init_scale=1024.0)

        def step(model, data, eva, train_loader, fn_args):
            optimizer = model.get_optimizer()
            optimizer.zero_grad()
            loss = model.get_loss_function()(model(data[0]), data[1])
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            return 0.0, loss.item()

        for batch, unscales in ((32, False), (32, True)):
            wanted, theirs = plain()
            torch.manual_seed(1)
            model = torch.nn.Linear(4, 1)
            scaler.load_state_dict(torch.amp.GradScaler('cpu', init_scale=1024.0).state_dict() | {'scale': 1024.0})
            self.train(model=model, epochs=4, batch_size=batch, loss=bad_at(2, float('inf')), fn_step_train=step,
                       optimizer=torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9), train={'effective_batch_size': 32})
            torch.testing.assert_close(model.weight, wanted.weight)
            self.assertEqual(scaler.get_scale(), theirs.get_scale())
        self.assertEqual(theirs.get_scale(), 512.0)


class FirstOfAShape(Fabric):
    def test_it_is_excused_and_later_ones_are_not(self):
        inside, seen = [0], []

        class Model(torch.nn.Linear):
            def forward(self, x):
                seen.append((len(x), inside[0]))
                return super().forward(x)

        with mock.patch.object(native.Agent, 'in_collective', lambda _, now: inside.__setitem__(0, now)):
            self.train(model=Model(4, 1), sets=(Sums(28), None))
        self.assertEqual(seen, [(8, 1), (8, 0), (8, 0), (4, 1), (8, 0), (8, 0), (8, 0), (4, 0)])

    def test_the_excuse_ends_by_time_and_outlives_collectives_within_it(self):
        told = []
        lib = SimpleNamespace(wm_trainer_in_collective=lambda _handle, now: told.append(now))
        agent = native.Agent(None, 0)
        agent._lib, agent.present = lib, True
        with agent.excused():
            agent.in_collective(1)
            agent.in_collective(0)
            self.assertEqual(told, [1, 1, 1])
        self.assertEqual(told.pop(), 0)
        ended = []
        agent.in_collective = ended.append
        with agent.excused(0.01):
            for _ in range(1000):
                if ended == [1, 0]:
                    break
                __import__('time').sleep(0.01)
        self.assertEqual(ended, [1, 0])

    def test_shapes_are_found_in_whatever_holds_tensors(self):
        found = list(shapes.tensors([torch.ones(2), {'a': (torch.ones(3), 'x')}, 4]))
        self.assertEqual([len(t) for t in found], [2, 3])


if __name__ == '__main__':
    unittest.main()
