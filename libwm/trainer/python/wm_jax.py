"""Role: a WM job as JAX sees a cluster. Once this module is imported, `jax.distributed.initialize()` without arguments
meets the job's other tasks; arguments that are given go before it.

    MASTER_ADDR:MASTER_PORT   the coordinator: task 0 listens there; the port is this job's alone
    WORLD_SIZE, RANK          number of processes, and which of them this is
The devices of a task are those that WM gave it (CUDA_VISIBLE_DEVICES), all of them, so JAX chooses none.

@source JAX 0.4.30 to 0.10: jax._src.clusters.ClusterEnv, whose subclasses register themselves
Callers: jax_plugins.
"""

import os

from jax._src.clusters import ClusterEnv

# Of a task that WM has started as one of several; a task's own children of mpirun have ranks of their own.
_NEEDED = ('TORCHELASTIC_RUN_ID', 'MASTER_ADDR', 'MASTER_PORT', 'WORLD_SIZE', 'RANK')
_OTHER_LAUNCHERS = ('OMPI_COMM_WORLD_RANK', 'PMI_RANK', 'PET_NNODES')


class WmCluster(ClusterEnv):
    """The tasks of this job."""

    name = 'wm'

    @classmethod
    def is_env_present(cls):
        """Whether this process is a task that knows its rank."""
        return all(os.environ.get(word) for word in _NEEDED) and not any(w in os.environ for w in _OTHER_LAUNCHERS)

    @classmethod
    def get_coordinator_address(cls, timeout_secs=None, override_coordinator_port=None):
        """`address:port`. `override_coordinator_port`: JAX_COORDINATOR_PORT; older JAX gives none."""
        del timeout_secs  # nothing is asked of anybody
        address = os.environ['MASTER_ADDR']
        address = f'[{address}]' if ':' in address else address
        return f'{address}:{override_coordinator_port or os.environ["MASTER_PORT"]}'

    @classmethod
    def get_process_count(cls):
        """Tasks of the job."""
        return int(os.environ['WORLD_SIZE'])

    @classmethod
    def get_process_id(cls):
        """Which of them this is, from 0."""
        return int(os.environ['RANK'])

    @classmethod
    def get_local_process_id(cls):
        """None: the task's devices are its own."""
        return None


def _come_first():
    """A job that was submitted out of a Slurm job still has that one's variables, which mean other processes. JAX takes
    the first cluster that says it is there."""
    known = getattr(ClusterEnv, '_cluster_types', None)
    if isinstance(known, list) and WmCluster in known:
        known.remove(WmCluster)
        known.insert(0, WmCluster)


_come_first()
