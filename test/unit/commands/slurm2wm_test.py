#!/usr/bin/env python3
"""slurm2wm: what of a Slurm configuration becomes what, and what is reported."""

import os
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path.insert(0, os.path.join(TOP, 'commands'))
import slurm2wm  # noqa: E402
from convert import slurm_text, slurm_values  # noqa: E402
from convert.site import Site  # noqa: E402
from convert.slurm_site import made  # noqa: E402

INPUTS = os.path.join(TOP, 'test', 'system', 'converted', 'slurm')


def converted(kind):
    """The site that is made of one of the inputs of the system test."""
    folder = os.path.join(INPUTS, kind)
    texts = []
    for name in ('dump', 'qos'):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                texts.append(file.read())
        else:
            texts.append('')
    return made(folder, *texts)


class Converted(unittest.TestCase):
    """Whole configurations."""

    def has(self, site, file, heading, **keys):
        """A section has these keys; None: it has none."""
        self.assertIn(heading, site.headings(file))
        section = site.section(file, heading)
        self.assertEqual({key: section.keys.get(key) for key in keys}, keys)

    def told(self, site, text):
        """A line of the report has this."""
        self.assertTrue([line for line in site.report if text in line], f'{text} in {site.report}')

    def test_plain(self):
        """Partitions with their times, memory, tiers and preemption; DEFAULT lines."""
        site = converted('plain')
        self.has(site, 'queues', 'batch', run_limit_max='1440m', run_limit='10m', mem_limit='200M', mem_limit_max='800M', priority='1',
                 preempt_by='suspend', rerunnable='no', hosts=None, preempts=None)
        self.has(site, 'queues', 'quick', run_limit='30m', priority='10', preempt_by='shrink', preempts='lower', hosts='quick')
        self.has(site, 'hosts', 'node2', slots='2', mem='2000M', groups='quick', resources='ssd, zen')
        self.has(site, 'wm', 'cluster', cluster_name='lab', master_host='head', default_queue='batch', reserve_per_task='yes',
                 max_array_size='1000', clean_period='300s', kill_grace='20s')
        for text in ('HealthCheckProgram', 'Licenses', 'X11', 'State=DOWN', 'weight=10', 'JobSubmitPlugins', 'whole nodes'):
            self.told(site, text)
        self.assertEqual(len([line for line in site.report if 'X11' in line]), 1)

    def test_accounts(self):
        """Ranges that are alike stay one section; accounts are plans and groups; QOS are profiles with limits."""
        site = converted('accounts')
        self.has(site, 'hosts', 'cpu[001-016,020]', slots='32', mem='188000M', groups='main')
        self.has(site, 'hosts', 'gpu[01-04]', gpus='4', gpu_model='a100', groups='fast, gpu', resources='nvlink')
        self.has(site, 'queues', 'main', users='chem, phys', order='fairshare', hosts='main')
        self.has(site, 'queues', 'gpu', users='gpuusers', run_limit_max='1440m', user_slots='64', max_slots='128')
        self.has(site, 'plans', '/science/chem', shares='60', users='chem')
        self.has(site, 'plans', '/science', limit='256', users='science, chem, phys')
        self.has(site, 'plans', '/', users='root')
        self.has(site, 'users', 'ann', plan='/science/chem', groups='chem', shares='10', max_slots='32', max_pend_jobs='50')
        self.has(site, 'users', 'bob', plan='/science/phys', groups='chem, phys', shares='2')
        self.has(site, 'limits', 'gpuq_of_each_user', apps='gpuq', per_user='all', slots='64', mem='400G', jobs='4')
        self.has(site, 'limits', 'teach_not_in_gpu', users='teach', queues='gpu', jobs='0')
        self.has(site, 'wm', 'cluster', admins='boss', default_app='normal', usage_half_life='1209600s', prolog='/etc/slurm/prolog.sh')
        self.assertNotIn('cloud', site.headings('queues'))
        for text in ('missing.conf', 'State=CLOUD', 'AdminLevel=Operator', 'maxwall=60', 'shard', 'no failover', 'gres/gpu=8', 'TaskProlog'):
            self.told(site, text)

    def test_tree(self):
        """Switches from the top; addresses of a list; several brackets in a name."""
        site = converted('tree')
        self.has(site, 'hosts', 'n3x0', switches='top/leaf2', address='10.9.1.5', slots='4')
        self.has(site, 'queues', 'all', host_slots='3', place='spread')
        self.has(site, 'wm', 'cluster', backfill='none', default_queue='all')

    def test_what_cannot_be_read_is_told(self):
        """It stops nothing."""
        site = converted('rough')
        for text in ('this is no line', 'a[1-x]', 'soon could not be read', 'zz is no node', 'no default partition'):
            self.told(site, text)
        self.assertEqual(site.headings('queues'), ['p', 'q'])

    def test_command(self):
        """Exit codes."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, 'out')
            self.assertEqual(slurm2wm.main(['-o', out, os.path.join(INPUTS, 'tree')]), 1)
            self.assertEqual(slurm2wm.main(['-o', out, os.path.join(INPUTS, 'tree')]), 2)
            self.assertEqual(slurm2wm.main(['-o', out + '2', folder]), 2)
            self.assertEqual(slurm2wm.main(['-o', out + '3', '-a', 'nosuch', os.path.join(INPUTS, 'tree')]), 2)


class Values(unittest.TestCase):
    """Single values."""

    def test_times(self):
        """Minutes, minutes:seconds, hours:minutes:seconds, days-hours and so on."""
        for text, number in (('30', 1800), ('30:15', 1815), ('1:00:00', 3600), ('2-0', 172800), ('1-02:03', 93780), ('1-02:03:04', 93784)):
            self.assertEqual(slurm_values.seconds(text), number, text)
        for text in ('INFINITE', 'UNLIMITED', '-1', ''):
            self.assertIsNone(slurm_values.seconds(text))
        with self.assertRaises(ValueError):
            slurm_values.seconds('soon')

    def test_nodes(self):
        """Lists in brackets, several of them, with the zeros that are written."""
        self.assertEqual(slurm_values.expanded('a[1-2,07],b,c[0-1]n[8-9]'), ['a1', 'a2', 'a07', 'b', 'c0n8', 'c0n9', 'c1n8', 'c1n9'])

    def test_gpus(self):
        """With and without a model, with sockets and flags."""
        self.assertEqual(slurm_values.gpus('gpu:4'), (4, [], []))
        self.assertEqual(slurm_values.gpus('gpu:a100:2(S:0),gpu:a100:2(S:1),mps:400'), (4, ['a100'], ['mps:400']))
        self.assertEqual(slurm_values.gpus('gpu'), (1, [], []))

    def test_lines(self):
        """Comments, escaped ones, continued lines, blanks at '=' and quotes."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'slurm.conf'), 'w', encoding='utf-8') as file:
                file.write('NodeName = x \\\n  CPUs=2 Reason="a b" # c\nClusterName=a\\#b\nSlurmctldHost=h1,h2(10.0.0.2)\n')
            conf = slurm_text.Conf(Site('test', ''), folder, 'slurm.conf')
        self.assertEqual([pairs for _, pairs in conf.each('nodename')], [{'nodename': 'x', 'cpus': '2', 'reason': 'a b'}])
        self.assertEqual((conf.keys, conf.hosts), ({'clustername': 'a#b'}, ['h1', 'h2']))

    def test_dump(self):
        """Names and values in quotes, colons between."""
        line = "User - 'a.b':DefaultAccount='x':Fairshare=2:Description='of a'"
        self.assertEqual(list(slurm_text.dump_lines(line)),
                         [(1, 'User', 'a.b', {'defaultaccount': 'x', 'fairshare': '2', 'description': 'of a'})])


if __name__ == '__main__':
    unittest.main()
