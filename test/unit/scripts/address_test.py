"""Role: tests of the addresses that private clusters take (scripts/common/cluster/address.py)."""

import os
import socket
import subprocess
import sys
import unittest
from unittest import mock

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path.insert(0, os.path.join(TOP, 'scripts', 'common'))
sys.dont_write_bytecode = True
from cluster import address  # noqa: E402


def chooses(*blocks):
    """Chance chooses these blocks, in their order."""
    return mock.patch.object(address.random, 'randint', side_effect=[n for block in blocks for n in block])


def name(block):
    return '127.{}.{}'.format(*block)


class Addresses(unittest.TestCase):
    def setUp(self):
        """Two blocks that no cluster of this machine has."""
        self.free = []
        while len(self.free) < 2:
            block, claim = address.take()
            claim.close()
            numbers = tuple(map(int, block.split('.')[1:]))
            self.free += [numbers] if numbers not in self.free else []

    def taken(self, *blocks):
        with chooses(*blocks):
            block, claim = address.take()
        self.addCleanup(claim.close)
        return block, claim

    def listens(self, where, block):
        """Somebody has its port there."""
        other = socket.socket()
        self.addCleanup(other.close)
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind((where, address.port_of(name(block))))
        other.listen()

    def test_two_that_choose_one_block_do_not_both_get_it(self):
        one, two = self.free
        self.assertEqual(self.taken(one)[0], name(one))
        self.assertEqual(self.taken(one, two)[0], name(two))

    def test_a_port_that_somebody_has_is_not_taken(self):
        one, two = self.free
        for where in ('0.0.0.0', name(one) + '.254'):
            with self.subTest(where):
                self.listens(where, one)
                block, claim = self.taken(one, two)
                self.assertEqual(block, name(two))
                claim.close()
            self.doCleanups()

    def test_nobody_gets_a_claimed_port_on_all_addresses_but_the_master_its_own(self):
        one, _ = self.free
        self.taken(one)
        self.listens(name(one) + '.254', one)
        with self.assertRaises(OSError):
            self.listens('0.0.0.0', one)

    def test_a_block_is_its_holders_until_that_ends(self):
        one, two = self.free
        _, claim = self.taken(one)
        with subprocess.Popen(['cat'], stdin=subprocess.PIPE, pass_fds=[claim.fileno()]) as holder:
            claim.close()
            self.assertEqual(self.taken(one, two)[0], name(two))
            holder.stdin.close()
        self.assertEqual(self.taken(one)[0], name(one))

    def test_the_same_block_is_claimed_again_beside_its_master(self):
        one, two = self.free
        _, claim = self.taken(one)
        self.listens(name(one) + '.254', one)
        claim.close()
        self.assertEqual(self.taken(one, two)[0], name(two))
        self.addCleanup(address.claim_again(name(one)).close)

    def test_each_block_has_a_port_of_its_own_that_no_job_is_given(self):
        ports = {address.port_of(f'127.{c}.{d}') for c in range(1, address.BLOCKS // 254 + 1) for d in range(1, 255)}
        self.assertEqual(len(ports), address.BLOCKS)
        self.assertLess(max(ports), 20000)  # job_ports of wm.conf

    def test_clusters_have_ports_of_their_own_for_groups(self):
        ports, claim = address.take_group_ports()
        self.addCleanup(claim.close)
        first, last = map(int, ports.split('-'))
        self.assertGreater(first, 25999)  # group_ports of wm.conf
        self.assertLess(last, 32768)  # the kernel's own
        with self.assertRaises(OSError):
            address.claim_group_ports(ports)
        claim.close()
        address.claim_group_ports(ports).close()

    def test_where_all_are_taken_a_cluster_has_what_wm_conf_says(self):
        ports, claim = address.take_group_ports()
        self.addCleanup(claim.close)
        first = int(ports.split('-')[0]) - 1
        with mock.patch.object(address, 'GROUP_PORTS', range(first, first + 200, 200)):
            self.assertEqual(address.take_group_ports(), ('', None))
        self.assertIsNone(address.claim_group_ports(''))


if __name__ == '__main__':
    unittest.main()
