"""Role: scripts/other_debian and scripts/common/debian.py: which release, which mirror, which folder, and what is run;
with files made for it and stand-ins for debootstrap and unshare. Nothing is installed, no network is asked.
"""

import contextlib
import fcntl
import importlib.machinery
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path.insert(0, f'{TOP}/scripts/common')
import debian  # noqa: E402


def program(path):
    """A program without a suffix, as a module."""
    loader = importlib.machinery.SourceFileLoader(os.path.basename(path), path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


other_debian = program(f'{TOP}/scripts/other_debian')

DEBIAN_12 = 'ID=debian\nVERSION_CODENAME=bookworm\n'
PARAGRAPHS = """Types: deb
# http://elsewhere.example/debian
URIs: http://mirror.example/debian/
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main

Types: deb-src
URIs: http://sources.example/debian
Suites: bookworm

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: bookworm
"""
LINES = """# deb http://commented.example/debian bookworm main
deb cdrom:[Debian]/ bookworm main
deb [arch=amd64 signed-by=/k] https://lines.example/debian bookworm main contrib
deb-src https://lines.example/debian bookworm main
deb https://vendor.example/apt vendor-bookworm main
"""
IN_RELEASE = 'Suite: stable\nVersion: 13.2\nCodename: trixie\nDate: Sat, 15 Nov 2025 09:15:44 UTC\n'


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, name, text, mode=0o644):
        """Writes it below the folder; its path."""
        path = f'{self.folder}/{name}'
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        os.chmod(path, mode)
        return path


class Release(Folder):
    def test_of_the_machine_is_in_its_os_release(self):
        self.file('os-release', DEBIAN_12)
        self.assertEqual(debian.here(self.folder), 'bookworm')
        self.file('os-release', 'VERSION_CODENAME="trixie"\n')
        self.assertEqual(debian.here(self.folder), 'trixie')

    def test_the_other_is_the_one_that_the_machine_has_not(self):
        self.file('os-release', DEBIAN_12)
        self.assertEqual(other_debian.other_release(self.folder), 'trixie')
        self.file('os-release', 'VERSION_CODENAME=trixie\n')
        self.assertEqual(other_debian.other_release(self.folder), 'bookworm')

    def test_without_another_is_named(self):
        self.file('os-release', 'ID=ubuntu\nVERSION_CODENAME=noble\n')
        with self.assertRaisesRegex(other_debian.Skipped, '^this machine is noble, neither bookworm nor trixie$'):
            other_debian.other_release(self.folder)
        self.file('os-release', 'ID=arch\n')
        with self.assertRaisesRegex(other_debian.Skipped, 'no release that is known'):
            other_debian.other_release(self.folder)
        self.assertEqual(debian.here(f'{self.folder}/nowhere'), '')


