"""Role: what configure finds of CUDA's toolkit and of NCCL, each alone, and what the Makefile then
builds: with folders and an nvcc made for these tests, in a tree of links to this one.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PARTS = ('Makefile', 'config.mk.in', 'configure.ac', 'commands', 'daemons', 'libwm', 'scripts', 'test')

CUDA_H = '#pragma once\n#include "crt/host_defines.h"\n'
NCCL_H = """#pragma once
#include <cuda_runtime_api.h>
extern "C" int ncclCommInitRankConfig();
"""
SHRINKS = 'extern "C" int ncclCommShrink(); extern "C" int ncclCommRevoke();\n'

# As a wrapper on PATH does, it lies elsewhere than the toolkit that it names.
NVCC = """#!/bin/sh
case " $* " in
  *' --dryrun '*) echo '#$ TOP={toolkit}/bin/..' >&2; exit ;;
esac
{fault}
while [ "$1" != -o ]; do shift; done
echo made >"$2"
"""
TOO_NEW = """cat >&2 <<SAID
In file included from cuda_runtime.h:82:
crt/host_config.h:137:2: error: #error -- unsupported GNU version! gcc versions later than 15 are not supported!
  137 | #error -- unsupported GNU version!
      |  ^~~~~
SAID
exit 1"""


def put(path, text, mode=0o644):
    """Writes a file and its folders; returns its path."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='ascii') as out:
        out.write(text)
    os.chmod(path, mode)
    return path


def cuda_headers(root):
    """What of CUDA's runtime a compiler needs for NCCL, below `root`."""
    put(f'{root}/include/crt/host_defines.h', '')
    put(f'{root}/include/cuda_runtime_api.h', CUDA_H)


def nccl(root, text=NCCL_H + SHRINKS):
    """An NCCL below `root`, with its library."""
    put(f'{root}/include/nccl.h', text)
    put(f'{root}/lib/libnccl.so.2', '')


class Configured(unittest.TestCase):
    """A tree of links, its `configure`, and a toolkit, an NCCL and a Python's wheels that may be made."""

    place = cached = None

    @classmethod
    def prepare(cls):
        """Once for all: what configure finds of everything else does not change."""
        for part in PARTS:
            os.symlink(f'{TOP}/{part}', f'{cls.place}/{part}')
        subprocess.run(['autoconf'], cwd=cls.place, check=True)
        cls.ran([f'{cls.place}/configure', '--quiet', '--cache-file=found'], {'CUDA': '/none', 'NCCL_HOME': '/none'})
        with open(f'{cls.place}/found', encoding='utf-8') as found:
            cls.cached = [line for line in found if 'ac_cv_env' not in line and 'NVCC' not in line]

    def setUp(self):
        self.at = tempfile.mkdtemp(dir=self.place)
        self.toolkit, self.site, self.home = (f'{self.at}/{name}' for name in ('toolkit', 'site', 'home'))
        os.makedirs(f'{self.toolkit}/bin')
        self.environment = {'PYTHONPATH': self.site, 'HOME': self.home}

    @classmethod
    def ran(cls, command, environment, **more):
        """What a command says there, with nothing of the caller's environment but where programs are."""
        run = subprocess.run(command, cwd=cls.place, check=False, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env={'PATH': os.environ['PATH'], **environment}, **more)
        if run.returncode:
            raise AssertionError(run.stdout)
        return run.stdout

    def nvcc(self, path, fault=''):
        """Something called nvcc."""
        put(path, NVCC.format(toolkit=self.toolkit, fault=fault), 0o755)

    def nvcc_on_path(self):
        """A wrapper far from its toolkit."""
        self.nvcc(f'{self.at}/bin/nvcc')
        self.environment['PATH'] = f'{self.at}/bin:{os.environ["PATH"]}'

    def configured(self, **variables):
        """The rows of its table, after a run with these variables."""
        with open(f'{self.place}/found', 'w', encoding='utf-8') as found:
            found.writelines(self.cached)
        said = self.ran([f'{self.place}/configure', '--quiet', '--cache-file=found'], {**self.environment, **variables})
        self.assertLessEqual(max(map(len, said.splitlines())), 80, said)
        rows = {}
        for line in said.splitlines()[1:]:
            name = line[2:11].strip() or name
            rows[name] = ' '.join([rows.get(name, ''), *line[11:].split()]).strip()
        return rows

    def made(self, expression):
        """What the Makefile makes of a variable."""
        said = self.ran(['make', '-s', '-f', 'Makefile', '-f', '-', 'print'], self.environment,
                        input=f'print: ; @echo {expression}')
        return said.split()

    def programs(self):
        """The self-tests that `make` then builds."""
        self.ran(['make', '-s', 'gpu-programs', f'B={self.at}/build'], self.environment)
        return sorted(os.listdir(f'{self.at}/build/bin')) if os.path.exists(f'{self.at}/build/bin') else []


