"""Role: models of Keras over TensorFlow and of JAX on real worker processes in which torch cannot be imported: resized and killed at
any place, they end with the parameters of a run of one worker, every sample in one applied step, and no step lost.
"""

import importlib.util
import os
import sys
import unittest

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import fake_lead  # noqa: E402
from elastic_job import ROOT, Elastic  # noqa: E402

WORKER = os.path.join(ROOT, 'test', 'support', 'keras_worker.py')
long = unittest.skipUnless(os.environ.get('WM_SOAK'), 'long: make soak')


class Frames(Elastic):
    """What must hold of any of them."""

    __test__ = False
    command, frame = [sys.executable, WORKER], None
    samples = 251  # the last step of a pass has fewer samples than workers need

    @classmethod
    def setUpClass(cls):
        if cls is Frames:
            raise unittest.SkipTest('what the others have in common')

    def job(self, **settings):
        lead = super().job(frame=self.frame, **settings)
        lead.LIMIT_S = 300  # each worker imports a large library
        return lead

    def storm(self):
        """2 → 3 → 2 workers, the first killed in the middle of whatever it does."""
        self.begin([1, 2], later=[3])
        self.at_step(4)
        self.resize([1, 2, 3])
        self.at_step(self.lead.step() + 3)
        self.lead.workers[1].process.kill()
        self.lead.run_until(lambda: self.lead.workers[1].gone and self.lead.formed(), what='recovery')

    def after(self, course, killed=(), **settings):
        """The parameters at the end of a job in which `course` happened."""
        self.job(**{'passes': 4, 'step_ms': 30, **settings})
        course()
        self.finish(killed=killed)
        with numpy.load(os.path.join(self.base, 'returned.npz')) as file:
            found = [file[name] for name in file.files]
        self.tearDown()
        self.setUp()
        return found

    def assert_near(self, wanted, found):
        self.assertEqual(len(wanted), len(found))
        for one, other in zip(wanted, found):
            numpy.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)

    def test_parameters_of_any_sizes_are_those_of_one_worker(self):
        wanted = self.after(lambda: self.begin([1]), step_ms=0)
        self.assert_near(wanted, self.after(self.storm, killed=[1]))

    @long
    def test_a_worker_that_dies_in_the_middle_of_a_step_takes_none_along(self):
        wanted = self.after(lambda: self.begin([1]), step_ms=0, passes=2)
        for where in ('before', 'inside', 'after'):
            with self.subTest(where=where):
                def course(where=where):
                    self.lead.start(2, TEST_KILL=f'{where}:7')
                    self.begin([1, 2, 3])
                self.assert_near(wanted, self.after(course, killed=[2], passes=2, step_ms=4))

    @long
    def test_a_newcomer_that_dies_while_it_connects_or_comes_in(self):
        for where in ('connect', 'switch'):
            with self.subTest(where=where):
                self.job(passes=3, step_ms=20)
                self.lead.start(3, TEST_KILL=f'{where}:1')
                self.begin([1, 2], later=[3])
                self.at_step(3)
                self.lead.plan([1, 2, 3])
                self.finish(killed=[3])
                self.tearDown()
                self.setUp()


    @long
    def test_a_second_training_keeps_the_workers_of_the_first(self):
        lead = self.job(trainings=2, passes=2)
        self.begin([1, 2])
        lead.run_until(lambda: lead.trainings == 1 and lead.all_ready([1, 2]), what='the next training')
        lead.plan([1, 2])
        lead.run_until(lead.formed, what='its first epoch')
        self.finish()
        self.assertEqual({row['world'] for row in fake_lead.rows(self.base, 2, 'steps.csv') if row['epoch'] == 2}, {2})


@unittest.skipUnless(all(map(importlib.util.find_spec, ('tensorflow', 'keras'))), 'not run: tensorflow and keras are not installed for this Python')
class Keras(Frames):
    __test__ = True
    frame = 'keras'

    @long
    def test_batch_normalisation_and_dropout_stay_equal_on_all_members(self):
        self.after(self.storm, killed=[1], norm=1)

    def test_a_job_goes_on_from_its_checkpoint_and_keras_reads_its_own(self):
        self.job(passes=2, checkpoints=1, step_ms=0)
        self.begin([1])
        self.finish()
        with numpy.load(os.path.join(self.base, 'returned.npz')) as file:
            kept = [file[name] for name in file.files]
        import keras
        for name in ('checkpoint/checkpoint.keras', 'model/model.keras'):
            model = keras.models.load_model(os.path.join(self.base, name))
            self.assert_near(kept, [numpy.asarray(w) for w in model.weights])


@unittest.skipUnless(all(map(importlib.util.find_spec, ('tensorflow', 'tf_keras'))), 'not run: tensorflow and tf_keras are not installed for this Python')
class Keras2(Frames):
    __test__ = True
    frame = 'keras2'

    @long
    def test_batch_normalisation_and_dropout_stay_equal_on_all_members(self):
        self.after(self.storm, killed=[1], norm=1)


@unittest.skipUnless(importlib.util.find_spec('jax'), 'not run: jax is not installed for this Python')
class Jax(Frames):
    __test__ = True
    frame = 'jax'


if __name__ == '__main__':
    unittest.main()