class Mirrors(Folder):
    def test_are_read_in_both_formats(self):
        self.file('apt/sources.list', LINES)
        self.file('apt/sources.list.d/debian.sources', PARAGRAPHS)
        self.assertEqual(debian.sources(self.folder), [
            ('https://lines.example/debian', 'bookworm'), ('https://vendor.example/apt', 'vendor-bookworm'),
            ('http://mirror.example/debian', 'bookworm'), ('http://mirror.example/debian', 'bookworm-updates'),
            ('http://mirror.example/debian-security', 'bookworm-security')])

    def test_of_the_other_release_are_the_same(self):
        self.file('apt/sources.list.d/debian.sources', PARAGRAPHS)
        self.assertEqual(debian.sources_of('trixie', 'bookworm', debian.sources(self.folder)), [
            ('http://mirror.example/debian', 'trixie'), ('http://mirror.example/debian', 'trixie-updates'),
            ('http://mirror.example/debian-security', 'trixie-security')])

    def test_that_apt_does_not_name_are_none(self):
        self.assertEqual(debian.sources(self.folder), [])
        self.assertEqual(debian.sources_of('trixie', 'bookworm', []), [])
        security = ('http://s.example/security', 'bookworm-security')
        self.assertEqual(debian.sources_of('trixie', 'bookworm', [security]), [])

    def test_are_as_new_as_their_point_release_or_day(self):
        self.assertEqual(debian.state(IN_RELEASE), '13.2')
        self.assertEqual(debian.state('Suite: testing\nDate: Sat, 15 Nov 2025 09:15:44 UTC\n'), '2025-Nov-15')
        self.assertEqual(debian.state('nonsense'), '')

    def test_have_a_folder_for_each_state(self):
        self.file('mirror/dists/trixie/InRelease', IN_RELEASE)
        self.assertEqual(other_debian.place_of('/cache', 'trixie', f'file://{self.folder}/mirror'), '/cache/trixie-13.2')

    def test_that_are_not_reached_leave_the_newest_folder_that_is_complete(self):
        for age, name in enumerate(('trixie-13.2', 'trixie-13.10', 'trixie-13.9', 'bookworm-12.1')):
            os.utime(self.file(f'{name}/packages', ''), (1000 - age, 1000 - age))
        os.utime(f'{self.folder}/trixie-13.10/packages', (2000, 2000))
        os.makedirs(f'{self.folder}/trixie-13.11')  # begun
        self.assertEqual(other_debian.place_of(self.folder, 'trixie', f'file://{self.folder}/no'), f'{self.folder}/trixie-13.10')

    def test_that_are_not_reached_are_named_where_nothing_is_made(self):
        with self.assertRaisesRegex(other_debian.Skipped, f'^mirror file://{self.folder}/no is not reached: '):
            other_debian.place_of(self.folder, 'trixie', f'file://{self.folder}/no')


# What they are called with; the root that debootstrap makes has what is written to.
DEBOOTSTRAP = 'echo "debootstrap $*" >>"$SAID"; mkdir -p "$4/etc/apt" "$4/etc/dpkg/dpkg.cfg.d" "$4/usr/sbin"'
UNSHARE = 'echo "unshare $*" >>"$SAID"; exit ${UNSHARE_SAYS-0}'


