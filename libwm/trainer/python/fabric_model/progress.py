"""Role: where the training stands, as a value that is equal on all members: what is applied,
which samples come next, what the running sums are. All members move it by the same
functions at the same rounds, so it is never agreed on, only handed to newcomers.

  TRAIN ──last step of a pass──► VALID (if due) ──all test samples──► TRAIN of the next pass
    └───────────────────────────────────────────────────────────────► FINISH ──► END

A round is one collective: a train step, a bite of validation, or the last barrier.
Invariants: `round` grows by one at every committed round, `step` at every applied optimizer
step; the cursor never crosses the end of a pass.
"""

from dataclasses import astuple, dataclass, field, fields

TRAIN, VALID, FINISH, END = range(4)
ENDLESS = 1 << 50  # samples of a pass whose end is not known yet


@dataclass(frozen=True)
class Course:
    """What a job is to do; from the script's own arguments, hence equal on all members."""
    epochs: int
    batch_size: int
    effective_batch_size: int = 0  # 0: batch_size a member
    validation_freq: int = 1       # passes between validations; 0: none
    checkpoint_freq: int = 1       # passes between checkpoints; 0: none
    train_samples: int = 0
    test_samples: int = 0
    metric_names: tuple = ()
    chooses: bool = False          # effective_batch_size is the first of a step only

    def global_batch(self, world):
        """Samples of one step over `world` members."""
        return self.effective_batch_size or self.batch_size * world


@dataclass
class Tally:
    """Weighted sums over samples: of the loss and of each metric."""
    weight: float = 0.0
    sums: list = field(default_factory=list)

    def add(self, weight, sums):
        self.weight += weight
        self.sums = [a + b for a, b in zip(self.sums or [0.0] * len(sums), sums)]

    def means(self):
        """[loss, metric, …] or [] when nothing was counted."""
        return [s / self.weight for s in self.sums] if self.weight else []


@dataclass
class Progress:
    """Numbers only; integers below 2^53, so that a float64 vector holds them exactly."""
    seed: int = 0
    round: int = 0
    step: int = 0
    samples: int = 0
    phase: int = TRAIN
    data_epoch: int = 0      # pass being worked on
    cursor: int = 0          # samples of it used by applied steps
    valid_cursor: int = 0    # test samples counted in this validation
    passes_done: int = 0     # passes whose validation is done too
    trained: Tally = field(default_factory=Tally)     # of this pass
    validated: Tally = field(default_factory=Tally)   # of this validation, or of the last
    batch: int = 0           # samples of a step where rank 0 chooses them; 0: as the course says

    train_samples: int = 0   # of a pass, where the progress was made; 0: not known
    passes_validated: int = 0  # passes_done when `validated` was whole; 0: it never was
    met: int = 0  # passes_done when all members met behind a pass of a plain loop

    def goes_on_with(self, samples):
        """Takes a data set of `samples` for what comes. Returns whether it can: in the middle of
        a pass another one would leave samples out or repeat them."""
        fits = self.train_samples in (0, samples) or self.phase != TRAIN or self.cursor == 0
        if fits:
            self.train_samples = samples
        return fits

    def train_on(self, course):
        """A training that had ended is gone on with, where `course` has more passes."""
        if self.phase in (FINISH, END):
            self.phase = TRAIN if self.passes_done < course.epochs else FINISH

    def batch_of(self, course, world):
        """Samples of the next train step over `world` members."""
        chosen = self.batch if course.chooses else 0  # a checkpoint may be of one that chose
        return chosen or course.global_batch(world)

    def next_batch(self, course, world):
        """[begin, end) of the next round's samples: of the pass, or of the test set."""
        total = course.train_samples if self.phase == TRAIN else course.test_samples
        begin = self.cursor if self.phase == TRAIN else self.valid_cursor
        size = self.batch_of(course, world) if self.phase == TRAIN else course.batch_size * world
        return begin, min(total, begin + size)

    def commit_train(self, course, end, weight, sums):
        """An optimizer step over the samples up to `end` is applied."""
        if self.cursor == 0:
            self.trained = Tally()
        self.round += 1
        self.step += 1
        self.samples += end - self.cursor
        self.cursor = end
        self.trained.add(weight, sums)
        if self.cursor == course.train_samples:
            self._end_pass(course)

    def _end_pass(self, course):
        due = course.validation_freq and (self.data_epoch + 1) % course.validation_freq == 0
        last = self.data_epoch + 1 == course.epochs
        if course.test_samples and (due or (last and course.validation_freq)):
            self.phase, self.valid_cursor, self.validated = VALID, 0, Tally()
        else:
            self._next_pass(course)

    def commit_valid(self, course, end, weight, sums):
        """The test samples up to `end` are counted."""
        self.round += 1
        self.valid_cursor = end
        self.validated.add(weight, sums)
        if end == course.test_samples:
            self._next_pass(course)
            self.passes_validated = self.passes_done

    def _next_pass(self, course):
        self.passes_done = self.data_epoch + 1
        self.phase = FINISH if self.passes_done >= course.epochs else TRAIN
        self.data_epoch, self.cursor = self.passes_done, 0

    def commit_finish(self):
        """All members have reached the end."""
        self.round += 1
        self.phase = END

    def pack(self):
        """As a list of floats. @shape scalars, then each tally: weight, count, sums"""
        out = []
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Tally):
                out += [value.weight, len(value.sums), *value.sums]
            else:
                out.append(value)
        return [float(v) for v in out]

    @classmethod
    def unpack(cls, numbers):
        """The value that pack() wrote."""
        numbers, made = list(numbers), cls()
        for item in fields(cls):
            if not numbers:
                break  # written before there was this field
            if isinstance(getattr(made, item.name), Tally):
                weight, count = numbers.pop(0), int(numbers.pop(0))
                setattr(made, item.name, Tally(weight, [numbers.pop(0) for _ in range(count)]))
            else:
                setattr(made, item.name, int(numbers.pop(0)))
        return made

    def __eq__(self, other):
        return astuple(self) == astuple(other)
