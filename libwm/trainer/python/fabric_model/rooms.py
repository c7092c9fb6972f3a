"""Role: sums among members on one host, through memory that they share. gloo goes over TCP also to the next process, and costs the
cores that train; here each part is copied once, and added where it lies.

  own rooms: two, used in turn      part ─► own room ─► all have written (meet) ─► every member adds all rooms in the order of ranks

A member's rooms are an anonymous file that the others open by /proc/PID/fd, which the system allows the same user alone; it is gone
with the processes. Who cannot (another host, another container) says so, and all go on over gloo.

Invariants: all members get the same bits. A room is written again only behind a meeting that follows the one after which it was
read. Each epoch has rooms of its own: who is late in an older one never reads what a newer one writes.
"""

import mmap
import os
import secrets

import torch

LEAST = 1 << 16   # bytes of a sum; below that a meeting costs as much as gloo's sum
ROOM = 1 << 20    # bytes of a room: a longer sum is done in parts, which stay in the cores' caches
MOST = 4          # members: each reads the rooms of all
_TOKEN = 16       # bytes in front of the rooms, by which the right memory is known
_NAME = 'wm-rooms'
_PAGE = mmap.PAGESIZE
_HEAD = 8 + 8 + _TOKEN  # process, descriptor, token


def suits(tensor, world):
    """Whether a sum of this goes through rooms, where there are some: the same on all members."""
    return world <= MOST and tensor.device.type == 'cpu' and tensor.is_contiguous() and tensor.is_floating_point() and \
        tensor.numel() * tensor.element_size() >= LEAST


class _Own:
    """This member's memory."""

    def __init__(self):
        """@errors OSError: there is none"""
        self.token = secrets.token_bytes(_TOKEN)
        self._file = os.memfd_create(_NAME, os.MFD_CLOEXEC)
        try:
            os.posix_fallocate(self._file, 0, _PAGE + 2 * ROOM)  # else a full host would be a signal in the middle of a copy
            with mmap.mmap(self._file, _PAGE) as head:
                head[:_TOKEN] = self.token
        except OSError:
            self.close()
            raise

    def head(self):
        """What the others find it by. @shape uint8 [_HEAD]"""
        numbers = b''.join(n.to_bytes(8, 'little') for n in (os.getpid(), self._file))
        return torch.frombuffer(bytearray(numbers + self.token), dtype=torch.uint8)

    def close(self):
        """The others have it mapped by now."""
        os.close(self._file)


def _mapped(head):
    """The memory of a member. @shape uint8 [2, ROOM]   @errors OSError, ValueError: it is not to be had here"""
    text = bytes(head.tolist())
    process, file = (int.from_bytes(text[at:at + 8], 'little') for at in (0, 8))
    path = f'/proc/{process}/fd/{file}'
    if not os.readlink(path).startswith(f'/memfd:{_NAME}'):  # of another host's numbers: whatever that is here is left alone
        raise ValueError('other memory')
    opened = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        if os.fstat(opened).st_size != _PAGE + 2 * ROOM:
            raise ValueError('other memory')
        memory = mmap.mmap(opened, _PAGE + 2 * ROOM)
    finally:
        os.close(opened)
    if memory[:_TOKEN] != text[16:]:
        raise ValueError('memory of another')
    return torch.frombuffer(memory, dtype=torch.uint8, offset=_PAGE).view(2, ROOM)


def found(rank, world, add):
    """The Rooms of a group's members, on all of them; None where any has none. A collective of all.
    `add(tensor)`: sums a small tensor over the members"""
    heads = torch.zeros(world, _HEAD, dtype=torch.uint8)
    try:
        own = _Own()
        heads[rank] = own.head()
    except OSError:
        own = None
    try:
        add(heads)
        memories = _all_mapped(heads)
        count = torch.tensor([1.0 if memories else 0.0])
        add(count)
    finally:
        if own:
            own.close()
    return Rooms(rank, memories) if count.item() == world else None


def _all_mapped(heads):
    """Of all members; None: one is not to be had."""
    try:
        return [_mapped(head) for head in heads]
    except (OSError, ValueError):
        return None


class Rooms:
    """@thread the training thread"""

    def __init__(self, rank, memories):
        self._rank, self._memories, self._turn = rank, memories, 0

    def sum(self, tensor, meet):
        """Sums it over the members, in place. `meet()` returns when all have called it. @errors what meet() raises"""
        flat = tensor.view(-1)
        most = ROOM // flat.element_size()
        for part in flat.split(most):
            size = part.numel() * part.element_size()
            rooms = [memory[self._turn][:size].view(part.dtype) for memory in self._memories]
            rooms[self._rank].copy_(part)
            meet()
            torch.add(rooms[0], rooms[1], out=part)
            for room in rooms[2:]:
                part.add_(room)
            self._turn ^= 1
