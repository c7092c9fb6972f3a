"""Role: sums of what lies on GPUs, over NCCL: a communicator beside an epoch's gloo group, where every member has a GPU of its own and
the job asks for it (WM_NCCL=1). State and small numbers go over gloo.

  told ─► carrier(): NCCL, or gloo with the reason ─► made without blocking, in the thread that connects, while training goes on
       ─► all say that they stand, else all go over gloo ─► sums ─► left in peace, or aborted in a thread of its own

Invariants: all members decide alike, from what all of them have said. A sum that has returned was right here; one that waits ends
when the group is dead: NCCL itself knows nothing of a peer that is gone, so the lead's word decides. After an abort nobody destroys.
@source NCCL's user guide: ncclCommInitRankConfig, ncclCommGetAsyncError, ncclCommAbort
"""

import contextlib
import ctypes as c
import os
import threading
import time

import torch

OLDEST = 21800  # 2.18: communicators that can be configured
ABORT_LIMIT_S = 2.0
ONE_DEVICE = 'WM_NCCL_ONE_DEVICE'  # for tests: members may share a device; NCCL then has to take them for hosts of their own
_SUCCESS, _IN_PROGRESS = 0, 7
_UNIQUE = 128  # bytes of ncclUniqueId
_SUM = 0
_TYPES = {torch.float16: 6, torch.float32: 7, torch.float64: 8, torch.bfloat16: 9, torch.int32: 2, torch.int64: 4, torch.uint8: 1}
_GIVEN_UP = 'given up'
_LOOK_S = 50e-6  # between two looks at what is under way


class Broken(Exception):
    """The communicator is of no use any more, or never was."""


def wanted():
    """Whether the job asks for it: the same on all members."""
    return os.environ.get('WM_NCCL') == '1'


def told(device):
    """What a member says of its device: 'host/name of the GPU'; '-' and the reason where it has none."""
    if device is None or device.type != 'cuda':
        return '- the model of a member is not on a GPU'
    try:
        load()
    except Broken as reason:
        return f'- {reason}'
    index = device.index or 0
    seen = [name for name in os.environ.get('CUDA_VISIBLE_DEVICES', '').split(',') if name]
    name = seen[index] if index < len(seen) and seen[index].startswith(('GPU-', 'MIG-')) else \
        str(getattr(torch.cuda.get_device_properties(index), 'uuid', f'number {index}'))
    with open('/proc/sys/kernel/random/boot_id', encoding='ascii') as boot:
        return f'{boot.read().strip()}/{name}'


def carrier(devices, shared=False):
    """Why the members whose devices are these go over gloo; '' where NCCL carries their sums. Pure.
    `devices`: what told() said on each; `shared`: members may share one"""
    for rank, one in enumerate(devices):
        if one.startswith('-'):
            return f'rank {rank}: {one[1:].strip()}'
    for rank, one in enumerate(devices):
        first = devices.index(one)
        if first != rank and not shared:
            return f'ranks {first} and {rank} share a GPU, which NCCL refuses'
    return ''


# ---- the library --------------------------------------------------------------------------------

class _Unique(c.Structure):
    _fields_ = [('internal', c.c_byte * _UNIQUE)]


class _Config(c.Structure):
    """ncclConfig_t as of 2.18; the library reads as much of it as its size says."""
    _fields_ = [('size', c.c_size_t), ('magic', c.c_uint), ('version', c.c_uint), ('blocking', c.c_int), ('cga', c.c_int), ('least', c.c_int),
                ('most', c.c_int), ('net', c.c_char_p), ('split', c.c_int)]


_UNDEFINED = -2147483648  # NCCL_CONFIG_UNDEF_INT
_MAGIC = 0xcafebeef


class Library:
    """The libnccl that torch has loaded, as far as it is called here."""

    def __init__(self, path='libnccl.so.2'):
        """@errors Broken: there is none, or an older one"""
        try:
            self._lib = c.CDLL(path)
            found = c.c_int()
            self._lib.ncclGetVersion(c.byref(found))
        except (OSError, AttributeError) as error:
            raise Broken(f'NCCL cannot be loaded: {error}') from None
        self.version = found.value
        if self.version < OLDEST:
            raise Broken(f'NCCL {text_of(self.version)} is older than {text_of(OLDEST)}')
        self._lib.ncclGetErrorString.restype = c.c_char_p
        self._lib.ncclCommInitRankConfig.argtypes = [c.POINTER(c.c_void_p), c.c_int, _Unique, c.c_int, c.POINTER(_Config)]
        self._lib.ncclAllReduce.argtypes = [c.c_void_p, c.c_void_p, c.c_size_t, c.c_int, c.c_int, c.c_void_p, c.c_void_p]
        for name in ('ncclCommAbort', 'ncclCommFinalize', 'ncclCommDestroy'):
            getattr(self._lib, name).argtypes = [c.c_void_p]
        self._lib.ncclCommGetAsyncError.argtypes = [c.c_void_p, c.POINTER(c.c_int)]

    def unique(self):
        """What the members of a communicator know each other by. @errors Broken"""
        made = _Unique()
        self._right(self._lib.ncclGetUniqueId(c.byref(made)))
        return bytes(made)

    def begin(self, unique, rank, world):
        """A communicator that is being made. @errors Broken"""
        comm = c.c_void_p()
        config = _Config(c.sizeof(_Config), _MAGIC, OLDEST, 0, _UNDEFINED, _UNDEFINED, _UNDEFINED, None, _UNDEFINED)
        self._right(self._lib.ncclCommInitRankConfig(c.byref(comm), world, _Unique.from_buffer_copy(unique), rank, c.byref(config)))
        return comm

    def is_through(self, comm):
        """Whether what was asked for has been taken. @errors Broken"""
        state = c.c_int()
        self._right(self._lib.ncclCommGetAsyncError(comm, c.byref(state)))
        return self._right(state.value)

    def all_reduce(self, comm, address, count, kind, stream):
        """Sums in place, on that stream. @errors Broken"""
        self._right(self._lib.ncclAllReduce(address, address, count, kind, _SUM, comm, stream))

    def abort(self, comm):
        self._lib.ncclCommAbort(comm)

    def finalize(self, comm):
        """@errors Broken"""
        self._right(self._lib.ncclCommFinalize(comm))

    def destroy(self, comm):
        self._lib.ncclCommDestroy(comm)

    def _right(self, result):
        if result not in (_SUCCESS, _IN_PROGRESS):
            raise Broken(f'NCCL {text_of(self.version)}: {self._lib.ncclGetErrorString(result).decode()}')
        return result == _SUCCESS


