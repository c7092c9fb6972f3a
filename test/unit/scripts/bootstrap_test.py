"""Role: scripts/bootstrap where packages are missing, with stand-ins for Debian's and Python's
programs: nothing is installed, no network is asked.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
TOOLS = 'bash cat comm dirname env grep head mkdir mktemp mv rm sed sort tail'.split()

# Lists what it is asked of, without what the test has taken away, in the words of dpkg-query.
DPKG_QUERY = """for word; do
  case " -W $MISSING " in *" $word "*) ;; *) [ "${word#-}" = "$word" ] && echo "$word install ok installed" ;; esac
done; [ -z "$MISSING" ]"""
NO_NETWORK = """echo "apt-get $*" >>"$SAID"
case $1 in
  update) echo "W: Failed to fetch http://mirror/InRelease  Could not resolve 'mirror'"; echo 'W: Some failed' ;;
  *) for i in 1 2 3 4 5 6; do echo "Err:$i http://mirror $i"; done; echo 'E: Unable to fetch some archives'; exit 100 ;;
esac"""


class Bootstrap(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.place)
        self.said, self.bin = f'{self.place}/said', f'{self.place}/bin'
        os.mkdir(self.bin)
        for tool in TOOLS:
            os.symlink(shutil.which(tool), f'{self.bin}/{tool}')
        self.program('dpkg-query', DPKG_QUERY)
        self.program('apt-get', 'echo "apt-get $*" >>"$SAID"')
        self.program('id', 'echo 0')

    def program(self, name, text):
        """A stand-in."""
        with open(f'{self.bin}/{name}', 'w', encoding='ascii') as out:
            out.write(f'#!/bin/bash\n{text}\n')
        os.chmod(f'{self.bin}/{name}', 0o755)

    def run_it(self, *words, missing=''):
        """Its exit status, and what it said."""
        run = subprocess.run([f'{TOP}/scripts/bootstrap', *words], check=False, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT,
                             env={'PATH': self.bin, 'HOME': self.place, 'SAID': self.said, 'MISSING': missing})
        return run.returncode, run.stdout.splitlines()

    def asked(self):
        """What the stand-ins were called with."""
        if not os.path.exists(self.said):
            return []
        with open(self.said, encoding='ascii') as said:
            return said.read().splitlines()


class Packages(Bootstrap):
    def test_that_are_all_there_are_not_asked_for(self):
        self.assertEqual(self.run_it(), (0, []))
        self.assertEqual(self.asked(), [])

    def test_that_are_missing_are_installed(self):
        status, said = self.run_it('lint', missing='jq clang-tidy')
        self.assertEqual(status, 0, said)
        self.assertEqual(said, ['bootstrap: installing 2 packages, which takes minutes: clang-tidy jq'])
        self.assertEqual(self.asked(), ['apt-get update -qq',
                                        'apt-get install -y -qq --no-install-recommends clang-tidy jq'])

    def test_without_a_network_are_named_with_the_way_to_get_them(self):
        self.program('apt-get', NO_NETWORK)
        status, said = self.run_it(missing='jq bats')
        self.assertEqual(status, 1)
        self.assertEqual(said[1:], [
            "bootstrap: W: Failed to fetch http://mirror/InRelease  Could not resolve 'mirror'",
            'bootstrap: an administrator, with a network, installs what is missing by',
            '  apt-get install --no-install-recommends bats jq'])

    def test_of_an_ordinary_user_without_sudo_are_those_to_ask_for(self):
        self.program('id', 'echo 1000')
        status, said = self.run_it(missing='jq bats')
        self.assertEqual(status, 1)
        self.assertEqual(said, ['bootstrap: not root, and there is no sudo',
                                'bootstrap: an administrator, with a network, installs what is missing by',
                                '  apt-get install --no-install-recommends bats jq'])
        self.assertEqual(self.asked(), [])

    def test_of_an_ordinary_user_whom_sudo_refuses_are_those_to_ask_for(self):
        self.program('id', 'echo 1000')
        self.program('sudo', 'echo "sudo: a password is required" >&2; exit 1')
        status, said = self.run_it(missing='jq')
        self.assertEqual(status, 1)
        self.assertEqual(said[1:], ['bootstrap: sudo: a password is required',
                                    'bootstrap: an administrator, with a network, installs what is missing by',
                                    '  apt-get install --no-install-recommends jq'])

    def test_for_an_unknown_word_are_none(self):
        status, said = self.run_it('nonsense')
        self.assertEqual(status, 2)
        self.assertRegex(said[0], r'^usage: bootstrap \[lint\|.*\|python\]$')


class Python(Bootstrap):
    def test_wants_debians_venv_and_is_given_up_without_it(self):
        self.program('apt-get', NO_NETWORK)
        status, said = self.run_it('python', missing='python3-venv')
        self.assertEqual(status, 1)
        self.assertEqual(said[-1], '  apt-get install --no-install-recommends python3-venv')


PIP = """echo "pip3 $*" >>"$SAID"
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/nvidia/nccl/include"
"""


class Nccl(Bootstrap):
    def setUp(self):
        super().setUp()
        self.folder = f'{self.place}/.cache/wm/nccl'

    def test_is_brought_once(self):
        self.program('pip3', PIP)
        status, said = self.run_it('nccl')
        self.assertEqual(status, 0, said)
        self.assertTrue(os.path.isdir(f'{self.folder}/nvidia/nccl/include'))
        self.assertEqual(self.run_it('nccl'), (0, []))
        self.assertEqual(len(self.asked()), 1)
        self.assertIn(' --no-deps ', self.asked()[0])
        self.assertRegex(self.asked()[0], r'( nvidia-(nccl-cu13|cuda-runtime|cuda-crt|cuda-cccl)==\S+){4}$')

    def test_of_another_version_is_replaced(self):
        self.program('pip3', PIP)
        os.makedirs(f'{self.folder}/old')
        status, said = self.run_it('nccl')
        self.assertEqual(status, 0, said)
        self.assertEqual(sorted(os.listdir(self.folder)), ['nvidia', 'versions'])

    def test_without_a_registry_is_one_line_and_nothing_is_left(self):
        self.program('pip3', 'echo "WARNING: Retrying"; echo "ERROR: No matching distribution found"; exit 1')
        status, said = self.run_it('nccl')
        self.assertEqual(status, 1)
        self.assertEqual(said, [f'bootstrap: NCCL, 350 MB into {self.folder}: not brought, pip wants a registry '
                                'that it reaches: ERROR: No matching distribution found'])
        self.assertEqual(os.listdir(f'{self.place}/.cache/wm'), [])

    def test_brings_pip_where_there_is_none(self):
        status, said = self.run_it('nccl', missing='python3-pip')
        self.assertEqual(self.asked()[1:], ['apt-get install -y -qq --no-install-recommends python3-pip'])
        self.assertNotEqual(status, 0, said)  # the stand-in has not installed it


if __name__ == '__main__':
    unittest.main()
