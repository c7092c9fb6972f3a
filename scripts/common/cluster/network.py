"""Role: the network of a cluster whose hosts have a network namespace each (`up --netns`, root only).

  this namespace: bridge wm<port>, address NET.254 (the master, the commands)
      │ veth                         NET = 10.c.d of the cluster's own block 127.c'.d
  namespace wm<port>.k: lo, eth0 with NET.k, host name node<k>, /etc/hosts of the cluster

A host's daemon is started by nsenter, not by `ip netns exec`: that one mounts a fresh /sys, in which
there are no cgroups.
Invariant: names are the cluster's own port's, so that clusters side by side never meet; down() takes
away what up() made, in part or whole, and is fine to call twice.
Callers: cluster.Cluster.
"""

import contextlib
import os
import shlex
import shutil
import subprocess

from . import address

NEEDED = ('ip', 'nsenter', 'unshare')


class Network:
    """The bridge and the namespaces of one cluster."""

    def __init__(self, block):
        _, third, fourth = block.split('.')
        self.net = f'10.{200 + int(third)}.{fourth}'
        self._bridge = f'wm{address.port_of(block)}'

    @staticmethod
    def why_not():
        """Why this machine can have none; empty when it can."""
        missing = [name for name in NEEDED if not shutil.which(name)]
        if os.geteuid() != 0:
            return '--netns needs root: it makes network namespaces'
        return f'--netns needs {" ".join(missing)}: run scripts/bootstrap' if missing else ''

    def namespace(self, number):
        """Name of the namespace of host `number`."""
        return f'{self._bridge}.{number}'

    def up(self, hosts):
        """Makes the bridge and `hosts` namespaces on it. @errors subprocess.CalledProcessError"""
        self.down(hosts)
        _ip(f'link add {self._bridge} type bridge')
        _ip(f'addr add {self.net}.254/24 dev {self._bridge}')
        _ip(f'link set {self._bridge} up')
        for number in range(1, hosts + 1):
            self._add(number)

    def _add(self, number):
        space, outer = self.namespace(number), f'{self._bridge}v{number}'
        _ip(f'netns add {space}')
        _ip(f'link add {outer} type veth peer name eth0 netns {space}')
        _ip(f'link set {outer} master {self._bridge} up')
        _ip(f'-n {space} addr add {self.net}.{number}/24 dev eth0')
        for device in ('lo', 'eth0'):
            _ip(f'-n {space} link set {device} up')

    def down(self, hosts):
        """Takes it away; a namespace's end of a veth takes the other with it."""
        for number in range(1, hosts + 1):
            with contextlib.suppress(subprocess.CalledProcessError):
                _ip(f'netns del {self.namespace(number)}')
        with contextlib.suppress(subprocess.CalledProcessError):
            _ip(f'link del {self._bridge}')

    def inside(self, number, name, hosts_file, command):
        """`command` as words that run it on host `number`, which is called `name`."""
        script = (f'hostname {shlex.quote(name)} && mount --bind {shlex.quote(hosts_file)} /etc/hosts && '
                  'exec "$@"')
        return ['nsenter', f'--net=/run/netns/{self.namespace(number)}', 'unshare', '--uts', '--mount',
                '--propagation', 'private', 'sh', '-c', script, 'sh', *command]


def _ip(words):
    subprocess.run(['ip', *words.split()], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
