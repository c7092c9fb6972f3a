"""Role: the wheel of `make wheels`, installed by pip without a registry into an environment of its own, where it is all
there is of WM: workers train together, with the libraries that came along."""

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import zipfile

import trainer_fixed_test as fixed

LOOKS = """
import os, sys, fabric_model, redhareapi, edtcallback, callbacks, elog
from fabric_model import native
native.load().wm_trainer_error()
redhareapi._library().wm_kernel_error()
for module in (fabric_model, redhareapi, edtcallback, elog):
    print(os.path.relpath(module.__file__, sys.argv[1]))
"""


def made():
    """Path of the wheel; whoever made an earlier one."""
    script = os.path.join(fixed.ROOT, 'scripts', 'wheels')
    return subprocess.run([sys.executable, script], capture_output=True, text=True, check=True,
                          env={**os.environ, 'B': fixed.BUILD}).stdout.strip()


@unittest.skipUnless(importlib.util.find_spec('pip'), 'this Python has no pip')
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._folder.cleanup)
        cls.venv = os.path.join(cls._folder.name, 'venv')
        cls.python = os.path.join(cls.venv, 'bin', 'python3')
        cls.wheel = made()
        clean = {k: v for k, v in os.environ.items() if not k.startswith('PYTHON')}
        subprocess.run([sys.executable, '-m', 'venv', '--without-pip', cls.venv], check=True, env=clean)
        subprocess.run([sys.executable, '-m', 'pip', '--python', cls.python, '--disable-pip-version-check', 'install', '--quiet',
                        '--no-index', '--no-deps', '--no-compile', cls.wheel], check=True, env=clean)
        cls.site = sysconfig.get_path('purelib', 'venv', {'base': cls.venv, 'platbase': cls.venv})
        with open(os.path.join(cls.site, 'torch_of_others.pth'), 'w', encoding='utf-8') as out:
            out.write(os.path.dirname(os.path.dirname(importlib.util.find_spec('torch').origin)) + '\n')

    def test_all_of_it_is_found_there_and_nothing_else(self):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(('PYTHON', 'WM_', 'FABRIC'))}
        ran = subprocess.run([self.python, '-B', '-c', LOOKS, self.site], capture_output=True, text=True, check=False, env=clean)
        self.assertEqual(ran.stdout.split(), ['fabric_model/__init__.py', 'redhareapi.py', 'wm_elastic_last/edtcallback.py',
                                              'wm_elastic_last/elog.py'], ran.stderr)

    def test_workers_train_together_with_it(self):
        with tempfile.TemporaryDirectory() as folder:
            members = fixed.Members(folder, python=self.python, path=None)
            self.addCleanup(members.kill)
            ends = members.end()
            self.assertEqual([code for code, _, _ in ends], [0] * fixed.WORLD, ends)
            self.assertIn('returned to the script', ends[0][1])
            self.assertTrue(os.path.exists(os.path.join(folder, 'log', '1', 'steps.csv')))  # libwmtrainer's

    def test_its_libraries_fit_every_python_and_need_no_library_beside_the_c_librarys(self):
        self.assertRegex(os.path.basename(self.wheel), r'^wm_elastic-[0-9.]+-py3-none-manylinux_2_\d+_\w+\.whl$')
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            for library in ('libwmtrainer.so', 'libwmserve.so'):
                needed = set(name.split(b'.so')[0] for name in archive.read('wm_elastic_libs/' + library).split(b'\0')
                             if name.startswith(b'lib') and b'.so.' in name and b'/' not in name and b' ' not in name)
                self.assertLessEqual(needed, {b'libc', b'libm', b'libpthread', b'libdl', b'librt'}, library)
        self.assertFalse([name for name in names if name.startswith('last/')])

    def test_the_same_build_gives_the_same_bytes(self):
        with open(self.wheel, 'rb') as file:
            before = file.read()
        with open(made(), 'rb') as file:
            self.assertEqual(file.read(), before)


if __name__ == '__main__':
    unittest.main()
