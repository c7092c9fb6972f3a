"""Role: a JupyterHub whose notebook servers are jobs, by a spawner that types what batchspawner types for LSF: a script
on bsub's standard input, bjobs with two fields, bkill. Read by jupyterhub.bats; the hub's account is its only user.
"""

import asyncio
import os
import socket

from jupyterhub.spawner import Spawner

SCRIPT = '''#!/bin/sh
#BSUB -R "select[type==any]"    # Allow spawning on non-uniform hardware
#BSUB -R "span[hosts=1]"        # Only spawn job on one server
#BSUB -q {queue}
#BSUB -J spawner-jupyterhub
#BSUB -o {home}/.jupyterhub.lsf.out
#BSUB -e {home}/.jupyterhub.lsf.err

set -eu
exec {command}
'''


def free_port():
    """One that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


async def typed(line, text=''):
    """Standard output of a shell's line."""
    process = await asyncio.create_subprocess_shell(line, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate(text.encode())
    return out.decode().strip()


class JobSpawner(Spawner):
    """A server of one user as a job."""

    job = ''

    async def start(self):
        """Submits, waits until it runs; (host, port)."""
        self.port = free_port()
        env = self.get_env()
        env['JUPYTERHUB_SERVICE_URL'] = f'http://0.0.0.0:{self.port}/user/{self.user.name}/'
        exports = ' '.join(f"{name}='{value}'" for name, value in env.items() if name.startswith('JUPYTERHUB') or name == 'JPY_API_TOKEN')
        command = f"env {exports} jupyterhub-singleuser --allow-root"
        script = SCRIPT.format(queue='normal', home=os.environ['HOME'], command=command)
        self.job = (await typed('bsub', script)).split(' ')[1].strip('<>')
        while True:
            status, host = (await self.status() + [''])[:2]
            if status == 'RUN':
                return host.split(':')[0], self.port
            if status not in ('PEND', 'PSUSP'):
                raise RuntimeError(f'job {self.job} is {status or "unknown"}')
            await asyncio.sleep(0.2)

    async def status(self):
        """[state, host]"""
        return (await typed(f"bjobs -a -noheader -o 'STAT EXEC_HOST' {self.job}")).split()

    async def poll(self):
        """None while it runs."""
        if not self.job:
            return 0
        return None if (await self.status() + [''])[0] in ('RUN', 'PEND', 'PSUSP') else 1

    async def stop(self, now=False):
        """Ends the job, and waits for its end."""
        await typed(f'bkill {self.job}')
        while await self.poll() is None:
            await asyncio.sleep(0.1)

    def get_state(self):
        """What the hub keeps."""
        return {**super().get_state(), 'job': self.job}

    def load_state(self, state):
        """What it kept."""
        super().load_state(state)
        self.job = state.get('job', '')


c = get_config()  # noqa: F821 the hub's
c.JupyterHub.spawner_class = JobSpawner
c.JupyterHub.authenticator_class = 'dummy'
c.JupyterHub.bind_url = f"http://127.0.0.1:{os.environ['HUB_PORT']}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{os.environ['HUB_API_PORT']}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{os.environ['HUB_PROXY_PORT']}"
c.JupyterHub.services = [{'name': 'test', 'admin': True, 'api_token': os.environ['HUB_TOKEN']}]
c.Spawner.http_timeout = 60
