"""Role: the web door of a private cluster (`up --web`): nginx with a certificate of its own, wgatewayd,
and through it the user's wuserd; with --multiuser also wlogind, which starts everybody's.

  browser, dlicmd, curl ─TLS─► nginx NET.253 ─unix─► wgatewayd (may it pass? where to?)
                                        └────unix──► wuserd (started by wgatewayd)
  short folder: web/ with sockets, keys, certificate, nginx.conf. With --multiuser it is root's, with web/login
  and web/logs (of each wuserd) in it, and what is the web account's is web/gate. Cookies keep the port out, so that
  addresses, not ports, tell origins apart: NET.253 pages and REST, NET.252 what jobs show (or $WM_APPS_HOST).
Invariant: all of it belongs to the cluster by WM_CLUSTER_DIR and WM_NODE=web in its environment.
Callers: cluster.Cluster.
"""

import grp
import os
import pwd
import re
import secrets
import shutil
import socket
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
DAEMONS = ('wlogind', 'wgatewayd', 'wgrpc', 'nginx')  # in the order of starting
WEB_ACCOUNTS = ('wm-web', 'www-data', 'daemon')  # the first that there is: never the master's
PASSED = ('WM_CLUSTER_DIR', 'WM_NODE', 'LD_PRELOAD', 'NSS_WRAPPER_HOSTS')  # what a wuserd finds its cluster by
PORT = 9243  # WMLA's; the address is the cluster's own
NODE = 'web'


def why_not():
    """Why there can be none here; empty when there can."""
    missing = [name for name in ('nginx', 'openssl') if not program(name)]
    return f'--web needs {" ".join(missing)}: run scripts/bootstrap' if missing else ''


def program(name):
    """Where it is; nginx lies where ordinary users do not look."""
    return shutil.which(name) or shutil.which(name, path='/usr/sbin:/usr/bin')