def text_of(version):
    """22809 is 2.28.9."""
    return f'{version // 10000}.{version // 100 % 100}.{version % 100}'


_loaded = []


def load():
    """The Library of this process. @errors Broken"""
    if not _loaded:
        _loaded.append(Library())
    return _loaded[0]


class Cuda:
    """What is asked of the device."""

    def __init__(self, device):
        self._device = device

    def choose(self):
        """For this thread."""
        torch.cuda.set_device(self._device)

    def stream(self):
        return torch.cuda.current_stream(self._device).cuda_stream

    def mark(self):
        """Something whose query() says whether all before it is done."""
        event = torch.cuda.Event()
        event.record(torch.cuda.current_stream(self._device))
        return event


# ---- a communicator -----------------------------------------------------------------------------

class Comm:
    """One epoch's. @thread abort: any; the rest: one"""

    def __init__(self, library, device, unique, rank, world, gives_up):
        """Returns when it stands here. `gives_up()`: whether nobody waits for it any more. @errors Broken"""
        self._library, self._device, self._lock, self._aborted = library, device, threading.Lock(), False
        device.choose()
        self._comm = library.begin(unique, rank, world)
        try:
            self._taken(gives_up)
        except Broken:
            self.abort()
            raise

    def _taken(self, gives_up):
        """Waits until the library has taken what it was asked for."""
        while True:
            with self._lock:
                if self._aborted or gives_up():
                    raise Broken(_GIVEN_UP)
                if self._library.is_through(self._comm):
                    return
            time.sleep(_LOOK_S)

    def sum(self, tensor, gives_up):
        """Sums it over the members, in place; returns when it is done. @errors Broken"""
        with self._lock:
            if self._aborted:
                raise Broken('aborted')
            self._library.all_reduce(self._comm, tensor.data_ptr(), tensor.numel(), _TYPES[tensor.dtype], self._device.stream())
        self._taken(gives_up)
        mark = self._device.mark()
        while not mark.query():
            self._taken(gives_up)

    def abort(self):
        """Ends what is under way. Returns at once: the library may take seconds."""
        with self._lock:
            if self._aborted:
                return
            self._aborted = True

        def work():
            self._device.choose()
            self._library.abort(self._comm)
        with contextlib.suppress(RuntimeError):  # the interpreter ends, and all with it
            threading.Thread(target=work, name='wm-nccl-abort', daemon=True).start()

    def leave(self):
        """All is done and nobody has aborted it: gives back what it holds, at most ABORT_LIMIT_S later."""
        deadline = time.monotonic() + ABORT_LIMIT_S
        try:
            with self._lock:
                if self._aborted:
                    return
                self._library.finalize(self._comm)
            self._taken(lambda: time.monotonic() > deadline)
        except Broken:
            self.abort()
            return
        with self._lock:
            self._aborted = True
            self._library.destroy(self._comm)


def _unique(store, rank):
    """Rank 0 makes it, empty where it cannot: nobody is to wait for it. @errors Broken"""
    if rank == 0:
        try:
            store.set('nccl/id', load().unique())
        except Broken:
            store.set('nccl/id', b'')
            raise
    found = store.get('nccl/id')
    if len(found) != _UNIQUE:
        raise Broken('rank 0 has made no id')
    return found


def suits(tensor):
    """Whether NCCL sums this, where it carries."""
    return tensor.is_cuda and tensor.dtype in _TYPES and tensor.is_contiguous()


def made(store, rank, world, device, gives_up):
    """(the epoch's Comm or None, why it is None) of these members, alike on all. `store`: of the epoch; `device`: of this member's model.
    @errors RuntimeError, OSError: of the store, when a member is missing"""
    store.set(f'nccl/device/{rank}', told(device))
    devices = [store.get(f'nccl/device/{r}').decode() for r in range(world)]
    shared = os.environ.get(ONE_DEVICE) == '1'
    why = carrier(devices, shared)
    if why:
        return None, why
    if shared:
        os.environ.update(NCCL_HOSTID=f'wm{os.getpid()}', NCCL_SOCKET_IFNAME=os.environ.get('NCCL_SOCKET_IFNAME', 'lo'))
    comm, said = None, 'stands'
    try:
        comm = Comm(load(), Cuda(device), _unique(store, rank), rank, world, gives_up)
    except Broken as error:
        said = f'rank {rank}: {error}'
    try:
        store.set(f'nccl/stands/{rank}', said)
        lacking = [one for one in (store.get(f'nccl/stands/{r}').decode() for r in range(world)) if one != 'stands']
    except (RuntimeError, OSError):
        lacking = ['the store']
        raise
    finally:
        if lacking and comm:
            comm.abort()
    return (None, min(lacking, key=lambda one: one.endswith(_GIVEN_UP))) if lacking else (comm, '')