def setUpModule():
    Configured.place = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, Configured.place)
    Configured.prepare()


class Neither(Configured):
    def test_is_told_and_nothing_is_built_with_them(self):
        rows = self.configured(CUDA=self.toolkit, NCCL_HOME=f'{self.at}/nccl')
        self.assertEqual(rows['CUDA'], f'no no nvcc in {self.toolkit}')
        self.assertEqual(rows['NCCL'], f'no no nccl.h in {self.at}/nccl: scripts/bootstrap nccl brings it')
        self.assertEqual(self.programs(), [])
        self.assertEqual(self.made('$(NCCL_A) $(GPU_EXAMPLES) $(filter %nccl_train,$(STUBS))'), [])

    def test_the_table_names_the_rest_too(self):
        rows = self.configured(CUDA=self.toolkit, NCCL_HOME=self.at)
        self.assertEqual(list(rows), ['CUDA', 'NCCL', 'PMIx', 'Open MPI', 'MPICH', 'gRPC', 'pages'])


class CudaAlone(Configured):
    def test_builds_the_self_test_of_one_gpu(self):
        self.nvcc_on_path()
        cuda_headers(self.toolkit)
        rows = self.configured(NCCL_HOME=f'{self.at}/nccl')
        self.assertEqual(rows['CUDA'], f'yes wm-gpucheck, by {self.at}/bin/nvcc ({os.path.realpath(self.toolkit)})')
        self.assertTrue(rows['NCCL'].startswith('no no nccl.h'), rows)
        self.assertEqual(self.programs(), ['wm-gpucheck'])
        self.assertEqual(self.made('$(NCCL_A) $(GPU_EXAMPLES) $(filter %nccl_train,$(STUBS))'), [])

    def test_a_folder_that_is_named_is_the_only_one(self):
        self.nvcc_on_path()
        self.nvcc(f'{self.at}/other/bin/nvcc')
        rows = self.configured(CUDA=f'{self.at}/other', NCCL_HOME=self.at)
        self.assertIn(f'{self.at}/other/bin/nvcc', rows['CUDA'])


class NcclAlone(Configured):
    def found(self, rows, include):
        """Asserts that groups over NCCL are built, with the headers of `include`, and nothing by nvcc."""
        self.assertIn('libwmgroups_nccl', rows['NCCL'])
        self.assertIn('no wm-ncclcheck: it needs nvcc', rows['NCCL'])
        self.assertEqual(self.programs(), [])
        self.assertEqual(self.made('$(NCCL_A) $(GPU_EXAMPLES) $(notdir $(filter %nccl_train,$(STUBS)))'),
                         ['build/lib/libwmgroups_nccl.a', 'nccl_train'])
        self.assertIn(include, self.made('$(NCCL_CPPFLAGS)'))

    def test_with_the_runtime_headers_of_a_wheel_builds_the_groups(self):
        nccl(f'{self.at}/nccl')
        cuda_headers(f'{self.site}/nvidia/cu13')
        self.found(self.configured(CUDA=self.toolkit, NCCL_HOME=f'{self.at}/nccl'), f'{self.at}/nccl/include')

    def test_of_a_pythons_wheels(self):
        nccl(f'{self.site}/nvidia/nccl')
        cuda_headers(f'{self.site}/nvidia/cuda_runtime')
        self.found(self.configured(CUDA=self.toolkit), f'{self.site}/nvidia/nccl/include')

    def test_of_bootstrap(self):
        nccl(f'{self.home}/.cache/wm/nccl/nvidia/nccl')
        cuda_headers(f'{self.home}/.cache/wm/nccl/nvidia/cu13')
        self.found(self.configured(CUDA=self.toolkit), f'{self.home}/.cache/wm/nccl/nvidia/nccl/include')

    def test_passes_over_a_wheel_that_lacks_its_sisters_headers(self):
        nccl(f'{self.at}/nccl')
        put(f'{self.site}/nvidia/cu13/include/cuda_runtime_api.h', CUDA_H)
        cuda_headers(f'{self.home}/.cache/wm/nccl/nvidia/cu13')
        self.found(self.configured(CUDA=self.toolkit, NCCL_HOME=f'{self.at}/nccl'),
                   f'{self.home}/.cache/wm/nccl/nvidia/cu13/include')

    def test_with_the_headers_of_a_toolkit_whose_compiler_fails(self):
        nccl(f'{self.at}/nccl')
        cuda_headers(self.toolkit)
        self.nvcc(f'{self.toolkit}/bin/nvcc', TOO_NEW)
        self.found(self.configured(CUDA=self.toolkit, NCCL_HOME=f'{self.at}/nccl'), f'{self.toolkit}/include')

    def test_that_does_not_compile_is_left_out(self):
        nccl(f'{self.at}/nccl', '#error too old\n')
        cuda_headers(f'{self.site}/nvidia/cu13')
        rows = self.configured(CUDA=self.toolkit, NCCL_HOME=f'{self.at}/nccl')
        self.assertEqual(rows['NCCL'], f'no nccl.h of {self.at}/nccl does not compile: config.log says why')
        self.assertEqual(self.made('$(NCCL_A) $(NCCL_LIBS)'), [])

    @unittest.skipIf(os.path.exists('/usr/include/cuda_runtime_api.h'), 'the system has headers of CUDA')
    def test_without_headers_of_the_runtime_is_left_out(self):
        nccl(f'{self.at}/nccl')
        rows = self.configured(CUDA=self.toolkit, NCCL_HOME=f'{self.at}/nccl')
        self.assertTrue(rows['NCCL'].startswith('no no cuda_runtime_api.h'), rows)


