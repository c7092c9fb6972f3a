"""Role: wm-ncclcheck is linked with the NCCL that configure found, and loads it. What it says of
GPUs only a machine with some can show (scripts/gpu_acceptance).
"""

import os
import re
import subprocess
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PROGRAM = os.path.join(TOP, os.environ.get('B', 'build'), 'bin', 'wm-ncclcheck')


def found(name):
    """A variable of config.mk."""
    with open(f'{TOP}/config.mk', encoding='utf-8') as made:
        return re.search(rf'^{name} := *(.*)$', made.read(), re.M).group(1)


@unittest.skipUnless(found('NVCC'), 'configure found no nvcc that compiles')
@unittest.skipUnless(found('NCCL_LIBS'), 'configure found no NCCL: scripts/bootstrap nccl brings it')
class Linked(unittest.TestCase):
    def test_with_the_library_that_was_found(self):
        said = subprocess.run(['readelf', '-d', PROGRAM], check=True, text=True, stdout=subprocess.PIPE).stdout
        self.assertIn('[libnccl.so.2]', said)

    def test_and_starts(self):
        folders = re.findall(r'-L(\S+)', found('NCCL_LIBS'))
        run = subprocess.run([PROGRAM, '-h'], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**os.environ, 'LD_LIBRARY_PATH': ':'.join(folders)})
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertTrue(run.stdout.startswith('usage: wm-ncclcheck'), run.stdout)


if __name__ == '__main__':
    unittest.main()
