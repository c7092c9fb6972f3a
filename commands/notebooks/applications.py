"""Role: any program that serves pages, and the files of a folder, as what is served."""

import http.server
import os
import re
import socket
import socketserver
import sys

from notebooks.answers import answer


class Application:
    """Any program that serves pages."""

    kind = 'application'

    def __init__(self, words, base, strip):
        self.strip, self._base = strip, base
        port = (os.environ.get('WM_WEB_PORT') or str(free_port())) if any('%p' in word for word in words) else ''
        if port and not os.environ.get('WM_WEB_PORT_OWNED'):
            print(f'wm-notebook: every account of this host reaches port {port} of 127.0.0.1, where this listens (%p); a program that '
                  'listens at %s is its owner\'s alone', file=sys.stderr, flush=True)
        self.address = f'127.0.0.1:{port}' if port else os.environ['WM_WEB_SOCKET']
        stands_for = {'%s': os.environ['WM_WEB_SOCKET'], '%p': port, '%b': base, '%%': '%'}
        if any('%o' in word.replace('%%', '') for word in words):
            stands_for['%o'] = origin(base)
        self._words = [re.sub('%[spbo%]', lambda found: stands_for[found[0]], word) for word in words]

    def command(self):
        """Its command line."""
        return self._words

    def surroundings(self, env, _results):
        """Its environment."""
        return env

    def is_ready(self):
        """Whether it answers, whatever it says."""
        return answer(self.address, '/' if self.strip else self._base) is not None

    def activity(self):
        """Nothing is known but what its processes use."""
        return 0, ''

    def clean_up(self):
        """It leaves nothing of ours."""


class Files(http.server.SimpleHTTPRequestHandler):
    """The files of the folder. A peer at a unix socket has no address."""

    def address_string(self):
        """For the log."""
        return 'the owner'


def serve_files(path):
    """At a socket that this account alone reaches, until it is ended."""
    os.umask(0o077)
    with socketserver.ThreadingUnixStreamServer(path, Files) as server:
        server.daemon_threads = True
        server.serve_forever()


def origin(base):
    """Where browsers see the job: what WM_APPS_URL says, a * for the job's number. @raises SystemExit: nothing does"""
    url = os.environ.get('WM_APPS_URL', '')
    if not url:
        sys.exit('wm-notebook: %o: WM_APPS_URL is not set: it says the origin of applications (--apps-origin of wgatewayd(8)), such as '
                 "https://*.apps.example.org; set it where you submit, or in the profile's command")
    return url.replace('*', base.strip('/').replace('.', '-'))


def free_port():
    """One that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]
