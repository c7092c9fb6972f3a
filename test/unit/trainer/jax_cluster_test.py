"""What JAX is told of a job's tasks, and that everybody else's plug-ins stay: with a JAX of a few lines."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../libwm/trainer/python')
TASK = {'TORCHELASTIC_RUN_ID': '12', 'MASTER_ADDR': '10.0.0.1', 'MASTER_PORT': '20004', 'WORLD_SIZE': '4', 'RANK': '3'}

# As JAX has it: subclasses register themselves, and the first that is there is asked.
CLUSTERS = '''
class ClusterEnv:
    _cluster_types = []
    opt_in_only_method = False
    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        cls._cluster_types.append(cls)

class Slurm(ClusterEnv):
    name = 'slurm'
    @classmethod
    def is_env_present(cls):
        return True
'''
ASK = '''
import json, sys
import jax_plugins
try:
    import jax_plugins.theirs
    found = True
except ImportError:
    found = False
from jax._src import clusters
env = next(e for e in clusters.ClusterEnv._cluster_types if not e.opt_in_only_method and e.is_env_present())
told = [env.name]
if env.name == 'wm':
    told += [env.get_coordinator_address(timeout_secs=3, override_coordinator_port=None), env.get_process_count(),
             env.get_process_id(), env.get_local_process_id(),
             env.get_coordinator_address(timeout_secs=3, override_coordinator_port='7')]
print(json.dumps([told, found]))
'''
# Whether ours is there, with each of these sets of variables.
EACH = '''
import json, os
import jax_plugins, wm_jax
there = []
for task in json.loads(os.environ.pop('WRONG')):
    os.environ.update(task)
    there.append(wm_jax.WmCluster.is_env_present())
    for word in task:
        del os.environ[word]
print(json.dumps(there))
'''


class JaxCluster(unittest.TestCase):
    """A folder with such a JAX and another maker's plug-in, behind ours."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, path, text=''):
        """A file below the folder."""
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)

    def asked(self, script=ASK, **task):
        """What JAX finds in a task with these variables: ([cluster, …], whether the other plug-in is there)."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(('OMPI_', 'PMI_', 'PET_')) and k not in TASK}
        env.update(task, PYTHONPATH=f'{OURS}:{self.folder}', PYTHONDONTWRITEBYTECODE='1')
        said = subprocess.run([sys.executable, '-c', script], env=env, capture_output=True, text=True, check=True)
        return json.loads(said.stdout)

    def jax(self):
        """The few lines."""
        self.file('jax/__init__.py')
        self.file('jax/_src/__init__.py')
        self.file('jax/_src/clusters.py', CLUSTERS)
        self.file('jax_plugins/theirs/__init__.py')  # a namespace package: no __init__.py above

    def test_a_task_tells_jax_where_it_stands_before_anybody_else_does(self):
        self.jax()
        told, _ = self.asked(**TASK)
        self.assertEqual(told, ['wm', '10.0.0.1:20004', 4, 3, None, '10.0.0.1:7'])

    def test_an_address_with_colons_is_bracketed(self):
        self.jax()
        told, _ = self.asked(**{**TASK, 'MASTER_ADDR': 'fd00::1'})
        self.assertEqual(told[1], '[fd00::1]:20004')

    def test_what_is_no_such_task_is_left_to_others(self):
        self.jax()
        wrong = [{k: v for k, v in TASK.items() if k != missing} for missing in TASK]
        wrong += [{**TASK, other: '1'} for other in ('OMPI_COMM_WORLD_RANK', 'PMI_RANK', 'PET_NNODES')]
        self.assertEqual(self.asked(EACH, WRONG=json.dumps([TASK, *wrong])), [True] + [False] * len(wrong))

    def test_plug_ins_of_others_are_found(self):
        self.jax()
        self.assertTrue(self.asked(**TASK)[1])

    def test_a_jax_without_such_clusters_is_imported_all_the_same(self):
        self.file('jax/__init__.py')
        self.file('jax_plugins/theirs/__init__.py')
        self.assertEqual(self.asked('import jax, jax_plugins, jax_plugins.theirs; print("[true]")', **TASK), [True])


if __name__ == '__main__':
    unittest.main()
