"""Role: tests of fabric_model/servers (replica, pieces, wire, server, links, arranging) in one process: servers are threads of it, members of
a group are, too.
"""

import contextlib
import io
import os
import socket
import tempfile
import threading
import unittest
from types import SimpleNamespace
from unittest import mock

import torch

from fabric_model.group import GroupBroken
from fabric_model.servers import arranging, cut, links, pieces, places, posts, replica, server, tasks, wire

KEY = b'the key of a test of servers....'


def model_of(kind=torch.optim.SGD, **options):
    """(parameters, optimizer with two groups) that are the same each time."""
    torch.manual_seed(1)
    layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)).double()
    found = list(layers.parameters())
    return found, kind([{'params': found[:2]}, {'params': found[2:], 'lr': 0.02}], lr=0.1, **options)


def blueprint_of(kind=torch.optim.SGD, **options):
    found, optimizer = model_of(kind, **options)
    return replica.Blueprint(found, [torch.float64] * len(found), optimizer)


def how(blueprint, **more):
    return {'divisor': 1, 'groups': pieces.numbers_of(blueprint.optimizer), **more}


def push(one, who, number, gradient):
    """The whole of a push, in two buckets."""
    memory = gradient[one.begin:one.end].contiguous().view(torch.uint8)
    half = len(memory) // 16 * 8
    for begin, end in ((0, half), (half, len(memory))):
        room = one.room(who, number, begin, end - begin)
        if room is not None:
            room.copy_(memory[begin:end])
            one.filled(who, end - begin)


def replicas_of(blueprint, count, version=0):
    found = []
    for begin, end in cut.cut(blueprint.sizes, count):
        one = replica.Replica(blueprint, begin, end)
        one.fill(replica.contents_of(blueprint, begin, end, version))
        found.append(one)
    return found


