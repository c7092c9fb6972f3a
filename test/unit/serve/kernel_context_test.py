"""Role: tests of redhareapi.py without a service: a task is of its invocation. What is late with it gets an error, and no other request
is read or answered, though the memory of one batch is the next one's.
"""

import ctypes
import os
import sys
import threading
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, 'libwm/trainer/python'))
import redhareapi

ADDRESS = 4096  # of every batch: as a heap gives what has just been freed


class Library:
    """As libwmserve.so: hands batches out, one after the other, and keeps the answers. What is asked of a batch that is gone is noted."""

    def __init__(self, *batches, workers=1):
        self.batches, self.workers, self.lock = list(batches), workers, threading.Lock()
        self.at = {}  # address → requests
        self.answers, self.early, self.strays = {}, {}, 0

    def wm_kernel_open(self, _folder, _name, _patience):
        """Never fails."""
        return 1

    def wm_kernel_workers(self, _kernel):
        """How many threads are to work."""
        return self.workers

    def wm_kernel_leave_on_term(self, _kernel):
        """Not told to."""

    def wm_kernel_close(self, _kernel):
        """All is over."""

    def wm_kernel_next(self, _kernel, batch):
        """The next one, at the first address that is free."""
        with self.lock:
            if not self.batches:
                return 0
            address = next(one for one in range(ADDRESS, ADDRESS + 64) if one not in self.at)
            self.at[address] = self.batches.pop(0)
            batch._obj.value = address
            return 1

    def _requests(self, batch):
        address = batch.value if isinstance(batch, ctypes.c_void_p) else batch
        self.strays += address not in self.at
        return self.at.get(address, [])

    def wm_batch_size(self, batch):
        """Of tasks."""
        return len(self._requests(batch))

    def wm_batch_task(self, batch, place):
        """A number made of the request."""
        return sum(self._requests(batch)[place])

    def wm_batch_data(self, batch, place, size):
        """Its bytes."""
        data = self._requests(batch)[place]
        size._obj.value = len(data)
        return data

    def wm_batch_answer(self, batch, place, fine, data, _size):
        """The last one counts."""
        self.answers[self._requests(batch)[place]] = (bool(fine), data)

    def wm_batch_ready(self, batch, place, data, _size):
        """Told at once."""
        self.early[self._requests(batch)[place]] = data

    def wm_batch_done(self, batch):
        """Gone."""
        with self.lock:
            del self.at[batch.value if isinstance(batch, ctypes.c_void_p) else batch]


def served(kernel, *batches, workers=1):
    """The library after `kernel` has worked on batches of requests."""
    library = Library(*batches, workers=workers)
    with mock.patch.object(redhareapi, '_library', lambda: library):
        kernel.run()
    return library


class Kernel(redhareapi.Kernel):
    """Answers what `act` says; keeps every task that it was given."""

    def __init__(self, act):
        self.act, self.kept = act, []

    def on_task_invoke(self, task_context):
        """See act."""
        self.kept.append(task_context)
        self.act(self, task_context)


def refused(of, name, *words):
    """Whether that use of a task is refused, by an error that names the task."""
    try:
        getattr(of, name)(*words)
    except RuntimeError as problem:
        return type(problem).__name__ == 'TaskEnded' and of.get_id() in str(problem)
    return False


LATE_USES = (('get_input_data',), ('get_input_data_extend',), ('set_output_data', 'late'), ('set_output_data_extend', b'late'),
             ('report_ready', 'late'), ('next',), ('prev',))