class Both(Configured):
    def test_everything_is_built(self):
        self.nvcc_on_path()
        cuda_headers(self.toolkit)
        nccl(self.toolkit)
        rows = self.configured()
        self.assertIn('libwmgroups_nccl, wm-ncclcheck', rows['NCCL'])
        self.assertEqual(self.programs(), ['wm-gpucheck', 'wm-ncclcheck'])
        self.assertEqual(self.made('$(notdir $(GPU_EXAMPLES))'), ['nccl_train'])
        self.assertIn(f'-rpath,{os.path.realpath(self.toolkit)}/lib', self.made('$(NCCL_LIBS)'))

    def test_a_library_in_the_builders_home_is_not_remembered(self):
        self.nvcc_on_path()
        cuda_headers(self.toolkit)
        nccl(f'{self.home}/nccl')
        self.configured(NCCL_HOME=f'{self.home}/nccl')
        self.assertEqual(self.made('$(NCCL_LIBS)'), [f'-L{self.home}/nccl/lib', '-l:libnccl.so.2'])

    def test_headers_without_a_library_build_no_program(self):
        self.nvcc_on_path()
        cuda_headers(self.toolkit)
        put(f'{self.at}/nccl/include/nccl.h', NCCL_H)
        rows = self.configured(NCCL_HOME=f'{self.at}/nccl')
        self.assertIn('no wm-ncclcheck: no libnccl.so.2 there', rows['NCCL'])
        self.assertEqual(self.programs(), ['wm-gpucheck'])

    def test_whether_communicators_shrink_is_the_headers_word(self):
        cuda_headers(self.toolkit)
        for text, shrinks in ((NCCL_H, 0), (NCCL_H + SHRINKS, 1)):
            nccl(f'{self.at}/nccl', text)
            self.configured(CUDA=self.toolkit, NCCL_HOME=f'{self.at}/nccl')
            self.assertIn(f'-DWM_NCCL_SHRINKS={shrinks}', self.made('$(NCCL_CPPFLAGS)'))


class Unfit(Configured):
    def reason(self, fault):
        """Why this nvcc is not used."""
        self.nvcc(f'{self.toolkit}/bin/nvcc', fault)
        rows = self.configured(CUDA=self.toolkit, NCCL_HOME=self.at)
        self.assertEqual(self.programs(), [])
        return rows['CUDA']

    def test_for_the_host_compiler_says_so(self):
        self.assertEqual(self.reason(TOO_NEW), f'no {self.toolkit}/bin/nvcc fails: #error -- unsupported GNU version! '
                                               'gcc versions later than 15 are not supported!')

    def test_for_anything_else_says_its_last_line(self):
        self.assertEqual(self.reason('echo first; echo it cannot be; exit 1'),
                         f'no {self.toolkit}/bin/nvcc fails: it cannot be')

    def test_without_a_word_is_told_too(self):
        self.assertEqual(self.reason('exit 3'), f'no {self.toolkit}/bin/nvcc fails: it says nothing')


if __name__ == '__main__':
    unittest.main()
