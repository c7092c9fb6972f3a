"""Role: tests of fabric_model/hooks.py: who is told what, once, in either generation's form."""

import unittest
from types import SimpleNamespace

import torch

from fabric_model import state
from fabric_model.hooks import Hooks
from fabric_model.metrics import Metrics
from fabric_model.progress import FINISH, TRAIN, Course, Progress, Tally


class Seen:
    """Notes every call."""

    def __init__(self):
        self.calls = []

    def on_epoch_begin(self, epoch):
        self.calls.append(('begin', epoch))

    def on_epoch_end(self, epoch, save_model=False):
        self.calls.append(('end', epoch, save_model))


class OlderLogger:
    def __init__(self):
        self.calls = []

    def log_train_metrics(self, loss, acc, completed_batch, worker=0):
        self.calls.append(('train', loss, acc, completed_batch))

    def log_test_metrics(self, loss, acc, completed_batch, worker=0):
        self.calls.append(('test', loss, acc, completed_batch))


class LaterLogger:
    def __init__(self):
        self.calls = []

    def log_train_metrics(self, metrics, iteration, epoch, workers):
        self.calls.append(('train', metrics, iteration, epoch, workers))

    def log_test_metrics(self, metrics, iteration, epoch):
        self.calls.append(('test', metrics, iteration, epoch))


def hooks(callbacks=(), driver=None, worker=None, generation=1, scheduler=None):
    script = SimpleNamespace(driver_logger=driver, worker_logger=worker, callbacks=list(callbacks),
                             logger_generation=generation, lr_scheduler=scheduler,
                             lr_scheduler_each='pass', model='the model', measured=Metrics(None),
                             optimizer='the optimizer')
    return Hooks(script, Course(epochs=3, batch_size=1, metric_names=('accuracy',)))


def after_pass(done, tested=True):
    progress = Progress(step=10 * done, passes_done=done, data_epoch=done,
                        phase=FINISH if done == 3 else TRAIN)
    progress.validated = Tally(10, [5.0, 9.0]) if tested else Tally()
    progress.passes_validated = done if tested else 0
    return progress