class LateTest(unittest.TestCase):
    """What is used after its invocation."""

    def test_a_task_kept_beyond_its_invocation_reaches_no_later_request(self):
        """Every use of it, from the invocation of another client's request."""
        found = []

        def act(kernel, task):
            found.extend(refused(kernel.kept[0], *use) for use in LATE_USES if len(kernel.kept) == 2)
            task.set_output_data('own')

        library = served(Kernel(act), [b'first'], [b'secret'], [b'third'])
        self.assertEqual(found, [True] * len(LATE_USES))
        self.assertEqual(library.answers, dict.fromkeys([b'first', b'secret', b'third'], (True, b'own')))
        self.assertEqual((library.early, library.strays), ({}, 0))

    def test_a_thread_that_outlives_the_invocation_reads_and_answers_nothing(self):
        """It waits until the next client's request is being worked on."""
        working, read, late = threading.Event(), [], []

        def slow(task):
            working.wait(20)
            try:
                read.append(task.get_input_data())
                task.report_ready('for the first')
            except RuntimeError as problem:
                read.append(type(problem).__name__)

        def act(kernel, task):
            if len(kernel.kept) == 1:
                late.append(threading.Thread(target=slow, args=(task,)))
                late[0].start()
            else:
                working.set()
                late[0].join()
                task.set_output_data('own')

        library = served(Kernel(act), [b'first'], [b'secret'])
        self.assertEqual(read, ['TaskEnded'])
        self.assertEqual((library.answers, library.early), ({b'secret': (True, b'own')}, {}))

    def test_after_the_last_batch_nothing_is_touched(self):
        """Its memory is nobody's."""
        kernel = Kernel(lambda _, task: task.set_output_data('own'))
        library = served(kernel, [b'only'])
        self.assertTrue(all(refused(kernel.kept[0], *use) for use in LATE_USES))
        self.assertEqual(library.strays, 0)

    def test_ids_can_still_be_asked_for(self):
        """For logs, from what is kept."""
        kernel = Kernel(lambda _, task: task.set_output_data('own'))
        served(kernel, [b'a'], [b'b'])
        self.assertEqual([task.get_id() for task in kernel.kept], [str(ord('a')), str(ord('b'))])
        self.assertEqual(len(kernel.kept[0].get_uuid()), 36)

    def test_output_that_is_no_text_is_an_error_to_that_client(self):
        """And not how Python spells it."""
        kinds = {b'none': None, b'dict': {'a': 1}, b'number': 7, b'text': 'é', b'bytes': b'\xff', b'view': memoryview(b'v')}

        def act(_, task):
            said = task.set_output_data(kinds[task.get_input_data_extend()])
            self.assertIs(said, task.get_input_data() in ('text', 'bytes', 'view'))

        with mock.patch.object(redhareapi.Kernel, 'log_error') as log:
            library = served(Kernel(act), *([kind] for kind in kinds))
        self.assertEqual(library.answers[b'none'], (False, b'a task without output'))
        self.assertEqual(library.answers[b'dict'], (False, b'an output of type dict: text or bytes are wanted'))
        self.assertFalse(library.answers[b'number'][0])
        self.assertEqual([library.answers[kind] for kind in (b'text', b'bytes', b'view')], [(True, 'é'.encode()), (True, b'\xff'), (True, b'v')])
        self.assertEqual(log.call_count, 3)

    def test_an_early_answer_that_is_no_text_is_an_error_as_well(self):
        """Which report_ready makes, too."""
        with mock.patch.object(redhareapi.Kernel, 'log_error'):
            library = served(Kernel(lambda _, task: task.report_ready(None)), [b'a'])
        self.assertEqual((library.answers, library.early), ({b'a': (False, b'a task without output')}, {}))

    def test_a_task_whose_invocation_raised_is_of_no_more_use(self):
        """Its client has been told the error."""
        def act(kernel, task):
            if task.get_input_data() == 'bad':
                raise ValueError('asked to fail')
            self.assertTrue(refused(kernel.kept[0], 'set_output_data', 'after all'))
            task.set_output_data('own')

        with mock.patch.object(redhareapi.Kernel, 'log_error'):
            library = served(Kernel(act), [b'bad'], [b'good'])
        self.assertEqual(library.answers, {b'bad': (False, b'ValueError: asked to fail'), b'good': (True, b'own')})

    def test_a_task_whose_invocation_was_left_by_an_exit_is_of_no_more_use(self):
        """The thread ends, its batch with it."""
        def act(_, task):
            raise SystemExit(f'on {task.get_id()}')

        kernel = Kernel(act)
        with self.assertRaises(SystemExit):
            served(kernel, [b'only'])
        self.assertTrue(refused(kernel.kept[0], 'set_output_data', 'late'))

    def test_workers_at_a_time_keep_to_their_own(self):
        """Each with tasks of before in hand."""
        together = threading.Barrier(4, timeout=20)

        def act(kernel, task):
            together.wait()  # four batches are there
            mine, earlier = task.get_input_data(), kernel.kept[:-4]
            together.wait()
            task.set_output_data(mine)
            for other in earlier:
                self.assertTrue(refused(other, 'set_output_data', mine))

        requests = [str(number).encode() for number in range(40)]
        library = served(Kernel(act), *[[one] for one in requests], workers=4)
        self.assertEqual(library.answers, {one: (True, one) for one in requests})
        self.assertEqual(library.strays, 0)


