"""Role: the user's code around the training: driver logger on rank 0, worker logger and callbacks
on every worker. Speaks both generations of loggers (reference: wmla-surface 4.4).

  on_train_begin → per pass: on_epoch_begin, (log_train_metrics, on_step_end)*, [log_test_metrics],
  on_epoch_end → on_train_end

Invariant: which hooks have run is this worker's own knowledge; catch_up() runs what progress
says is due, so that nothing runs twice after a failure and nothing is left out. On rank 0 the
last on_epoch_end, which saves the model, belongs to the end (W-12): who takes rank 0 over saves again.
"""

import inspect
import math

from .progress import FINISH, TRAIN, VALID, Progress


def knows(target, name, option):
    """Whether target.name takes `option`."""
    hook = getattr(target, name, None)
    return hook is not None and option in inspect.signature(hook).parameters


def call(target, name, *arguments, **options):
    """target.name(…) if it has such a hook; options it does not know are left out."""
    hook = getattr(target, name, None)
    if hook is not None:
        hook(*arguments, **{k: v for k, v in options.items() if knows(target, name, k)})


def _percent(accuracy):
    return 0.0 if math.isnan(accuracy) else accuracy * 100.0


def _by_loss(scheduler):
    return any(kind.__name__ == 'ReduceLROnPlateau' for kind in type(scheduler).__mro__)


def _steps_of(scheduler):
    """How often it was stepped; None: it cannot tell. A ChainedScheduler's parts are stepped together."""
    found = getattr(scheduler, 'last_epoch', None)
    parts = getattr(scheduler, '_schedulers', None)
    return _steps_of(parts[0]) if found is None and parts else found


def check_scheduler(scheduler, each):
    """@errors ValueError: _step_scheduler could not step it after `each`"""
    kind = type(scheduler).__name__
    if each not in ('pass', 'step'):
        raise ValueError(f"lr_scheduler_each '{each}': 'pass' or 'step'")
    if each == 'step' and _by_loss(scheduler):
        raise ValueError(f"lr_scheduler: {kind} goes by the loss of passes; lr_scheduler_each 'pass'")
    if not hasattr(scheduler, 'step'):
        raise ValueError(f"lr_scheduler: {kind} has no 'step'")
    if _steps_of(scheduler) is None:
        raise ValueError(f"lr_scheduler: {kind} has no 'last_epoch'")
    try:
        inspect.signature(scheduler.step).bind(*([0.0] if _by_loss(scheduler) else []))
    except TypeError as error:
        raise ValueError(f'lr_scheduler: {kind}.step() cannot be called after a pass: {error}') from None


class Logger:
    """One logger of either generation behind one form."""

    def __init__(self, target, generation):
        self.target = target
        self._generation = generation
        self._dict_train = self._wants_dict('log_train_metrics')
        self._dict_test = self._wants_dict('log_test_metrics')

    def _wants_dict(self, name):
        hook = getattr(self.target, name, None)
        if hook is None:
            return False
        names = list(inspect.signature(hook).parameters)
        if names and names[0] in ('metrics', 'logs'):
            return True
        return bool(names) and names[0] != 'loss' and self._generation == 2

    def train(self, values, names, progress, workers):
        if self._dict_train:
            metrics = dict(zip(('loss',) + names, values))
            call(self.target, 'log_train_metrics', metrics, progress.step, _pass_of(progress), workers)
        elif values:
            call(self.target, 'log_train_metrics', values[0], _percent(values[1]), progress.step)

    def test(self, values, names, progress):
        if self._dict_test:
            metrics = dict(zip(('loss',) + names, values))
            call(self.target, 'log_test_metrics', metrics, 0, progress.passes_done - 1)
        elif values:
            call(self.target, 'log_test_metrics', values[0], _percent(values[1]), progress.step)


def _pass_of(progress):
    """The pass that the newest step belongs to."""
    return progress.data_epoch if progress.cursor else max(0, progress.data_epoch - 1)