class Replicas(unittest.TestCase):
    def test_any_cut_gives_the_same_bits_as_the_whole_and_its_state_goes_back_into_one(self):
        for name in pieces.ANYWHERE:
            for count in (1, 2, 3, 5):
                with self.subTest(optimizer=name, intervals=count):
                    self.cut_like_whole(getattr(torch.optim, name), count)

    def cut_like_whole(self, kind, count):
        blueprint, (plain, optimizer) = blueprint_of(kind), model_of(kind)
        for p, q in zip(blueprint.parameters, plain):  # so that there is a state to be cut
            p.grad = q.grad = torch.randn(p.shape, dtype=p.dtype)
        blueprint.optimizer.step()
        optimizer.step()
        found = replicas_of(blueprint, count, version=1)
        for step in range(2, 5):
            given = [torch.randn(sum(blueprint.sizes), dtype=torch.float64) for _ in range(2)]
            for p, part in zip(plain, (given[0] + given[1]).div(7).split(blueprint.sizes)):
                p.grad = part.view(p.shape).clone()
            optimizer.step()
            for one in found:
                for who, gradient in enumerate(given):
                    push(one, who, step, gradient)
                one.step(step, [0, 1], how(blueprint, divisor=7))
        for one in found:
            replica.put_parameters(blueprint, one.begin, one.end, one.memory)
        replica.put_states(blueprint, [one.contents() for one in found])
        for p, q in zip(blueprint.parameters, plain):
            self.assertTrue(torch.equal(p, q))
            for key, value in ((k, v) for k, v in optimizer.state[q].items() if v is not None):
                self.assertTrue(torch.equal(torch.as_tensor(blueprint.optimizer.state[p][key]), torch.as_tensor(value)), key)

    def test_a_step_is_applied_once_and_whole_and_can_be_undone(self):
        blueprint = blueprint_of(torch.optim.Adam)
        one, = replicas_of(blueprint, 1)
        gradient = torch.randn(sum(blueprint.sizes), dtype=torch.float64)
        push(one, 1, 1, gradient)
        with self.assertRaisesRegex(replica.Refused, 'step 1: no push of worker 2'):
            one.step(1, [1, 2], how(blueprint))
        before = one.memory.clone()
        push(one, 2, 1, gradient)
        one.step(1, [1, 2], how(blueprint))
        after = one.memory.clone()
        self.assertFalse(torch.equal(before, after))
        one.step(1, [1, 2], how(blueprint))  # repeated
        self.assertTrue(torch.equal(one.memory, after))
        with self.assertRaisesRegex(replica.Refused, 'step 3 of an interval at step 1'):
            one.step(3, [1, 2], how(blueprint))
        one.undo()
        self.assertTrue(torch.equal(one.memory, before))
        self.assertEqual(one.version, 0)
        with self.assertRaisesRegex(replica.Refused, 'cannot be undone'):
            one.undo()
        for who in (1, 2):
            push(one, who, 1, gradient)
        one.step(1, [1, 2], how(blueprint))
        self.assertTrue(torch.equal(one.memory, after))  # the optimizer's state was as before, too

    def test_what_is_pushed_in_part_changes_nothing_and_a_repeat_is_harmless(self):
        blueprint = blueprint_of()
        one, = replicas_of(blueprint, 1)
        total = one.gradient_bytes
        one.room(1, 1, 0, 8)
        one.filled(1, 8)
        self.assertEqual(one.landed(), {})
        with self.assertRaisesRegex(replica.Refused, 'a bucket at 16, the last one ended at 8'):
            one.room(1, 1, 16, 8)
        with self.assertRaisesRegex(replica.Refused, f'bytes 8 to {total + 8} of {total}'):
            one.room(1, 1, 8, total)
        push(one, 1, 1, torch.ones(sum(blueprint.sizes), dtype=torch.float64))
        self.assertEqual(one.landed(), {1: 1})
        self.assertIsNone(one.room(1, 1, 0, 8))
        one.take(1, 1, how(blueprint))
        after = one.memory.clone()
        push(one, 1, 1, torch.ones(sum(blueprint.sizes), dtype=torch.float64))
        one.take(1, 1, how(blueprint))
        self.assertTrue(torch.equal(one.memory, after))
        self.assertEqual((one.version, one.landed()), (1, {}))

    def test_a_sum_is_measured_alike_for_who_asks_late(self):
        blueprint = blueprint_of()
        one, = replicas_of(blueprint, 1)
        for who in (1, 2):
            push(one, who, 1, torch.ones(sum(blueprint.sizes), dtype=torch.float64))
        self.assertEqual(one.square([1, 2], 1), 4.0 * sum(blueprint.sizes))
        one.step(1, [1, 2], how(blueprint))
        push(one, 1, 2, torch.zeros(sum(blueprint.sizes), dtype=torch.float64))
        self.assertEqual(one.square([1, 2], 1), 4.0 * sum(blueprint.sizes))
        with self.assertRaisesRegex(replica.Refused, 'step 2: no push of worker 2'):
            one.square([1, 2], 2)

    def test_nan_is_named_and_dropped_and_what_has_no_gradient_is_left_alone(self):
        blueprint = blueprint_of(torch.optim.AdamW)
        one, = replicas_of(blueprint, 1)
        bad = torch.ones(sum(blueprint.sizes), dtype=torch.float64)
        bad[5] = float('nan')
        push(one, 4, 1, bad)
        with self.assertRaisesRegex(replica.NotFinite, 'push 1 of worker 4 has a NaN or inf in elements 0 to 26'):
            one.check_finite(4)
        self.assertEqual(one.landed(), {})
        push(one, 4, 1, torch.zeros(sum(blueprint.sizes), dtype=torch.float64))
        one.check_finite(4)
        one.take(4, 1, how(blueprint, without=[0]))
        before = blueprint.parameters[0].detach().clone()
        replica.put_parameters(blueprint, 0, one.end, one.memory)
        self.assertTrue(torch.equal(blueprint.parameters[0], before))  # AdamW would have let it decay
        self.assertEqual(list(blueprint.optimizer.state), [])

    def test_optimizers_that_cannot_be_cut_are_refused_by_name(self):
        class Own(torch.optim.SGD):
            pass

        class LAMB(torch.optim.SGD):
            pass

        found, _ = model_of()
        with self.assertRaisesRegex(pieces.NotCut, 'of optimizer Own .* it is not known'):
            pieces.is_whole(Own(found, lr=1))
        self.assertTrue(pieces.is_whole(LAMB(found, lr=1)))
        odd = torch.optim.SGD(found, lr=0.1)
        odd.param_groups[0]['hook'] = print
        with self.assertRaisesRegex(pieces.NotCut, "'hook' of a group of the optimizer is a builtin"):
            pieces.numbers_of(odd)
        with self.assertRaisesRegex(pieces.NotCut, r"'rows' of the optimizer's state has the shape \(4,\)"):
            pieces.cut_state({'rows': torch.ones(4)}, found[0], cut.Piece(0, 0, 5, 0))