class Runs(Folder):
    """All of it, as the other one of a Debian 12 with a mirror in a folder."""

    def setUp(self):
        super().setUp()
        self.cache, self.said = f'{self.folder}/c/wm/debian', f'{self.folder}/said'
        self.file('etc/os-release', DEBIAN_12)
        self.file('etc/apt/sources.list', f'deb file://{self.folder}/mirror bookworm main\n')
        self.mirror('13.2')
        for name, text in (('debootstrap', DEBOOTSTRAP), ('unshare', UNSHARE), ('chroot', ':'), ('git', ':')):
            self.file(f'bin/{name}', f'#!/bin/sh\n{text}\n', 0o755)
        self.with_patch(mock.patch.dict(os.environ, {
            'PATH': f'{self.folder}/bin:{os.environ["PATH"]}', 'SAID': self.said, 'HOME': self.folder, 'XDG_CACHE_HOME': f'{self.folder}/c',
            **{name: '' for name in other_debian.PASSED_ON}, 'PIP_INDEX_URL': 'http://index.example'}))
        self.becomes('os.geteuid', lambda: 0)
        self.becomes('signal.signal', lambda *_: None)
        self.becomes('debian.here', lambda etc='': 'bookworm')
        known = debian.sources(f'{self.folder}/etc')
        self.becomes('debian.sources', lambda: known)

    def becomes(self, name, value):
        """For the test."""
        self.with_patch(mock.patch(name, value))

    def with_patch(self, patch):
        """Until the end of the test."""
        patch.start()
        self.addCleanup(patch.stop)

    def mirror(self, version):
        """It has this point release from now on."""
        self.file('mirror/dists/trixie/InRelease', IN_RELEASE.replace('13.2', version))

    def run_it(self, *words):
        """(exit status, what it said, what it printed)."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = other_debian.main(list(words))
        return status, err.getvalue().splitlines(), out.getvalue()

    def asked(self):
        """What the stand-ins were called with, since the last time."""
        if not os.path.exists(self.said):
            return []
        with open(self.said, encoding='utf-8') as said:
            lines = said.read().splitlines()
        os.unlink(self.said)
        return lines

    def test_make_the_root_once(self):
        place = f'{self.cache}/trixie-13.2'
        self.assertEqual(self.run_it('--root')[::2], (0, f'{place}/root\n'))
        made = self.asked()
        self.assertEqual(made[0], f'debootstrap --variant=minbase --include=ca-certificates trixie {place}/root.new file://{self.folder}/mirror')
        self.assertEqual([line.split('scripts/bootstrap ')[1].split()[0] for line in made[1:]], [';', 'web', 'install', 'nccl'])
        with open(f'{place}/root/etc/apt/sources.list', encoding='utf-8') as text:
            self.assertEqual(text.read(), f'deb file://{self.folder}/mirror trixie main\n')
        self.assertEqual(self.run_it('--root'), (0, [], f'{place}/root\n'))
        self.assertEqual(self.asked(), [])

    def test_install_what_another_bootstrap_names_into_the_same_root(self):
        self.run_it('--root')
        self.file('c/wm/debian/trixie-13.2/packages', 'those of yesterday\n')
        self.asked()
        self.run_it('--root')
        self.assertEqual([line.split()[0] for line in self.asked()], ['unshare'] * 4)

    def test_check_without_words_and_otherwise_do_what_they_say(self):
        self.run_it('--root')
        self.asked()
        self.assertEqual(self.run_it()[0], 0)
        line, = self.asked()
        self.assertTrue(line.endswith('/clone /usr/src/wm env PIP_INDEX_URL=http://index.example make check'), line)
        self.assertIn('--mount --pid', line)
        os.environ['UNSHARE_SAYS'] = '7'
        status, said, _ = self.run_it('make', 'deb')
        self.assertEqual((status, said), (7, ['other_debian: trixie-13.2: make deb']))
        self.assertTrue(self.asked()[0].endswith(' make deb'))
        self.assertEqual(sorted(os.listdir(f'{self.cache}/trixie-13.2')), ['cache', 'lock', 'log', 'packages', 'root'])

    def test_end_with_what_failed(self):
        self.file('bin/debootstrap', '#!/bin/sh\necho E: No such script; exit 1\n', 0o755)
        with self.assertRaisesRegex(SystemExit, r'(?s)failed: debootstrap .*\nE: No such script\n\(more in '):
            self.run_it()
        self.assertFalse(os.path.exists(f'{self.cache}/trixie-13.2/packages'))

    def test_go_on_where_they_were_interrupted(self):
        self.file('bin/unshare', '#!/bin/sh\nexit 100\n', 0o755)
        with self.assertRaisesRegex(SystemExit, 'failed: unshare '):
            self.run_it()
        self.file('bin/unshare', f'#!/bin/sh\n{UNSHARE}\n', 0o755)
        self.asked()
        self.assertEqual(self.run_it('--root')[0], 0)
        self.assertEqual([line.split()[0] for line in self.asked()], ['unshare'] * 4)

    def test_remove_older_roots_but_those_in_use(self):
        self.run_it('--root')
        os.utime(f'{self.cache}/trixie-13.2/packages', (1000, 1000))
        self.mirror('13.3')
        with other_debian.locked(f'{self.cache}/trixie-13.2', fcntl.LOCK_SH):
            self.run_it('--root')
        self.assertEqual(sorted(os.listdir(self.cache)), ['trixie-13.2', 'trixie-13.3'])
        os.utime(f'{self.cache}/trixie-13.3/packages', (2000, 2000))
        self.mirror('13.4')
        self.run_it('--root')
        self.assertEqual(os.listdir(self.cache), ['trixie-13.4'])

    def test_are_skipped_for_a_reason(self):
        os.geteuid = lambda: 1000  # a patch is there already, which is taken back
        self.assertEqual(self.run_it(), (0, ['other_debian: skipped: not root'], ''))
        os.geteuid = lambda: 0
        os.environ['PATH'] = self.folder
        self.assertEqual(self.run_it(), (0, ['other_debian: skipped: no debootstrap here (scripts/bootstrap install)'], ''))
        self.assertEqual(self.asked(), [])


class Said(unittest.TestCase):
    def test_by_the_program_for_other_scripts(self):
        run = subprocess.run([f'{TOP}/scripts/common/debian.py', 'nonsense'], check=False, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (1, 'usage: debian.py release | mirror\n'))


if __name__ == '__main__':
    unittest.main()
