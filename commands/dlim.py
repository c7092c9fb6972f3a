#!/usr/bin/python3 -I
"""dlim: inference services over WM's web door, with the words of WMLA's dlim.

One file, which every web door hands out (/ui/tools/dlim.py); needs nothing but Python. VERBS and OPTIONS, at its end, are all that is known of the
command line: parsing, -h and --wm-options (completion, the manual page's check) come of them.
"""

import argparse
import base64
import contextlib
import datetime
import getpass
import http.client
import io
import json
import os
import shutil
import ssl
import subprocess
import sys
import tarfile
import urllib.parse

KEPT = os.path.expanduser('~/.dlim')
BASE = '/dlim/v1'


class Refused(Exception):
    """Something a person has to read."""


# ---- the connection -----------------------------------------------------------------------------


def kept():
    """What config has kept."""
    try:
        with open(KEPT, encoding='utf-8') as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def keep(**changes):
    """Keeps these, readable by its owner alone."""
    text = json.dumps({**kept(), **changes})
    with open(os.open(KEPT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w', encoding='utf-8') as file:
        os.fchmod(file.fileno(), 0o600)  # also of one that was there
        file.write(text + '\n')


def given_to_job():
    """The token that a notebook or another job was given; the file's is renewed, the variable's is not."""
    try:
        with open(os.environ.get('USER_ACCESS_TOKEN_FILE', ''), encoding='ascii') as file:
            return file.read().strip()
    except OSError:
        return os.environ.get('USER_ACCESS_TOKEN')


def split(url):
    """A server's address; its scheme may be left out."""
    return urllib.parse.urlsplit(url if '://' in url else 'https://' + url)


def origin(url):
    """What is compared of a server's address: scheme, host and port; '': it is none."""
    try:
        there = split(url)
        return f'{there.scheme}://{there.hostname}:{there.port or (80 if there.scheme == "http" else 443)}' if there.hostname else ''
    except ValueError:
        return ''


def issuer(token):
    """The cluster that a token says it is of, or None. Nothing is believed of it that a server does not check."""
    try:
        body = (token or '').split('.')[1]
        return json.loads(base64.urlsafe_b64decode(body + '=' * (-len(body) % 4))).get('iss')
    except (ValueError, IndexError, AttributeError):
        return None


class Door:
    """Requests to the REST interface, with a token."""

    def __init__(self, options):
        url = options.rest_server or os.environ.get('WM_GATEWAY_URL') or kept().get('url')
        if not url:
            raise Refused('which server? dlim config -c URL, --rest-server URL, or WM_GATEWAY_URL')
        self._origin = origin(url)
        if not self._origin:
            raise Refused(f'{url}: no address of a server')
        self._url = split(url)
        self._token = options.jwt_token or self._job_token() or self._kept_token()
        self._given = bool(options.jwt_token)

    def server(self):
        """Whom it talks to."""
        return self._origin

    def _kept_token(self):
        """One that this server gave: another's is nothing to it, and is not shown to it."""
        there = kept()
        url, giver = there.get('url') or '', there.get('token_of') or ''
        if url and (not giver or giver in url.split('/')):  # as older ones kept it
            giver = url
        return there.get('token') if origin(giver) == self._origin else None

    def _job_token(self):
        """The job's, if this is its server: the one that came with it, or one that has given a token of the same cluster."""
        token, url = given_to_job(), os.environ.get('WM_GATEWAY_URL')
        own, known = issuer(token), issuer(self._kept_token())
        if not token or (own and known and own != known):
            return None
        return token if (url and origin(url) == self._origin) or (own and own == known) else None

    def _connection(self, timeout):
        if self._url.scheme == 'http':
            return http.client.HTTPConnection(self._url.hostname, self._url.port, timeout=timeout)
        authority = os.environ.get('WM_GATEWAY_CA')
        context = ssl.create_default_context(cafile=authority)
        if not authority:  # as WMLA's clients, which check none
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection(self._url.hostname, self._url.port, timeout=timeout, context=context)

    def _send(self, method, path, headers, body=None):
        connection = self._connection(None if path.endswith('/operation/stop') else 600)  # stopping takes as long as what was asked
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as problem:
            raise Refused(f'{self._url.netloc}: {problem}') from None
        finally:
            connection.close()

    def log_on(self, user=None, key=None):
        """A new token for a name and a key."""
        user = user or getpass.getuser()
        key = key or os.environ.get('WM_API_KEY')
        if not key:
            why = f'the token of this job is not for {self._url.netloc}; ' if given_to_job() and not self._token else ''
            raise Refused(f'{why}log on first: dlim config -t -u USER -k KEY')
        basic = base64.b64encode(f'{user}:{key}'.encode()).decode()
        status, body = self._send('GET', '/auth/v1/logon', {'Authorization': f'Basic {basic}'})
        if status != 200:
            raise Refused(f'log-on failed: {body.decode(errors="replace").strip()}')
        self._token = json.loads(body)['accessToken']
        return self._token

    def token(self):
        """One that is there, or a new one."""
        return self._token or self.log_on()

    def _try(self, method, path, body, more):
        headers = {'Authorization': 'Bearer ' + self.token(), 'Content-Type': 'application/octet-stream', **(more or {})}
        return self._send(method, BASE + path, headers, body)

    def ask(self, method, path, body=None, headers=None):
        """The body of the answer. A kept token that is too old is replaced where there is a key."""
        status, answer = self._try(method, path, body, headers)
        if status == 401 and not self._given and os.environ.get('WM_API_KEY'):
            self.log_on()
            status, answer = self._try(method, path, body, headers)
        if status >= 400:
            text = answer.decode(errors='replace').strip()
            raise Refused(text.removeprefix(f'Error {status}: ') or f'HTTP {status}')
        return answer

    def json(self, path):
        """The same as JSON."""
        return json.loads(self.ask('GET', path))


# ---- words --------------------------------------------------------------------------------------


def sure(options, question):
    """Asks, unless -f."""
    if options.force:
        return True
    return input(f'{question} [y/n] ').strip().lower() in ('y', 'yes')


def size_words(size):
    """248.39KB."""
    for unit in ('B', 'KB', 'MB', 'GB'):
        if size < 1024 or unit == 'GB':
            return f'{size:.2f}{unit}' if unit != 'B' else f'{size}B'
        size /= 1024
    return ''


def time_words(seconds):
    """Wed Sep 6 19:59:14 UTC 2023."""
    when = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return f'{when:%a %b} {when.day} {when:%H:%M:%S} UTC {when.year}'


def row(name, value):
    """One line of a view."""
    print(f'{name}:\t{value}')


# ---- commands -----------------------------------------------------------------------------------


def config(options):
    """config."""
    if options.url:
        keep(url=options.url)
        options.rest_server = options.rest_server or options.url
    if options.token:
        door = Door(options)
        keep(token=door.log_on(options.user, options.key), token_of=door.server())
    if options.show:
        print(Door(options).token())
    if not (options.url or options.token or options.show):
        raise Refused('one of -c URL, -t and -s is wanted')


def list_models(options):
    """model list."""
    models = Door(options).json('/model')
    width = max([len(model['name']) for model in models] + [4]) + 4
    print(f'{"NAME":<{width}}REST URI')
    for model in models:
        print(f'{model["name"]:<{width}}{model["service_uri"] or "-"}')


SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin'  # of services


def own_python():
    """The python3 of this shell's PATH as it calls itself, not a stand-in for it; '': it is among the system's programs."""
    program = shutil.which('python3') or shutil.which('python')
    try:
        found = subprocess.run([program or '', '-I', '-c', 'import sys; print(sys.executable)'], capture_output=True, text=True, timeout=60,
                               check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ''
    return '' if os.path.dirname(found) in SYSTEM_PATH.split(':') else found


def with_python(model, python):
    """model.json for kernels that run with that Python: its folder comes first in their PATH, on hosts that have it. What says a PATH itself
    stays."""
    given = model.get('mk_environments') or []
    if not python or any(entry.get('name') == 'PATH' for entry in given):
        return model, False
    added = [{'name': 'PATH', 'value': f'{os.path.dirname(python)}:{SYSTEM_PATH}'}]
    if os.environ.get('LD_LIBRARY_PATH'):  # environment modules put libpython there
        added.append({'name': 'LD_LIBRARY_PATH', 'value': os.environ['LD_LIBRARY_PATH']})
    names = {entry['name'] for entry in given}
    return {**model, 'mk_environments': given + [one for one in added if one['name'] not in names]}, True


BLOCK = 512  # of a tar


class Package:
    """A folder as an uncompressed tar, made while it is sent: how long it will be is known before, and none of it is held in memory.

    What models are made of does not get smaller, so that compressing it is time lost."""

    def __init__(self, folder, files, described):
        self._parts, self.size = [], 2 * BLOCK
        for path in files:
            name = os.path.relpath(path, folder)
            with tarfile.open(fileobj=io.BytesIO(), mode='w') as tar:
                member = tar.gettarinfo(path, name)
            text = json.dumps(described, indent=2).encode() if name == 'model.json' else None
            if text is not None:
                member.type, member.linkname, member.size = tarfile.REGTYPE, '', len(text)
            head = member.tobuf(tarfile.PAX_FORMAT)
            length = member.size if member.isreg() else 0
            self._parts.append((path, head, text, length))
            self.size += len(head) + -(-length // BLOCK) * BLOCK

    def __iter__(self):
        for path, head, text, length in self._parts:
            yield head
            if text is not None:
                yield text
            elif length:
                yield from self._bytes_of(path, length)
            yield bytes(-length % BLOCK)
        yield bytes(2 * BLOCK)

    @staticmethod
    def _bytes_of(path, length):
        with open(path, 'rb') as file:
            while length:
                piece = file.read(min(length, 1 << 20))
                if not piece:
                    raise Refused(f'{path}: has become shorter while it was sent')
                length -= len(piece)
                yield piece


def package_of(folder, python=''):
    """(name, package, files) of a folder, and the Python that its kernels are to run with; '': the host's."""
    try:
        with open(os.path.join(folder, 'model.json'), encoding='utf-8') as file:
            described, is_own = with_python(json.load(file), python)
        name = described['name']
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise Refused(f'{os.path.join(folder, "model.json")}: {problem}') from None
    files = sorted(os.path.join(top, one) for top, _, names in os.walk(folder) for one in names)
    return name, Package(folder, files, described), files, python if is_own else ''


def deploy(options):
    """model deploy."""
    name, packed, files, python = package_of(options.path, own_python())
    door = Door(options)
    there = any(model['name'] == name for model in door.json('/model'))
    if there and not options.force:
        raise Refused(f'model {name} is deployed already: undeploy it first')
    print('Uploading...', flush=True)
    path = '/deployment/model' + (f'/{urllib.parse.quote(name)}' if there else '')
    door.ask('POST', path, packed, {'Content-Length': str(packed.size), 'X-Model-Name': urllib.parse.quote(str(name))})
    for file in files:
        print(f'<{file}> uploaded to server.')
    if python:
        print(f'Kernels run with {python}, on hosts that have it')
    print('Registering...')
    print(f'Model <{name}> is deployed successfully')


def address(options, more=''):
    """Path of a model."""
    return f'/model/{urllib.parse.quote(options.model, safe="")}{more}'


def undeploy(options):
    """model undeploy."""
    if sure(options, f'Undeploy model "{options.model}"?'):
        Door(options).ask('DELETE', address(options))
        print(f'Model {options.model} is undeployed successfully')


def start(options):
    """model start."""
    Door(options).ask('PUT', address(options, '/operation/start'))
    print(f'Starting model "{options.model}", run "dlim model view {options.model} -s" to ensure startup.')


def stop(options):
    """model stop."""
    if sure(options, f'Stop model "{options.model}"?'):
        Door(options).ask('PUT', address(options, '/operation/stop'))
        print(f'Stopping model "{options.model}", run "dlim model view {options.model} -s" to ensure stop.')


def canary(options):
    """model canary."""
    Door(options).ask('PUT', address(options, '/operation/canary'), json.dumps({'service': options.other, 'percent': options.percent}).encode())
    print(f'{options.percent} % of the requests of model {options.model} go to {options.other}')


def rollback(options):
    """model rollback."""
    Door(options).ask('PUT', address(options, '/operation/rollback'))
    print(f'Model {options.model} is rolled back')


def pairs(entries, name, none):
    """a=b, c=d."""
    return ', '.join(f'{entry[name]}={entry["value"]}' for entry in entries) or none


def view(options):
    """model view."""
    door = Door(options)
    if options.status:
        return view_status(door, options)
    model = door.json(address(options))
    if options.json:
        return print(json.dumps(model, indent=2))
    row('Name', model['name'])
    row('Tag', model['tag'] or '-')
    row('Model path', model['model_path'])
    row('Size', size_words(model['size']))
    row('Weight path', model['weight_path'])
    row('Runtime', model['runtime'])
    row('Kernel path', model['kernel_path'])
    row('Creator', model['creator'])
    row('Create time', time_words(model['create_time']))
    row('Update time', time_words(model['last_updated_time']))
    row('REST URI', model['service_uri'] or '-')
    row('Attributes', pairs(model['attributes'], 'key', 'No attribute defined'))
    row('Environments', pairs(model['mk_environments'], 'name', 'No environment variable defined'))
    row('Schema version', model['schema_version'])
    return None


def view_status(door, options):
    """model view -s."""
    state = door.json(address(options, '/instance'))
    profile = door.json(address(options, '/appprofile'))
    row('Name', state['name'])
    row('State', state['state'])
    row('Serving replica', sum(one.get('routers', profile.get('replica', 1)) for one in state['instances']))
    for one in state['instances']:
        print('=' * 60)
        row('Serving service ID', one['isd_uid'])
        row('Service JobID', one['job_id'])
        row('GPU Mode', profile['kernel']['gpu'])
        row('Served clients', one['client_number'])
        row('Pending requests', one['pending_tasks'])
        row('Requests per second', f'{one["request_per_sec"]:.2f}')
        row('Data per second', f'{one["data_size_per_sec"]:.2f}')
        row('Kernel started', len(one['isd_container']))
        if one.get('kernels_wait_for'):
            row('Kernels wait', one['kernels_wait_for'])
        for kernel in one['isd_container'] if options.all else []:
            print('-' * 60)
            row('Kernel ID', kernel['container_uid'])
            row('Host', kernel['container_host'])
            row('Status', kernel['container_status'])
            row('Finished tasks', kernel['finished_task'])
            row('Failed tasks', kernel['failed_task'])


def view_profile(options):
    """model viewprofile."""
    print(json.dumps(Door(options).json(address(options, '/appprofile')), indent=2))


def update_profile(options):
    """model updateprofile."""
    try:
        with open(options.file, encoding='utf-8') as file:
            text = file.read()
    except OSError as problem:
        raise Refused(f'{options.file}: {problem.strerror}') from None
    Door(options).ask('PUT', address(options, '/appprofile'), text.encode())
    print('Model is updated successfully')


def infer(options):
    """model infer."""
    data = sys.stdin.buffer.read() if options.data == '-' else options.data.encode()
    answer = Door(options).ask('POST', f'/inference/{urllib.parse.quote(options.model, safe="")}', data)
    sys.stdout.buffer.write(answer + b'\n')


# ---- the command line ---------------------------------------------------------------------------

# Words, what stands behind them, what it does, what for.
VERBS = (
    ('config', '', config, 'The server, and who asks it, from now on'),
    ('model list', '', list_models, 'Models, and the address of each that is started'),
    ('model deploy', '', deploy, 'Upload a package'),
    ('model undeploy', 'model', undeploy, 'Take it away'),
    ('model start', 'model', start, 'Start it'),
    ('model stop', 'model', stop, 'Stop it'),
    ('model canary', 'model other percent', canary, 'So many of its requests go to another service; 0: none any more'),
    ('model rollback', 'model', rollback, 'The version before the newest is the newest again, while it is stopped'),
    ('model view', 'model', view, 'What it is'),
    ('model viewprofile', 'model', view_profile, 'Its profile'),
    ('model updateprofile', 'model', update_profile, 'Another profile'),
    ('model infer', 'model [data]', infer, 'Ask it something; - or nothing: what is on standard input'),
)
# Of which words (''; of all), spelling, argument ('': a flag), what for, the name of its value. One whose doc ends in ! has to be there.
OPTIONS = (
    ('', '--rest-server', 'URL', 'The server, or $WM_GATEWAY_URL', 'rest_server'),
    ('', '--jwt-token', 'token', 'Or $USER_ACCESS_TOKEN, or $USER and $WM_API_KEY', 'jwt_token'),
    ('config', '-c', 'URL', 'The server from now on', 'url'),
    ('config', '-t', '', 'Log on, and keep the token', 'token'),
    ('config', '-u', 'user', 'With -t: as this user', 'user'),
    ('config', '-k', 'key', 'With -t: by this key', 'key'),
    ('config', '-s', '', 'Print the token', 'show'),
    ('model deploy', '-p', 'folder', 'The package!', 'path'),
    ('model deploy', '-f', '', 'Also as the next version of one that is there', 'force'),
    ('model undeploy', '-f', '', 'Do not ask', 'force'),
    ('model start', '-f', '', 'Do not ask', 'force'),
    ('model stop', '-f', '', 'Do not ask', 'force'),
    ('model view', '-s', '', 'How it runs', 'status'),
    ('model view', '-a', '', 'With -s: each kernel, too', 'all'),
    ('model view', '-j', '', 'As JSON', 'json'),
    ('model viewprofile', '-j', '', 'As JSON, which it is anyway', 'json'),
    ('model updateprofile', '-f', 'file', 'The profile!', 'file'),
)


def add_options(parser, verb):
    """Those of these words."""
    for of, option, argument, doc, name in OPTIONS:
        if of == verb and argument:
            parser.add_argument(option, dest=name, required=doc.endswith('!'))
        elif of == verb:
            parser.add_argument(option, dest=name, action='store_true')


def parsed(words):
    """Words as a namespace; argparse prints what is wrong and exits 2."""
    parser = argparse.ArgumentParser(prog='dlim', add_help=False)
    add_options(parser, '')
    verbs = parser.add_subparsers(dest='verb', required=True)
    models = verbs.add_parser('model', add_help=False).add_subparsers(dest='word', required=True)
    for verb, operands, action, _ in VERBS:
        group, name = (models, verb.split()[1]) if ' ' in verb else (verbs, verb)
        sub = group.add_parser(name, add_help=False)
        sub.set_defaults(action=action)
        add_options(sub, verb)
        for operand in operands.split():
            if operand.startswith('['):
                sub.add_argument(operand[1:-1], nargs='?', default='-')
            else:
                sub.add_argument(operand, type=int if operand == 'percent' else str)
    return parser.parse_args(words)


def usage():
    """What -h prints."""
    lines = ['usage: dlim COMMAND [options]', '']
    for verb, operands, _, doc in (('', '', None, ''), *VERBS):
        lines += [f'  {verb} {operands}'.rstrip().ljust(36) + f'  {doc}'] if verb else []
        for of, option, argument, what, _ in OPTIONS:
            lines += [f'    {option} {argument}'.rstrip().ljust(36) + f'  {what.rstrip("!")}'] if of == verb else []
    return '\n'.join(lines)


def table_text():
    """The table for programs, as the other commands of WM tell theirs."""
    names = '|'.join(verb.split()[1] for verb, *_ in VERBS if ' ' in verb)
    rows = [('synopsis', 'dlim config [options]'), ('synopsis', f'dlim model {names} [options]')]
    rows += [('option', option, 'text' if argument else 'flag', argument, of, doc.rstrip('!')) for of, option, argument, doc, _ in OPTIONS]
    return '\n'.join('\t'.join(row) for row in rows)


def everywhere(words):
    """--rest-server and --jwt-token may stand anywhere: to the front with them."""
    front, rest = [], []
    words = iter(words)
    for word in words:
        name, equals, _ = word.partition('=')
        if name in ('--rest-server', '--jwt-token'):
            front += [word] if equals else [word, next(words, '')]
        else:
            rest.append(word)
    return front + rest


def main():
    """One command."""
    words = sys.argv[1:]
    try:
        if words == ['--wm-options'] or {'-h', '--help'} & set(words):
            print(table_text() if words == ['--wm-options'] else usage())
            return 0
        options = parsed(everywhere(words))
        options.action(options)
    except Refused as problem:
        with contextlib.suppress(OSError):
            sys.stdout.flush()  # what was said before comes before
        print(problem, file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (KeyboardInterrupt, EOFError):
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
