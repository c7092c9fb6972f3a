"""Role: what the kernel of an inference service is written with: Kernel, KernelContext, TaskContext.

    class Ping(Kernel):
        def on_task_invoke(self, task_context):
            while task_context is not None:
                task_context.set_output_data('pong ' + task_context.get_input_data())
                task_context = task_context.next()

    if __name__ == '__main__':
        Ping().run()

A thin layer over libwmserve.so (libwm/kernel/wmserve.h), which has the network and the batches.
Tasks of one batch are a list: next() and prev(). What a kernel never looks at is given to it once
more, so that one which handles the first task alone works with any task_batch_size.
A context is of its invocation: once on_task_invoke has returned, or raised, whatever asks it for data,
answers or neighbours raises TaskEnded. A thread that is late reaches nobody else's request.
Environment: WM_SERVICE_DIR, REDHARE_MODEL_PATH, TASK_JOB_ID, DLIM_MK_LOG_LEVEL.
"""

import ctypes as c
import json
import os
import socket
import sys
import threading
import time
import traceback
import uuid

_LEVELS = {-1: 'DEBUG', 0: 'INFO', 1: 'WARN', 2: 'ERROR'}
_NUMBERS = {'DEBUG': -1, 'INFO': 0, 'WARN': 1, 'WARNING': 1, 'ERROR': 2}


def _library():
    here = os.path.dirname(os.path.abspath(__file__))
    beside = [os.environ.get('WM_SERVE_LIB'), os.path.join(here, '..', 'libwmserve.so'),
              os.path.join(here, 'wm_elastic_libs', 'libwmserve.so')]  # of a wheel
    path = next((p for p in beside if p and os.path.exists(p)), None)
    if path is None:
        raise OSError('libwmserve.so not found: set WM_SERVE_LIB to its path')
    lib = c.CDLL(path)
    lib.wm_kernel_open.restype = c.c_void_p
    lib.wm_kernel_open.argtypes = [c.c_char_p, c.c_char_p, c.c_double]
    lib.wm_kernel_error.restype = c.c_char_p
    for name in ('wm_kernel_leave_on_term', 'wm_kernel_leave', 'wm_kernel_close', 'wm_batch_done'):
        getattr(lib, name).restype = None
        getattr(lib, name).argtypes = [c.c_void_p]
    lib.wm_kernel_workers.restype = c.c_uint32
    lib.wm_kernel_workers.argtypes = [c.c_void_p]
    lib.wm_kernel_next.argtypes = [c.c_void_p, c.POINTER(c.c_void_p)]
    lib.wm_batch_size.restype = c.c_size_t
    lib.wm_batch_size.argtypes = [c.c_void_p]
    lib.wm_batch_task.restype = c.c_uint64
    lib.wm_batch_task.argtypes = [c.c_void_p, c.c_size_t]
    lib.wm_batch_data.restype = c.c_void_p
    lib.wm_batch_data.argtypes = [c.c_void_p, c.c_size_t, c.POINTER(c.c_size_t)]
    lib.wm_batch_answer.restype = lib.wm_batch_ready.restype = None
    lib.wm_batch_answer.argtypes = [c.c_void_p, c.c_size_t, c.c_int, c.c_char_p, c.c_size_t]
    lib.wm_batch_ready.argtypes = [c.c_void_p, c.c_size_t, c.c_char_p, c.c_size_t]
    return lib


def _bytes(data):
    """What can be an answer, as bytes. @errors TypeError: neither text nor bytes"""
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    if isinstance(data, str):
        return data.encode('utf-8', 'surrogateescape')
    raise TypeError('a task without output' if data is None else f'an output of type {type(data).__name__}: text or bytes are wanted')


class KernelContext:
    """What a kernel is told of itself when it starts."""

    def __init__(self, number):
        self._number = number

    def get_id(self):
        """Unique among the kernels of the service."""
        return self._number

    def get_instance_id(self):
        """Of the service's run: its job."""
        return os.environ.get('TASK_JOB_ID', '')

    def get_model_description(self):
        """model.json as a JSON text, its model_path absolute."""
        folder = os.environ.get('REDHARE_MODEL_PATH', os.getcwd())
        with open(os.path.join(folder, 'model.json'), encoding='utf-8') as file:
            model = json.load(file)
        model['model_path'] = os.path.normpath(os.path.join(folder, model.get('model_path') or '.'))
        return json.dumps(model)