class Mortal(server.Server):
    """A server that can be killed, without a process."""

    dead = False

    def _answer(self, talk, head):
        if self.dead:
            raise OSError('killed')
        super()._answer(talk, head)

    def kill(self):
        if not self.dead:
            self.dead = True
            self._listener.shutdown(socket.SHUT_RDWR)
            self.close()

    def serve(self):
        with contextlib.suppress(OSError):
            super().serve()

    def _on_bye(self, _head, _reader):
        self.kill()
        raise OSError('bye')


class Threads:
    """In place of a nursery."""

    def __init__(self, blueprint):
        self.blueprint, self.started = blueprint, []

    def start(self, _number, _host, key):
        one = Mortal(self.blueprint, '127.0.0.1', key)
        threading.Thread(target=one.serve, daemon=True).start()
        self.started.append(one)
        return one.address, len(self.started)

    def end(self, pid):
        self.started[pid - 1].kill()


class Meeting:
    """The sums of a group whose members are threads."""

    def __init__(self, members, epoch):
        self.members, self.epoch, self.world = members, epoch, len(members)
        self.barrier = threading.Barrier(self.world, timeout=20)
        self._given = {}

    def member(self, rank):
        return SimpleNamespace(members=self.members, epoch=self.epoch, world=self.world, rank=rank, dead=False,
                               sum=lambda tensor: self._sum(rank, tensor), waiting=contextlib.nullcontext)

    def _sum(self, rank, tensor):
        self._given[rank] = tensor
        self.barrier.wait()
        total = sum(self._given[r].clone() for r in range(self.world))
        self.barrier.wait()
        tensor.copy_(total)
        self.barrier.wait()


class Member:
    """A worker, as far as servers know it."""

    def __init__(self, task, count, kind=torch.optim.SGD, has_desk=False, folder=None):
        self.task, self.blueprint = task, blueprint_of(kind)
        self.intervals = cut.cut(self.blueprint.sizes, count)
        self.nursery = Threads(self.blueprint)
        self.arranging = arranging.Arranging(self.blueprint, self.intervals, self.nursery, has_desk, posts.Posts(folder) if folder else None)
        self.arranging.key = KEY
        self.links = links.Links(self.blueprint, self.intervals)

    def enter(self, group, source, version, fresh, last=None):
        held = self.arranging.look(group) if group.rank == source and not fresh else {}
        self.arranging.settle(group, source, held, False)
        if group.rank == source:
            self.arranging.restore(group, held, version, last or {})
        group.sum(torch.zeros(1))
        self.arranging.finish(group, source)
        self.links.go(self.arranging.owners(), KEY, group)
        self.group = group

    def flat(self):
        return torch.cat([p.detach().reshape(-1) for p in self.blueprint.parameters])


def together(*calls):
    """Each in a thread of its own. Raises what one of them raises."""
    failures = []

    def run(call):
        try:
            call()
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class Cluster(unittest.TestCase):
    """Members that train with two servers; what they have is compared with a plain optimizer's."""

    count, kind, folder = 2, torch.optim.Adam, None

    def setUp(self):
        self.members, self.step, self.epoch, self.begun = {}, 0, 0, False
        self.plain, self.optimizer = model_of(self.kind)
        address = mock.patch.object(arranging, 'host_address', lambda: '127.0.0.1')
        address.start()
        self.addCleanup(address.stop)
        self.addCleanup(self.end, self.members)

    @staticmethod
    def end(members):
        for member in members.values():
            member.links.close()
            for one in member.nursery.started:
                one.kill()

    def enter(self, tasks, source=0, last=None, fails=None):
        """An epoch of these. `fails`: after how many words of the source to servers it breaks."""
        self.epoch += 1
        fresh, told = not self.begun, []
        for task in tasks:
            self.members.setdefault(task, Member(task, self.count, self.kind, folder=self.folder))
        meeting = Meeting(list(tasks), self.epoch)
        plain_ask = arranging.Arranging._ask

        def ask(one, *words, **more):
            told.extend([words] if words[2]['do'] != 'halt' else [])
            if fails is not None and len(told) > fails:
                raise wire.Gone('this test')
            return plain_ask(one, *words, **more)

        def enter(rank, task):
            try:
                self.members[task].enter(meeting.member(rank), source, self.step, fresh, last)
            except (GroupBroken, threading.BrokenBarrierError):
                self.assertIsNotNone(fails)
                meeting.barrier.abort()
        with mock.patch.object(arranging.Arranging, '_ask', ask):
            together(*[lambda rank=rank, task=task: enter(rank, task) for rank, task in enumerate(tasks)])
        self.tasks, self.begun = list(tasks), self.begun or fails is None or fails >= len(told)

    def gradients(self):
        torch.manual_seed(100 + self.step)
        total = sum(self.members[self.tasks[0]].blueprint.sizes)
        return [torch.randn(total, dtype=torch.float64) for _ in self.tasks]

    def push(self, number, given):
        for task, gradient in zip(self.tasks, given):
            self.members[task].links.push([gradient], task, number)

    def apply_plainly(self, given):
        for p, part in zip(self.plain, sum(given).split([p.numel() for p in self.plain])):
            p.grad = part.view(p.shape).clone()
        self.optimizer.step()

    def train(self, steps=1):
        for _ in range(steps):
            given, number = self.gradients(), self.step + 1
            self.push(number, given)
            for task in self.tasks:
                self.members[task].links.step(number, self.tasks, how(self.members[task].blueprint))
            self.apply_plainly(given)
            self.step = number
        self.check()

    def check(self):
        wanted = torch.cat([p.detach().reshape(-1) for p in self.plain])
        for task in self.tasks:
            self.members[task].links.pull()
            torch.testing.assert_close(self.members[task].flat(), wanted, rtol=1e-12, atol=1e-12)

    def home(self, number):
        """The server that process `number` is."""
        home = self.members[self.tasks[0]].arranging.homes[number]
        return self.members[home.member].nursery.started[home.pid - 1]