class Hooks:
    """@thread the training thread"""

    def __init__(self, script, course):
        self._script, self._names = script, course.metric_names
        self._epochs = course.epochs
        self._driver = Logger(script.driver_logger, script.logger_generation)
        self._worker = Logger(script.worker_logger, script.logger_generation)
        self._begun, self._ended = 0, 0
        self._last_told, self._saved, self._driver_ended = False, False, False
        for target in self._everybody():
            self._equip(target)

    def _values(self, tally):
        return self._script.measured.values(tally.sums, tally.weight)

    def _everybody(self):
        script = self._script
        return [t for t in [script.driver_logger, script.worker_logger, *script.callbacks] if t]

    def _equip(self, target):
        try:
            target.model = self._script.model
            target.params = {'epochs': self._epochs, 'optimizer': self._script.optimizer}
        except AttributeError:
            pass  # a class with slots: it cannot want them

    def train_begin(self):
        """On every worker, before it is a member."""
        for target in self._everybody():
            call(target, 'on_train_begin')

    def join(self, progress):
        """This worker comes in here, before it takes the state over: what lies before is not
        for it; the pass that is under way begins for it now."""
        self._begun = self._ended = progress.passes_done
        if progress.phase == TRAIN:
            self._begin_pass(progress)
        elif progress.phase == VALID:
            self._begun += 1
        self._last_told = progress.phase == FINISH

    def take_over(self, received, rank):
        """A member that was left behind takes `received` over; hooks that are due run first, on
        the model as it is there: what they change in the optimizer, or remember, is in that
        state already. Returns its progress."""
        progress = Progress.unpack(received['progress'])
        if self._ended < progress.passes_done:
            self._script.show(received)
            self.catch_up(progress, rank)
        return self._script.take_over(received)

    def catch_up(self, progress, rank):
        """Runs the hooks that are due, right after what makes them due was committed, or
        before a state that contains it is taken over. Returns whether a pass has ended."""
        ended = False
        while self._ended < progress.passes_done:
            self._test(progress, rank)
            last = progress.phase == FINISH and self._ended + 1 == progress.passes_done
            if not (last and rank == 0):  # there it is for save()
                self._end_pass(last)
            self._ended, ended = self._ended + 1, True
        self._step_scheduler(progress)
        if progress.phase == TRAIN and self._begun <= progress.data_epoch:
            self._begin_pass(progress)
        return ended

    def _end_pass(self, last):
        self._last_told = last
        for callback in self._script.callbacks:
            call(callback, 'on_epoch_end', self._ended, save_model=False)

    def _begin_pass(self, progress):
        self._begun = progress.data_epoch + 1
        for callback in self._script.callbacks:
            call(callback, 'on_epoch_begin', progress.data_epoch)

    def _step_scheduler(self, progress):
        scheduler = self._script.lr_scheduler
        each_step = self._script.lr_scheduler_each == 'step'
        due = progress.step if each_step else progress.passes_done
        while scheduler is not None and _steps_of(scheduler) < due:
            if _by_loss(scheduler):
                scheduler.step((progress.validated.means() or progress.trained.means())[0])
            else:
                scheduler.step()

    def _test(self, progress, rank):
        """For the pass that ends here, if it was validated."""
        if progress.passes_validated != self._ended + 1:
            return  # the numbers are of a pass before
        values = self._values(progress.validated)
        if rank == 0:
            self._driver.test(values, self._names, progress)
        self._worker.test(values, self._names, progress)

    def step(self, progress, own, group):
        """After an applied step. `own`: this worker's means of it, [] if it had no sample."""
        if group.rank == 0:
            self._driver.train(self._values(progress.trained), self._names, progress, group.world)
        if own:
            self._worker.train(own, self._names, progress, group.world)
        for callback in self._script.callbacks:
            call(callback, 'on_step_end', progress.step)

    def save(self, progress):
        """On rank 0, before the last barrier: the last on_epoch_end. Who took rank 0 over was told
        of that pass's end already: there only callbacks that can save hear of it again."""
        if self._saved:
            return
        for callback in self._script.callbacks:
            if not self._last_told or knows(callback, 'on_epoch_end', 'save_model'):
                call(callback, 'on_epoch_end', progress.passes_done - 1, save_model=True)
        self._saved = True

    def driver_end(self):
        """On rank 0, before the last barrier: who takes rank 0 over does it again."""
        if not self._driver_ended:
            self._driver_ended = True
            call(self._driver.target, 'on_train_end')

    def train_end(self):
        """On every worker that is there at the end."""
        for target in [self._script.worker_logger, *self._script.callbacks]:
            call(target, 'on_train_end')