class TaskEnded(RuntimeError):
    """A context was used after its invocation."""


class _Batch:
    """Requests that were handed over together, in the memory of libwmserve.so until end(). The lock is held around every use of that memory,
    since threads of a kernel may be at work when it goes."""

    def __init__(self, lib, pointer):
        self.lib, self.pointer, self.lock = lib, pointer, threading.Lock()
        self.size = lib.wm_batch_size(pointer)
        self.seen, self.answered = [False] * self.size, [False] * self.size

    def fail(self, problem):
        """Whatever was looked at and not answered. The words of an exception may hold what one client asked, so that one alone is told them."""
        failed = [place for place in range(self.size) if self.seen[place] and not self.answered[place]]
        why = f'{problem}' if len(failed) == 1 else 'in a batch with other requests, the log of the kernel says more'
        data = _bytes(f'{type(problem).__name__}: {why}')
        for place in failed:
            self.lib.wm_batch_answer(self.pointer, place, 0, data, len(data))
            self.answered[place] = True

    def end(self):
        """Sends the answers and frees the memory."""
        with self.lock:
            pointer, self.pointer = self.pointer, None
            self.lib.wm_batch_done(pointer)


class _Invocation:  # pylint: disable=too-few-public-methods
    """What one call of on_task_invoke may reach: contexts of its batch, made as they are asked for, while `open`. That changes under the
    batch's lock."""

    def __init__(self, batch):
        self.batch, self.open, self._contexts = batch, True, {}

    def at(self, place):
        """The task there, or None; with the batch's lock."""
        if not 0 <= place < self.batch.size:
            return None
        self.batch.seen[place] = True
        if place not in self._contexts:
            self._contexts[place] = TaskContext(self, place)
        return self._contexts[place]


class TaskContext:
    """One request, during one call of on_task_invoke."""

    def __init__(self, invocation, place):
        self._invocation, self._batch, self._place = invocation, invocation.batch, place
        self._number = self._batch.lib.wm_batch_task(self._batch.pointer, place)

    def _usable(self):
        """(library, batch); with the batch's lock. @errors TaskEnded"""
        if not self._invocation.open:
            raise TaskEnded(f'task {self._number}: on_task_invoke has returned, so its context can be used no more')
        return self._batch.lib, self._batch.pointer

    def get_id(self):
        """Unique in the service's run."""
        return str(self._number)

    def get_uuid(self):
        """The same as a UUID that no other service has."""
        return str(uuid.uuid5(uuid.NAMESPACE_OID, f'{self.get_job_id()}/{self._number}'))

    def get_session_id(self):
        """Of the router's run that it came by: the service's job."""
        return self.get_job_id()

    def get_job_id(self):
        """Of the service's job."""
        return os.environ.get('TASK_JOB_ID', '')

    def get_input_data(self):
        """The request's body as text; bytes that are no UTF-8 are kept as surrogates."""
        return self.get_input_data_extend().decode('utf-8', 'surrogateescape')

    def get_input_data_extend(self):
        """The request's body as bytes."""
        size = c.c_size_t()
        with self._batch.lock:
            lib, batch = self._usable()
            data = lib.wm_batch_data(batch, self._place, c.byref(size))
            return c.string_at(data, size.value)

    def set_output_data(self, data):
        """What the client is answered: text or bytes. Anything else is an error to that client, and False."""
        fine, data = self._checked(data)
        with self._batch.lock:
            lib, batch = self._usable()
            lib.wm_batch_answer(batch, self._place, fine, data, len(data))
            self._batch.answered[self._place] = True
        return bool(fine)

    def _checked(self, data):
        """(1, bytes), or (0, why there are none)."""
        try:
            return 1, _bytes(data)
        except TypeError as problem:
            Kernel.log_error(f'task {self._number}: {problem}')
            return 0, str(problem).encode()

    def set_output_data_extend(self, data):
        """The same, bytes."""
        return self.set_output_data(data)

    def report_ready(self, data):
        """Answers the client now, while the rest of the batch is still worked on."""
        fine, checked = self._checked(data)
        if not fine:
            return self.set_output_data(data)
        data = checked
        with self._batch.lock:
            lib, batch = self._usable()
            lib.wm_batch_ready(batch, self._place, data, len(data))
            self._batch.answered[self._place] = True
        return True

    def next(self):
        """The next task of the batch, or None."""
        return self._at(self._place + 1)

    def prev(self):
        """The one before, or None."""
        return self._at(self._place - 1)

    def _at(self, place):
        with self._batch.lock:
            self._usable()
            return self._invocation.at(place)