class Arranges(Cluster):
    def test_members_come_and_go_and_every_server_is_killed_once_and_no_step_is_lost(self):
        self.enter([1])
        self.train(2)
        for tasks in ([1, 2], [1, 2, 3], [3, 1], [3], [3, 4, 5], [4]):
            self.enter(tasks)
            self.train(2)
        self.enter([4, 6])
        for number in (0, 1):
            self.train(2)
            self.home(number).kill()
            self.enter([4, 6])
            self.train(2)

    def test_a_step_that_some_servers_have_made_is_made_by_all_or_undone_by_all(self):
        for reached, decided in ((1, True), (1, False), (2, False), (0, True)):
            with self.subTest(servers_that_stepped=reached, decided=decided):
                self.setUp()
                self.enter([1, 2])
                self.train(3)
                given, number = self.gradients(), self.step + 1
                self.push(number, given)
                told = how(self.members[1].blueprint)
                for interval in range(reached):
                    talk = self.members[1].links._wire(self.members[1].links._homes[interval])
                    server.ask(talk, {'do': 'step', 'interval': interval, 'epoch': self.epoch, 'n': number, 'of': [1, 2], 'how': told})
                if decided:
                    self.apply_plainly(given)
                    self.step = number
                self.enter([1, 2], last={'n': number, 'of': [1, 2], 'how': told})
                self.check()
                self.train(2)

    def test_an_epoch_that_breaks_at_its_beginning_loses_nothing(self):
        for words in range(0, 40, 3):
            with self.subTest(words=words):
                self.setUp()
                self.enter([1, 2, 3], fails=words)
                self.enter([1, 2, 3])
                self.train(2)
                self.enter([3, 4], fails=words)
                self.enter([4, 3], source=1)
                self.train(2)

    def test_a_push_of_one_worker_alone_counts_nowhere(self):
        self.enter([1, 2])
        self.train(2)
        self.members[2].links.push([self.gradients()[0]], 2, self.step + 1)
        self.enter([1])
        self.train(2)

    def test_one_server_has_a_copy_too(self):
        self.count = 1
        self.enter([1, 2])
        self.train(2)
        self.home(0).kill()
        self.enter([1, 2])
        self.train(2)

    def test_a_server_and_its_copy_lost_at_once_are_told(self):
        self.enter([1, 2])
        self.train(1)
        for number in (0, 1):
            self.home(number).kill()
        with self.assertRaisesRegex(places.Lost, 'interval 0 of the parameters at step 1: nobody has it'):
            places.source(0, self.members[1].arranging.look(Meeting([1], 9).member(0)), self.step)

    def test_servers_that_nobody_waited_for_are_not_lost(self):
        self.enter([1, 2])
        group = Meeting([1, 2], 9).member(0)
        group.dead = True
        with self.assertRaisesRegex(GroupBroken, 'told broken'):
            self.members[1].arranging.look(group)