class HooksTest(unittest.TestCase):
    def test_passes_begin_and_end_once_and_rank_0_saves_in_the_last(self):
        seen = Seen()
        under_test = hooks([seen])
        under_test.catch_up(Progress(), 0)
        under_test.catch_up(Progress(), 0)
        self.assertTrue(under_test.catch_up(after_pass(1), 0))
        self.assertFalse(under_test.catch_up(after_pass(1), 0))
        under_test.catch_up(after_pass(2), 0)
        under_test.catch_up(after_pass(3), 0)
        under_test.save(after_pass(3))
        under_test.save(after_pass(3))
        self.assertEqual(seen.calls, [('begin', 0), ('end', 0, False), ('begin', 1), ('end', 1, False),
                                      ('begin', 2), ('end', 2, True)])

    def test_who_takes_rank_0_over_at_the_end_saves_again(self):  # W-12
        seen, plain = Seen(), Decay()
        under_test = hooks([seen, plain])
        under_test.join(after_pass(2))
        plain.model = SimpleNamespace(weight=torch.ones(1))
        plain.params = {'optimizer': SimpleNamespace(param_groups=[{'lr': 1.0}])}
        under_test.catch_up(after_pass(3), 1)
        under_test.save(after_pass(3))
        self.assertEqual(seen.calls, [('begin', 2), ('end', 2, False), ('end', 2, True)])
        self.assertEqual(len(plain.seen), 1)  # it does not save: told once

    def test_who_came_when_all_passes_were_over_saves_too(self):
        seen = Seen()
        under_test = hooks([seen])
        under_test.join(after_pass(3))
        under_test.catch_up(after_pass(3), 0)
        under_test.save(after_pass(3))
        self.assertEqual(seen.calls, [('end', 2, True)])

    def test_a_newcomer_sees_its_own_passes_only(self):
        seen = Seen()
        under_test = hooks([seen])
        under_test.join(after_pass(1))
        under_test.catch_up(after_pass(1), 1)
        under_test.catch_up(after_pass(2), 1)
        self.assertEqual(seen.calls, [('begin', 1), ('end', 1, False), ('begin', 2)])

    def test_callbacks_find_model_and_params(self):
        seen = Seen()
        hooks([seen])
        self.assertEqual(seen.model, 'the model')
        self.assertEqual(seen.params, {'epochs': 3, 'optimizer': 'the optimizer'})

    def test_the_older_generation_gets_percent_and_the_count_of_steps(self):
        logger = OlderLogger()
        under_test = hooks(driver=logger)
        progress = after_pass(1)
        progress.trained = Tally(10, [20.0, 5.0])
        under_test.step(progress, [], SimpleNamespace(rank=0, world=2))
        under_test.catch_up(progress, 0)
        self.assertEqual(logger.calls, [('train', 2.0, 50.0, 10), ('test', 0.5, 90.0, 10)])

    def test_the_later_generation_gets_names_iteration_pass_and_workers(self):
        logger = LaterLogger()
        under_test = hooks(driver=logger, generation=2)
        progress = after_pass(1)
        progress.trained = Tally(10, [20.0, 5.0])
        under_test.step(progress, [], SimpleNamespace(rank=0, world=2))
        under_test.catch_up(progress, 0)
        self.assertEqual(logger.calls, [('train', {'loss': 2.0, 'accuracy': 0.5}, 10, 0, 2),
                                        ('test', {'loss': 0.5, 'accuracy': 0.9}, 0, 0)])

    def test_a_pass_that_was_not_validated_reports_no_validation(self):
        driver, worker = LaterLogger(), LaterLogger()
        under_test = hooks(driver=driver, worker=worker, generation=2)
        for done, validated in ((1, 0), (2, 2), (3, 2)):
            progress = after_pass(done)
            progress.passes_validated = validated
            under_test.catch_up(progress, 0)
        self.assertEqual([call[3] for call in driver.calls], [1])  # the pass, from 0
        self.assertEqual(worker.calls, driver.calls)

    def test_only_rank_0_speaks_to_the_driver_logger_every_worker_to_its_own(self):
        driver, worker = OlderLogger(), OlderLogger()
        hooks(driver=driver, worker=worker).step(after_pass(1), [1.0, 0.5], SimpleNamespace(rank=1, world=2))
        self.assertEqual((driver.calls, worker.calls), ([], [('train', 1.0, 50.0, 10)]))

    def test_a_scheduler_moves_once_a_pass_even_if_its_state_came_from_another(self):
        scheduler = SimpleNamespace(last_epoch=1, steps=0)

        def step():
            scheduler.last_epoch += 1
            scheduler.steps += 1

        scheduler.step = step
        under_test = hooks(scheduler=scheduler)
        under_test.catch_up(after_pass(1), 0)
        self.assertEqual(scheduler.steps, 0)
        under_test.catch_up(after_pass(2), 0)
        self.assertEqual(scheduler.steps, 1)


class Decay:
    """Halves the learning rate after a pass, and notes the parameter that it then sees."""

    def __init__(self):
        self.seen = []

    def on_epoch_end(self, epoch):
        self.seen.append(self.model.weight.item())
        self.params['optimizer'].param_groups[0]['lr'] /= 2


def learner(weight, callback):
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.constant_(model.weight, weight)
    return state.Script(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.8),
                        lr_scheduler=None, lr_scheduler_each='pass', callbacks=[callback], extras={},
                        driver_logger=None,
                        worker_logger=None, logger_generation=1)


class LeftBehindTest(unittest.TestCase):
    """Who was left behind by the last step of a pass, for the group broke before it had that step."""

    def setUp(self):
        ahead, self.seen = learner(2.0, Decay()), Decay()
        course = Course(epochs=3, batch_size=1, metric_names=())
        Hooks(ahead, course).catch_up(after_pass(1, tested=False), 0)
        self.received = ahead.state(after_pass(1, tested=False))
        self.script = learner(1.0, self.seen)
        self.hooks = Hooks(self.script, course)

    def test_its_callbacks_see_the_model_with_which_the_pass_ended(self):
        self.assertEqual(self.hooks.take_over(self.received, 1).passes_done, 1)
        self.assertEqual(self.seen.seen, [2.0])

    def test_what_they_change_is_not_changed_twice(self):
        self.hooks.take_over(self.received, 1)
        self.assertEqual(self.script.optimizer.param_groups[0]['lr'], 0.4)
        self.assertEqual(self.script.model.weight.item(), 2.0)

    def test_nothing_is_told_where_no_pass_has_ended(self):
        self.received['progress'] = Progress(step=3).pack()
        self.hooks.take_over(self.received, 1)
        self.assertEqual(self.seen.seen, [])


if __name__ == '__main__':
    unittest.main()