class Kernel:
    """To be derived from. A class of one's own may leave __init__ of this one out."""

    def on_kernel_start(self, kernel_context):
        """Once, before the first task: load the model here."""

    def on_task_invoke(self, task_context):
        """For the first task of each batch."""

    def on_kernel_shutdown(self):
        """Once, at the end."""

    @staticmethod
    def log(level, message):
        """A line on stderr, of level -1 debug, 0 info, 1 warning, 2 error; DLIM_MK_LOG_LEVEL says from which on."""
        least = _NUMBERS.get(os.environ.get('DLIM_MK_LOG_LEVEL', 'INFO').upper(), 0)
        if level >= least:
            when = time.strftime('%Y-%m-%d %H:%M:%S')
            print(f'{when} {_LEVELS.get(level, level)} {message}', file=sys.stderr, flush=True)

    @staticmethod
    def log_debug(message):
        """log() of that level; so are the next ones."""
        Kernel.log(-1, message)

    @staticmethod
    def log_info(message):
        """See log_debug."""
        Kernel.log(0, message)

    @staticmethod
    def log_warn(message):
        """See log_debug."""
        Kernel.log(1, message)

    @staticmethod
    def log_error(message):
        """See log_debug."""
        Kernel.log(2, message)

    def run(self):
        """Loads, connects, serves until the service sends the kernel away."""
        name = f'{os.environ.get("HOSTNAME") or socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}'
        self.on_kernel_start(KernelContext(name))
        lib = _library()
        folder = os.environ.get('WM_SERVICE_DIR', '')
        patience = float(os.environ.get('WM_CONNECTION_TIMEOUT', '90'))
        handle = lib.wm_kernel_open(folder.encode(), name.encode(), patience)
        if not handle:
            Kernel.log_error(lib.wm_kernel_error().decode(errors='replace'))
            sys.exit(1)
        lib.wm_kernel_leave_on_term(handle)
        lost = []
        workers = [threading.Thread(target=self._work, args=(lib, handle, lost))
                   for _ in range(lib.wm_kernel_workers(handle) - 1)]
        for worker in workers:
            worker.start()
        self._work(lib, handle, lost)
        for worker in workers:
            worker.join()
        self.on_kernel_shutdown()
        lib.wm_kernel_close(handle)
        if lost:
            Kernel.log_error(lost[0])
            sys.exit(1)

    def _work(self, lib, handle, lost):
        batch = c.c_void_p()
        while True:
            got = lib.wm_kernel_next(handle, c.byref(batch))
            if got < 0:
                lost.append(lib.wm_kernel_error().decode(errors='replace'))
            if got <= 0:
                return
            handed = _Batch(lib, batch.value)  # the pointer's own value: the next batch is another's
            try:
                self._invoke_all(handed)
            finally:
                handed.end()

    def _invoke_all(self, batch):
        for place in range(batch.size):
            if not batch.seen[place]:
                self._invoke(batch, place)

    def _invoke(self, batch, place):
        invocation, raised = _Invocation(batch), None
        with batch.lock:
            first = invocation.at(place)
        try:
            self.on_task_invoke(first)
        except Exception as problem:  # whatever a user's code raises is that request's, not the kernel's
            Kernel.log_error(traceback.format_exc())
            raised = problem
        finally:
            with batch.lock:
                invocation.open = False
                if raised is not None:
                    batch.fail(raised)