class OfTheirOwn(Cluster):
    """A job with server tasks: posts whose servers are threads."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.posts = os.path.join(folder.name, 'servers'), {}
        for name, value in (('host_address', lambda: '127.0.0.1'), ('_POLL_S', 0.01), ('_OTHERS_S', 0.3), ('_FIRST_S', 20)):
            patch = mock.patch.object(posts, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(self.end_posts)

    def end_posts(self):
        for task in list(self.posts):
            self.lose(task)

    def begin(self, task, of=2):
        nursery = Threads(blueprint_of(self.kind))
        post = posts.Post(nursery, lambda: self.folder)
        threading.Thread(target=post.announce, args=(task, of), daemon=True).start()
        threading.Thread(target=self.serve, args=(post,), daemon=True).start()
        self.posts[task] = post, nursery

    @staticmethod
    def serve(post):
        with contextlib.suppress(OSError):
            post.serve()

    def lose(self, task):
        post, nursery = self.posts.pop(task)
        post.close()
        for one in nursery.started:
            one.kill()

    def where(self):
        return {number: home.member for number, home in self.members[self.tasks[0]].arranging.homes.items()}

    def test_servers_are_at_the_posts_and_stay_there_whoever_comes_and_goes(self):
        self.begin(1)
        self.begin(2)
        for tasks_ in ([1, 2], [1, 2, 3], [3, 1], [3]):
            self.enter(tasks_)
            self.assertEqual(self.where(), {0: 'ps1', 1: 'ps2'})
            self.train(2)
        self.assertEqual([member.nursery.started for member in self.members.values()], [[], [], []])
        self.assertEqual([len(nursery.started) for _, nursery in self.posts.values()], [1, 1])

    def test_a_post_that_is_lost_loses_no_step_and_another_takes_its_place(self):
        self.begin(1)
        self.begin(2)
        self.enter([1, 2])
        self.train(2)
        self.lose(1)
        self.enter([1, 2])
        self.assertEqual(self.where(), {0: 1, 1: 'ps2'})  # never both at one place
        self.train(2)
        self.begin(3)
        while not os.path.exists(os.path.join(self.folder, '3')):
            threading.Event().wait(0.01)
        self.enter([1, 2])
        self.assertEqual(self.where(), {0: 'ps3', 1: 'ps2'})
        self.train(2)

    def test_where_no_post_comes_servers_are_beside_workers(self):
        with mock.patch.object(posts, '_FIRST_S', 0.1):
            self.enter([1, 2])
        self.assertEqual(self.where(), {0: 1, 1: 2})
        self.train(2)

    def test_who_has_not_the_workers_key_is_not_heard_and_other_words_are_refused(self):
        self.begin(1, of=1)
        self.enter([1])
        address = self.posts[1][0].address
        with self.assertRaisesRegex(wire.Gone, address):
            wire.connect(address, b'another key')
        with self.assertRaisesRegex(server.Answered, "nothing is known of 'dance'"):
            server.ask(wire.connect(address, KEY), {'do': 'dance'})
        with self.assertRaisesRegex(server.Answered, "KeyError: 'number'"):
            server.ask(wire.connect(address, KEY), {'do': 'start'})

    def test_a_key_that_others_may_read_is_none(self):
        posts.write_key(self.folder, KEY)
        self.assertEqual(posts.read_key(self.folder), KEY)
        os.chmod(os.path.join(self.folder, 'key'), 0o640)
        self.assertIsNone(posts.read_key(self.folder))
        posts.write_key(self.folder, KEY[::-1])  # of the next attempt
        self.assertEqual((posts.read_key(self.folder), os.stat(os.path.join(self.folder, 'key')).st_mode & 0o777), (KEY[::-1], 0o600))
        self.assertEqual(posts._found(os.path.join(os.path.dirname(self.folder), 'none')), None)

    def test_posts_find_the_folder_of_the_workers_of_their_job(self):
        top = os.path.dirname(self.folder)
        for name in ('7.1', '7.2', '77.1'):
            os.makedirs(os.path.join(top, name))
        posts.write_key(os.path.join(top, '77.1', 'servers'), KEY)
        self.assertIsNone(posts._found(os.path.join(top, '7.2')))
        posts.write_key(os.path.join(top, '7.1', 'servers'), KEY)
        self.assertEqual(posts._found(os.path.join(top, '7.2')), os.path.join(top, '7.1', 'servers'))

    def test_what_the_environment_says(self):
        worker = {'WM_GROUP': 'worker', 'WM_GROUP_PS': '', 'RESULT_DIR': '/r'}
        post = {'WM_GROUP': 'ps', 'WM_GROUP_PS': 'a:1,b:2', 'RESULT_DIR': '/r'}
        self.assertEqual((tasks.is_post(worker), tasks.folder_of_workers(worker)), (False, '/r/servers'))
        self.assertEqual((tasks.is_post(post), tasks.folder_of_workers(post), tasks.wanted(post)), (True, None, 2))
        self.assertEqual((tasks.is_post({}), tasks.folder_of_workers({'RESULT_DIR': '/r'})), (False, None))


class Refuses(Cluster):
    def test_a_push_that_its_copy_does_not_have_is_not_answered_with_yes(self):
        self.enter([1, 2])
        self.home(1).kill()  # interval 1, and the copy of 0
        with self.assertRaisesRegex(GroupBroken, 'a parameter server'):
            self.members[1].links.push([self.gradients()[0]], 1, 1)

    def test_words_of_an_epoch_that_is_over_change_nothing(self):
        self.enter([1, 2])
        self.train(1)
        late = self.members[2].links
        self.enter([1])
        with self.assertRaisesRegex(GroupBroken, 'words of epoch 1, this server is in 2'):
            late.push([torch.zeros(sum(late.blueprint.sizes), dtype=torch.float64)], 2, 2)
        self.train(1)

    def test_nan_is_refused_where_that_is_asked_for(self):
        self.enter([1])
        bad = torch.full((sum(self.members[1].blueprint.sizes),), float('inf'), dtype=torch.float64)
        with self.assertRaisesRegex(links.NotTaken, 'push 1 of worker 1 has a NaN or inf in elements 0 to 13'):
            self.members[1].links.push([bad], 1, 1, finite=True)
        self.train(1)

    def test_who_waits_for_a_server_stops_when_the_group_is_dead(self):
        self.enter([1, 2])
        stuck = self.home(0)
        with mock.patch.object(stuck, '_on_pull', lambda *_: threading.Event().wait()):
            self.members[1].group.dead = True
            with self.assertRaisesRegex(GroupBroken, 'not waited for any more'):
                self.members[1].links.pull()


class Wires(unittest.TestCase):
    def setUp(self):
        self.server = Mortal(blueprint_of(), '127.0.0.1', KEY)
        threading.Thread(target=self.server.serve, daemon=True).start()
        self.addCleanup(self.server.kill)

    def test_who_does_not_hold_the_key_is_not_let_in(self):
        with self.assertRaisesRegex(wire.Gone, self.server.address):
            wire.connect(self.server.address, b'another key')
        with self.assertRaisesRegex(wire.Gone, 'gave no key'):
            wire.connect(self.server.address, None)

    def test_what_is_no_message_ends_that_connection_alone(self):
        for words in (b'\xff\xff\xff\xff', b'\0\0\0\2[]', b'\0\0\0\2{}', b'\0\0\0\x0d{"bytes": -1}', b'\0\0\0\3abc'):
            talk = wire.connect(self.server.address, KEY)
            talk._send(memoryview(words))
            with self.assertRaises(wire.Gone):
                talk.head()
        talk = wire.connect(self.server.address, KEY)
        for head, why in (({'do': 'dance'}, "nothing is known of 'dance'"), ({}, "nothing is known of 'None'"), ({'do': 'push'}, 'epoch'),
                          ({'do': 'push', 'epoch': 0, 'interval': 3}, 'interval 3 is not here'),
                          ({'do': 'hold', 'epoch': 5, 'duties': []}, 'words of epoch 5, this server is in 0')):
            with self.assertRaisesRegex(server.Answered, why):
                server.ask(talk, head, b'123')


class Shared(unittest.TestCase):
    def test_every_member_hears_what_every_other_says(self):
        from fabric_model.servers.sharing import share
        meeting, heard = Meeting([1, 2, 3], 1), {}
        texts = ['', 'ä' * 300, 'x']

        def say(rank):
            heard[rank] = share(meeting.member(rank), texts[rank])
        together(*[lambda rank=rank: say(rank) for rank in range(3)])
        self.assertEqual(heard, {0: texts, 1: texts, 2: texts})


if __name__ == '__main__':
    with contextlib.redirect_stdout(io.StringIO()):
        unittest.main()