class BatchTest(unittest.TestCase):
    """Several requests in one invocation, and several invocations of one batch."""

    def test_a_list_is_walked_both_ways_and_one_task_is_one_object(self):
        """All is invoked once."""
        def act(_, task):
            self.assertIsNone(task.prev())
            self.assertIs(task.next().prev(), task)
            while task is not None:
                task.set_output_data('pong ' + task.get_input_data())
                task = task.next()

        kernel = Kernel(act)
        library = served(kernel, [b'a', b'b', b'c'])
        self.assertEqual(len(kernel.kept), 1)
        self.assertEqual(library.answers[b'c'], (True, b'pong c'))

    def test_what_was_not_looked_at_comes_again_and_the_earlier_task_is_over(self):
        """Each of a batch is another client's; a late thread does not take the next one's request away, either."""
        def act(kernel, task):
            for other in kernel.kept[:-1]:
                self.assertTrue(all(refused(other, *use) for use in LATE_USES))
            task.set_output_data('own')

        kernel = Kernel(act)
        library = served(kernel, [b'a', b'b', b'c'])
        self.assertEqual(len(kernel.kept), 3)
        self.assertEqual(library.answers, dict.fromkeys([b'a', b'b', b'c'], (True, b'own')))

    def test_a_later_invocation_may_look_back(self):
        """By a context of its own."""
        found = []

        def act(_, task):
            found.append(task.prev().get_input_data() if task.prev() else None)
            task.set_output_data('own')

        served(Kernel(act), [b'a', b'b'])
        self.assertEqual(found, [None, 'a'])

    def test_what_a_task_is_answered_in_time_stays(self):
        """A thread within the invocation; early answers count as answers."""
        def act(_, task):
            helper = threading.Thread(target=task.report_ready, args=('early',))
            helper.start()
            helper.join()
            raise ValueError('after the answer')

        with mock.patch.object(redhareapi.Kernel, 'log_error'):
            library = served(Kernel(act), [b'a', b'b'])
        self.assertEqual((library.early, library.answers), ({b'a': b'early', b'b': b'early'}, {}))

    def test_words_of_an_exception_are_told_to_one_client_at_most(self):
        """They may hold what another asked."""
        def act(_, task):
            while task.next() is not None:
                task = task.next()
            raise ValueError(f'cannot read {task.get_input_data()!r}')

        with mock.patch.object(redhareapi.Kernel, 'log_error') as log:
            library = served(Kernel(act), [b'a', b'secret'])
        self.assertEqual({fine for fine, _ in library.answers.values()}, {False})
        self.assertIn(b'ValueError', library.answers[b'a'][1])
        self.assertNotIn(b'secret', library.answers[b'a'][1])
        self.assertIn('secret', log.call_args[0][0])


if __name__ == '__main__':
    unittest.main()