class Web:
    """Files, commands and environment of the web door of one cluster."""

    def __init__(self, short, log, build, block, multiuser):
        self._multiuser = multiuser
        self._short, self._log, self._build = os.path.join(short, 'web'), log, build
        self._pages = os.path.join(build, 'pages')  # `make` builds them where node is
        self._address, self._apps = f'{block}.253', f'{block}.252'
        # Such as *.apps.test, which a client is told to find there: each job has an origin of its own.
        self._apps_host = os.environ.get('WM_APPS_HOST') or self._apps

    def path(self, *parts):
        """A path below its folder."""
        return os.path.join(self._short, *parts)

    def _gate(self, *parts):
        """A path below wgatewayd's folder: nothing of root's lies in what the web's account could change."""
        return self.path('gate', *parts) if self._multiuser else self.path(*parts)

    def daemons(self):
        """Those of DAEMONS that it has; wgrpc is built separately."""
        left_out = set() if self._multiuser else {'wlogind'}
        left_out |= set() if os.path.exists(f'{self._build}/sbin/wgrpc') else {'wgrpc'}
        return tuple(name for name in DAEMONS if name not in left_out)

    def account(self, name):
        """Keywords for starting a daemon under its own account."""
        if not self._multiuser or name not in ('wgatewayd', 'wgrpc'):
            return {}
        entry = web_account()
        return {'user': entry.pw_uid, 'group': entry.pw_gid, 'extra_groups': []}

    def exports(self):
        """What users of the cluster get to know of it."""
        known = {'WM_GATEWAY_URL': f'https://{self._address}:{PORT}', 'WM_APPS_URL': f'https://{self._apps_host}:{PORT}',
                 'WM_GATEWAY_CA': self.path('web.crt')}
        if not self._multiuser:  # else everybody has his own: wmkey create
            with open(self.path('api.key'), encoding='ascii') as kept:
                known['WM_API_KEY'] = kept.read().strip()
        return known

    def prepare(self):
        """Folder, API key, certificate, nginx's configuration."""
        os.makedirs(self._short, mode=0o700, exist_ok=True)
        if self._multiuser:
            os.chmod(self._short, 0o711)
            os.makedirs(self._gate(), mode=0o700, exist_ok=True)
            os.makedirs(self.path('logs'), mode=0o755, exist_ok=True)
            os.chown(self._gate(), web_account().pw_uid, -1)
        with open(os.open(self.path('api.key'), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w',
                  encoding='ascii') as out:
            out.write(secrets.token_hex(24) + '\n')  # never begins with "-", which options do
        self._make_certificate()
        os.makedirs(self.path('tools'), exist_ok=True)
        for name in ('dlicmd', 'dlim'):
            if os.path.exists(f'{self._build}/bin/{name}'):
                shutil.copy(f'{self._build}/bin/{name}', self.path('tools', f'{name}.py'))
        if self._multiuser:  # the tree may lie where nginx's account cannot go
            if os.path.isdir(self._pages):
                shutil.copytree(self._pages, self.path('pages'))
        with open(self.path('nginx.conf'), 'w', encoding='utf-8') as out:
            out.write(self._nginx_conf())

    def _make_certificate(self):
        names = f'subjectAltName=IP:{self._address},IP:{self._apps}'
        names += '' if self._apps_host == self._apps else f',DNS:{self._apps_host}'
        subprocess.run([program('openssl'), 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1',
                        '-nodes', '-days', '3650', '-subj', '/CN=WM private cluster', '-addext', names,
                        '-keyout', self.path('web.key'), '-out', self.path('web.crt')],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _nginx_conf(self):
        words = {'accounts': self._account_line(), 'run': self._short, 'log': self._log, 'certificate': self.path('web.crt'),
                 'certificate_key': self.path('web.key'), 'gateway': self._gate('gateway.sock'), 'grpc': self._gate('grpc.sock'),
                 'origin': f'https://{self._address}:{PORT}', 'apps_origin': f'https://{self._apps_host}:{PORT}',
                 'listen': f'{self._address}:{PORT}', 'apps_listen': f'{self._apps}:{PORT}',
                 'pages': self.path('pages') if self._multiuser else self._pages, 'style_hash': self._style_hash(), 'tools': self.path('tools')}
        with open(os.path.join(TOP, 'etc/nginx/wm.conf'), encoding='utf-8') as template:
            return re.sub(r'@(\w+)@', lambda found: words[found[1]], template.read())

    def _style_hash(self):
        """What the policy calls the style that the pages hold; where they were not built, nothing's."""
        try:
            with open(os.path.join(self._pages, 'style_hash'), encoding='ascii') as text:
                return text.read().strip()
        except FileNotFoundError:
            return 'sha256-'

    def _account_line(self):
        """As root nginx gives its workers another account: the web's, or the cluster's own."""
        if os.geteuid() != 0:
            return ''
        entry = web_account() if self._multiuser else pwd.getpwuid(0)
        return f'user {entry.pw_name} {grp.getgrgid(entry.pw_gid).gr_name};'

    def command(self, name):
        """(words, variables) that start one of DAEMONS."""
        if name == 'wlogind':
            words = [f'{self._build}/sbin/wlogind', '--folder', self.path('login'), '--web-user', web_account().pw_name,
                     '--agent-logs', self.path('logs')]
            for variable in PASSED:
                words += ['--pass', variable]
        elif name == 'wgatewayd':
            words = [f'{self._build}/sbin/wgatewayd', '--folder', self._gate(),
                     '--origin', f'https://{self._address}:{PORT}', '--apps-origin', f'https://{self._apps_host}:{PORT}']
            words += ['--login', self.path('login')] if self._multiuser else []
        elif name == 'wgrpc':
            words = [f'{self._build}/sbin/wgrpc', '--socket', self._gate('grpc.sock')]
        else:
            words = [program('nginx'), '-p', self._short, '-c', self.path('nginx.conf'),
                     '-e', os.path.join(self._log, 'nginx.log')]
        # The user's own files of a real account are not this cluster's.
        return words, {'WM_NODE': NODE, **({} if self._multiuser else {'WM_USER_DIR': self.path('user')})}

    def is_answering(self, name):
        """Whether it can be connected to."""
        sockets = {'wlogind': self.path('login', 'login.sock'), 'wgatewayd': self._gate('gateway.sock'),
                   'wgrpc': self._gate('grpc.sock')}
        family = socket.AF_UNIX if name in sockets else socket.AF_INET
        where = sockets.get(name, (self._address, PORT))
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            return probe.connect_ex(where) == 0


def web_account():
    """The account of all that faces HTTP, where there are several."""
    for name in WEB_ACCOUNTS:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise OSError(f'none of the accounts {" ".join(WEB_ACCOUNTS)}')
