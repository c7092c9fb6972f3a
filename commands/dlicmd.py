#!/usr/bin/python3 -I
"""dlicmd: deep learning executions over WM's web door, with the words of WMLA's dlicmd.

One file, which every web door hands out (/ui/tools/dlicmd.py); needs nothing but Python. TABLE, at its end, is all that is known of commands and
options: parsing, -h, --wm-options (completion, the manual page's check) come of it.
"""

import base64
import calendar
import contextlib
import getpass
import http.client
import json
import os
import shutil
import ssl
import sys
import tarfile
import tempfile
import textwrap
import time
import urllib.parse
import uuid

BASE = '/platform/rest/deeplearning/v1'
TOKEN_FILE = os.path.expanduser('~/.dlicmd')
TERMINAL = ('FINISHED', 'KILLED', 'ERROR')
LAST_LINES = 10000


class Refused(Exception):
    """Something a person has to read."""


# ---- the connection -----------------------------------------------------------------------------


def origin(url):
    """What is compared of a server's address: scheme, host and port; '': it is none."""
    try:
        there = urllib.parse.urlsplit(url)
        return f'{there.scheme}://{there.hostname}:{there.port or (80 if there.scheme == "http" else 443)}' if there.hostname else ''
    except ValueError:
        return ''


def kept():
    """(token, origin of who gave it). Older ones kept the token alone: whose it is nobody knows, so that it is shown to nobody."""
    try:
        with open(TOKEN_FILE, encoding='ascii') as file:
            token, _, giver = file.read().strip().partition('\n')
    except (OSError, ValueError):
        return None, None
    return token, giver.strip()


def keep(token, giver):
    """Keeps them, readable by their owner alone."""
    with open(os.open(TOKEN_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w', encoding='ascii') as out:
        os.fchmod(out.fileno(), 0o600)  # also of one that was there
        out.write(f'{token}\n{giver}\n')


class Door:
    """Requests to the REST interface, with a token."""

    def __init__(self, options):
        url = os.environ.get('WM_GATEWAY_URL', '')
        if options.get('host'):
            port = options.get('port', '-1')
            url = options['host'] if '://' in options['host'] else 'https://' + options['host']
            url += '' if port == '-1' else f':{port}'
        if not url:
            raise Refused('which server? --rest-host HOST, or WM_GATEWAY_URL')
        self._origin = origin(url)
        if not self._origin:
            raise Refused(f'{url}: no address of a server')
        self._url = urllib.parse.urlsplit(url)
        self._options = options
        self._token = options.get('token')

    def _connection(self):
        if self._url.scheme == 'http':
            return http.client.HTTPConnection(self._url.hostname, self._url.port, timeout=300)
        return http.client.HTTPSConnection(self._url.hostname, self._url.port, timeout=300, context=self._trust())

    def _trust(self):
        """The certificate is checked against $WM_GATEWAY_CA; without it not at all, as WMLA's clients do."""
        authority = os.environ.get('WM_GATEWAY_CA')
        context = ssl.create_default_context(cafile=authority)
        if not authority or self._options.get('insecure'):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    def log_on(self):
        """A new token for a name and a password."""
        user = self._options.get('username') or getpass.getuser()
        password = self._options.get('password') or os.environ.get('WM_API_KEY')
        if not password:
            token, giver = kept()
            why = f'the token in {TOKEN_FILE} is not of {self._url.netloc}; ' if token and giver != self._origin else ''
            raise Refused(f'{why}log on first: dlicmd --logon --username U --password P')
        basic = base64.b64encode(f'{user}:{password}'.encode()).decode()
        status, _, body = self._send('GET', '/auth/v1/logon', {'Authorization': f'Basic {basic}'})
        if status != 200:
            raise Refused(f'log-on failed: {body.decode(errors="replace").strip()}')
        self._token = json.loads(body)['accessToken']
        return self._token

    def _find_token(self):
        if not self._token:
            token, giver = kept()
            self._token = token if giver == self._origin else None
        return self._token or self.log_on()

    def _send(self, method, path, headers, body=None, into=None):
        connection = self._connection()
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            if into and answer.status < 400:
                return answer.status, answer.headers, into(answer)
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as problem:
            raise Refused(f'{self._url.netloc}: {problem}') from None
        finally:
            connection.close()

    def ask(self, method, path, query='', *, headers=None, body=None, into=None):
        """(headers, body) of an answer below 400. A token that has run out is renewed once."""
        query = '&'.join(part for part in (query, self._options.get('query', '')) if part)
        target = ('' if path.startswith('/api/') else BASE) + path + ('?' + query if query else '')
        for attempt in (1, 2):
            told = {'Authorization': f'Bearer {self._find_token()}', **(headers or {})}
            if attempt == 2 and hasattr(body, 'seek'):
                body.seek(0)
            status, fields, answer = self._send(method, target, told, body, into)
            if status != 401 or attempt == 2 or self._options.get('token') or not os.environ.get('WM_API_KEY'):
                break
            self.log_on()
        if status >= 400:
            raise Refused(answer.decode(errors='replace').strip() or f'HTTP {status}')
        return status, fields, answer

    def json(self, method, path, query=''):
        """The value that an answer's body holds."""
        return json.loads(self.ask(method, path, query)[2])

    def forget(self):
        """Logs off. A token that another server gave stays, and is told nobody."""
        token, giver = kept()
        if giver and giver != self._origin:
            raise Refused(f'{TOKEN_FILE}: the token is of {giver}, not of {self._url.netloc}')
        if giver:
            self._send('POST', '/auth/v1/logoff', {'Authorization': f'Bearer {token}'})
        if token is not None:
            os.unlink(TOKEN_FILE)

    def keep(self):
        """A new token, for later commands to this server."""
        keep(self.log_on(), self._origin)


# ---- what is shown ------------------------------------------------------------------------------


def show(value, options, columns):
    """A value as the user wants it: a table, JSON, or columns of his choice."""
    form = options.get('output', '')
    if form == 'json' or not columns and not form:
        print(json.dumps(value, indent=2))
        return
    if form.startswith('custom-columns='):
        columns = form.split('=', 1)[1].split(',')
    rows = [columns] + [[str(row.get(c, '')) for c in columns] for row in (value if isinstance(value, list) else [value])]
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    for row in rows:
        print('  '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


EXEC_COLUMNS = ['id', 'appName', 'framework', 'state', 'numWorker', 'createTime']
HPO_COLUMNS = ['hpoName', 'state', 'progress', 'running', 'complete', 'failed', 'createtime', 'creator', 'duration']
APP_COLUMNS = ['id', 'name', 'consumer', 'submit_user', 'state', 'task12n_num', 'used_gpu']
FILE_COLUMNS = ['size', 'kind', 'path']


# ---- commands -----------------------------------------------------------------------------------


def one(words):
    """The id that a command is about."""
    if len(words) < 1:
        raise Refused('which one? an id is wanted')
    return words[0]


def address(path, word):
    """`path` with the word that a command is about in its place."""
    return path.format(urllib.parse.quote(word, safe=''))


def shows(path, *columns):
    """A command that asks for what is there, and shows it."""
    def run(door, options, words):
        show(door.json('GET', address(path, one(words)) if '{}' in path else path), options, list(columns))
    return run


def does(method, path, act):
    """A command that changes what each word names, or all."""
    def run(door, options, words):
        for word in words or [one(words)] if '{}' in path else ['']:
            done, _, _ = door.ask(method, address(path, word))
            print(f'{act.format(word)} succeed. HTTP:{done} ')
    return run


def logon(door, options, words):
    """--logon"""
    door.keep()
    print('Logged on successfully.')


def logoff(door, options, words):
    """--logoff"""
    door.forget()
    print('Logged off successfully.')


def frameworks(door, options, words):
    """--dl-frameworks"""
    found = door.json('GET', '/execs/frameworks')
    if options.get('output'):
        show(found, options, [])
        return
    for each in found:
        print(f'Name: {each["name"]}\nVersion: {each.get("frameworkVersion", "")}\nDesc: {" ".join(each["desc"])}')
        print(*([] if each.get('available', True) else [f'Not available: {each["reason"]}']), '', sep='\n')


def runtime(door, options, words):
    """--dl-runtime: packages of the default runtime, with versions."""
    found = door.json('GET', '/api/v1/runtime')['packages']
    show([{**each, 'version': each['version'] or 'not available'} for each in found], options, ['name', 'version'])


def framework_install(door, options, words):
    """--framework-install FILE.json: a framework of the user's own."""
    with open(one(words), 'rb') as given:
        body = given.read()
    headers = {'Content-Type': 'application/json', 'Content-Length': str(len(body))}
    installed = json.loads(door.ask('POST', '/execs/frameworks', headers=headers, body=body)[2])
    print(f'Framework {installed["name"]} is installed')


def framework_uninstall(door, options, words):
    """--framework-uninstall NAME"""
    door.ask('DELETE', f'/execs/frameworks/{urllib.parse.quote(one(words), safe="")}')
    print(f'Framework {words[0]} is uninstalled')


def packed(folder, name):
    """A gzip-compressed tar whose one top folder is `name`: (name, file). The file has no name on disk, so that however this program ends
    nothing of it stays."""
    file = tempfile.TemporaryFile()
    with tarfile.open(fileobj=file, mode='w:gz') as archive:
        archive.add(folder, arcname=name)
    file.seek(0)
    return f'{name}.modelDir.tar', file


def opened(path):
    """(name, file) of a file that is sent."""
    if not os.path.isfile(path):
        raise Refused(f'{path}: no such file')
    return os.path.basename(path), open(path, 'rb')


def parts_of(words):
    """(args, files): the words to be sent on, and the files that go with them: paths, or (name, file)."""
    args, files, main, folder, i = [], [], None, None, 0
    end = words.index('--') if '--' in words else len(words)
    while i < end:
        word, _, value = words[i].partition('=') if words[i].startswith('--') else (words[i], '', '')
        takes = word in ('--model-dir', '--model-main', '--conda-env-yaml', '--conda-package')
        if takes and not value:
            if i + 1 >= end:
                raise Refused(f'{word}: a value is missing')
            i += 1
            value = words[i]
        if word == '--model-dir':
            folder, value = value, os.path.basename(os.path.abspath(value))
        if word == '--model-main':
            main = value
        if word in ('--conda-env-yaml', '--conda-package'):
            files.append(value)
            value = os.path.basename(value)
        args += [word, value] if takes else [words[i]]
        i += 1
    args += words[end:]
    if folder:
        if not os.path.isdir(folder):
            raise Refused(f'--model-dir {folder}: no such folder')
        files.insert(0, packed(folder, os.path.basename(os.path.abspath(folder))))
    elif main:
        files.insert(0, main)
        args[args.index('--model-main') + 1] = os.path.basename(main)
    return args, files


def multipart(files, fields):
    """(content type, file object, size) of a body of type multipart/form-data, on disk."""
    boundary, body = uuid.uuid4().hex, tempfile.TemporaryFile()
    for name, value in fields.items():
        body.write(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode())
    for each in files:
        name, data = opened(each) if isinstance(each, str) else each
        body.write(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
                   'Content-Type: application/octet-stream\r\n\r\n'.encode())
        with data:
            shutil.copyfileobj(data, body)
        body.write(b'\r\n')
    body.write(f'--{boundary}--\r\n'.encode())
    size = body.tell()
    body.seek(0)
    return f'multipart/form-data; boundary={boundary}', body, size


def exec_start(door, options, words):
    """--exec-start FRAMEWORK …"""
    print('Copying files and directories ...')
    args, files = parts_of(words)
    fields = {}
    if options.get('data_source'):
        fields['data'] = json.dumps({'dataSource': json.loads(options['data_source'])})
    kind, body, size = multipart(files, fields)
    print(f'Content size: {max(1, size // 1024)}K')
    text = urllib.parse.quote(' '.join(['--exec-start', *args]))
    door.json('GET', '/conf')
    headers = {'Content-Type': kind, 'Content-Length': str(size), 'Idempotency-Key': uuid.uuid4().hex}
    with body:
        begun = json.loads(door.ask('POST', '/execs/', f'args={text}', headers=headers, body=body)[2])
    print(json.dumps({'execId': begun['id'], 'appId': begun['appId']}, indent=2))
    warn(begun)


def warn(execution):
    """What was asked for without effect: on stderr, since programs read what is printed."""
    sys.stdout.flush()
    for text in execution.get('warnings', []):
        print(f'warning: {text}', file=sys.stderr)


def age(text):
    """"1h2m3s" since that time of UTC; '': it is none."""
    try:
        seconds = max(0, int(time.time()) - calendar.timegm(time.strptime(text, '%Y-%m-%dT%H:%M:%SZ')))
    except ValueError:
        return ''
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return (f'{hours}h' if hours else '') + (f'{minutes}m' if hours or minutes else '') + f'{seconds % 60}s'


def exec_get(door, options, words):
    """--exec-get ID: of one that is not over, also why it waits and what its tasks were given."""
    found = door.json('GET', address('/execs/{}', one(words)))
    if found.get('state') not in TERMINAL:
        query = f'type=paralleljob&name={urllib.parse.quote(found["appId"])}'
        job = door.json('GET', '/scheduler/kubernetesobjects', query)
        status = job.get('status', {})
        found['pendingDuration'] = age(status.get('creationTimestamp', '')) if status.get('jobStatus') == 'Pending' else ''
        found['runningDuration'] = age(status.get('jobStartTime', ''))
        found['parallelJobInfo'] = {'status': status, 'spec': job.get('spec', {}).get('taskGroups', [])}
    show(found, options, [])


def train_logs(kind):
    """--exec-train*logs ID"""
    def run(door, options, words):
        def copy(answer):
            shutil.copyfileobj(answer, sys.stdout.buffer)
        door.ask('GET', f'/execs/{one(words)}/log', f'logType={kind}', headers={'Accept': 'text/plain'}, into=copy)
    return run


def worker_logs(kind):
    """--exec-outlogs ID and the like: worker by worker, framed."""
    def run(door, options, words):
        app = first_app(door, one(words))
        for number, _ in enumerate(app.get('task12n', []), 1):
            print(f'{"=" * 60}\nExecutor {number} {kind}\n{"=" * 60}')
            _, _, text = door.ask('GET', f'/scheduler/applications/{words[0]}/executor/{number}/logs/{kind}',
                                  f'lastlines={LAST_LINES}')
            sys.stdout.write(text.decode(errors='replace'))
    return run


def exec_result(door, options, words):
    """--exec-trainresult ID: the zip, under the name that the server gives it."""
    def save(answer):
        pieces = answer.headers.get('Content-Disposition', '').split(';')
        names = [p[len('filename='):] for p in pieces if p.startswith('filename=')]
        name = os.path.basename(names[0]) if names else f'{words[0]}-result.zip'
        with open(name, 'wb') as out:
            shutil.copyfileobj(answer, out)
        return name
    _, _, name = door.ask('GET', f'/execs/{one(words)}/result', into=save)
    print(f'Train result is saved to {name}')


def exec_files(door, options, words):
    """--exec-files ID: the largest first."""
    found = door.json('GET', address('/api/v1/runs/{}/files', one(words)))
    show(found['files'], options, FILE_COLUMNS)
    if not options.get('output'):
        more = '' if found['complete'] else ' or more'
        print(f'{found["count"]} files{more}, {found["bytes"]} bytes')


def results_get(door, options, words):
    """--results-get: how much results take up, and how much they may."""
    found = door.json('GET', '/api/v1/results')
    show(found, options, [])
    warn({'warnings': [found['words']] if found['words'] else []})


def exec_deploy(door, options, words):
    """--exec-deploy ID --name N …"""
    wanted, rest = {}, iter(words[1:])
    for word in rest:
        name, _, value = word.partition('=')
        value = value or next(rest, '')
        row = rows_of(DEPLOY).get(name)
        if row is None:
            raise Refused(f'{word}: not an option of --exec-deploy')
        pairs = (pair.split('=', 1) for pair in value.split(',') if '=' in pair)
        wanted[row[3]] = dict(pairs) if row[1] == 'k=v,...' else value
    if not wanted.get('name'):
        raise Refused('--exec-deploy: --name is missing')
    headers = {'Content-Type': 'application/json'}
    _, _, said = door.ask('POST', address('/execs/{}/deploy', one(words)), headers=headers, body=json.dumps(wanted).encode())
    print(json.loads(said)['status'])


def first_app(door, name):
    """One application of the scheduler's."""
    found = door.json('GET', f'/scheduler/engine/applications/{name}')
    if not found:
        raise Refused(f'application {name} does not exist')
    return found[0]


def app_get(door, options, words):
    """--app-get ID"""
    show(first_app(door, one(words)), options, [])


def app_list(states):
    """--app-get-all and its history."""
    def run(door, options, words):
        query = f'start={options.get("start", "0")}&length={options.get("length", "10000")}&sort=-submit_time&state={states}'
        show(door.json('GET', '/scheduler/engine/applications', query), options, APP_COLUMNS)
    return run


def app_wait(door, options, words):
    """--app-wait ID: until it is over."""
    while True:
        found = door.json('GET', f'/execs/{one(words)}')
        state = found['state']
        print(state, flush=True)
        if state in TERMINAL:
            if found.get('error'):
                print(found['error'], file=sys.stderr)
            return
        time.sleep(float(os.environ.get('DLICMD_POLL_S', '10')))


def app_stop(door, options, words):
    """--app-stop ID…"""
    for name in words or [one(words)]:
        _, _, text = door.ask('PUT', f'/scheduler/applications/{name}/stop')
        print(text.decode(errors='replace').strip() or f'Application {name} is stopped')


def app_stop_all(door, options, words):
    """--app-stop-all"""
    running = [e['id'] for e in door.json('GET', '/execs/') if e['state'] not in TERMINAL]
    if running:
        app_stop(door, options, running)


def app_analyze(door, options, words):
    """--app-analyze HOURS: how many applications of the last hours there were, by type and state."""
    since = time.time() - 3600 * float(one(words))
    counts = {}
    for app in door.json('GET', '/scheduler/engine/applications', 'start=0&length=10000&sort=-submit_time'):
        if app['submit_time'] >= since:
            key = (app['type'], app['state'])
            counts[key] = counts.get(key, 0) + 1
    show([{'type': kind, 'state': state, 'number': number} for (kind, state), number in sorted(counts.items())], options, ['type', 'state', 'number'])


def plan_delete(door, options, words):
    """--rp-delete NAME: the server says where plans are changed."""
    door.ask('DELETE', address('/resplans/resplan/{}', one(words)))


def objects(door, options, words):
    """--k8s-obj-get-all TYPE and the like: executions are jobs, not objects of Kubernetes."""
    kind = words[0] if words else 'paralleljob'
    query = f'type={urllib.parse.quote(kind)}' + (f'&name={urllib.parse.quote(words[1])}' if len(words) > 1 else '')
    show(door.json('GET', '/scheduler/kubernetesobjects', query), options, [])


def hpo_start(door, options, words):
    """--hpo-start FILE.json --model-dir D: the file is the search, the folder what its trials run"""
    name = one(words)
    if not os.path.isfile(name):
        raise Refused(f'--hpo-start {name}: no such file')
    with open(name, encoding='utf-8') as text:
        search = json.load(text)
    print('Copying files and directories ...')
    _, files = parts_of(words[1:])
    kind, body, size = multipart(files, {'data': json.dumps(search)})
    print(f'Content size: {max(1, size // 1024)}K')
    headers = {'Content-Type': kind, 'Content-Length': str(size), 'Idempotency-Key': uuid.uuid4().hex}
    print(json.dumps(json.loads(door.ask('POST', '/hypersearch', headers=headers, body=body)[2])))


# ---- the table of commands and options ----------------------------------------------------------

ACTIVE, OVER = 'NEW,SUBMITTED,PENDING_CRD_SCHEDULER,LAUNCHING,RUNNING', 'FINISHED,KILLED,ERROR'
COMMANDS, WHERE, DEPLOY, START = 'Commands', 'Where, and how it is shown', 'Of --exec-deploy', 'Of --exec-start'
# Group → rows: spelling, argument ('': a flag), what it is, and: of a command what does it; of the others the name of its value, None where it is
# the execution's.
TABLE = {
    COMMANDS: (
        ('--logon', '', 'Ask for a token and keep it in ~/.dlicmd', logon),
        ('--logoff', '', 'Forget it', logoff),
        ('--status', '', 'How the server stands', shows('/status')),
        ('--dl-frameworks', '', 'Frameworks that can be started', frameworks),
        ('--dl-runtime', '', 'What the default runtime includes', runtime),
        ('--framework-install', 'file.json', 'Install one of your own', framework_install),
        ('--framework-uninstall', 'name', 'Take it away', framework_uninstall),
        ('--exec-start', 'framework', 'Start an execution', exec_start),
        ('--exec-get', 'id', 'An execution', exec_get),
        ('--exec-get-all', '', 'All of yours', shows('/execs/', *EXEC_COLUMNS)),
        ('--exec-stop', 'id', 'Stop it', does('POST', '/execs/{}/stop', 'Stop exec {}')),
        ('--exec-delete', 'id', 'Stop and forget it', does('DELETE', '/execs/{}', 'Delete exec {}')),
        ('--exec-delete-all', '', 'All of yours', does('DELETE', '/execs', 'Delete all execs')),
        ('--exec-trainlogs', 'id', 'Output of all workers', train_logs('outerrlog')),
        ('--exec-trainoutlogs', 'id', 'Their standard output', train_logs('outlog')),
        ('--exec-trainerrlogs', 'id', 'Their standard error', train_logs('errlog')),
        ('--exec-outlogs', 'id', 'Standard output, worker by worker', worker_logs('stdout')),
        ('--exec-errlogs', 'id', 'Standard error, worker by worker', worker_logs('stderr')),
        ('--exec-launcherlogs', 'id', 'Of what starts them', worker_logs('launcherlog')),
        ('--exec-trainresult', 'id', 'Save the zip of its results', exec_result),
        ('--exec-files', 'id', 'Files that it left, with their sizes', exec_files),
        ('--results-get', '', 'How much your results take up, and may', results_get),
        ('--exec-deploy', 'id', 'Make a service of its model, which dlim starts', exec_deploy),
        ('--app-get', 'id', 'The application of an execution', app_get),
        ('--app-get-all', '', 'Applications that are not over', app_list(ACTIVE)),
        ('--app-history-get-all', '', 'Those that are', app_list(OVER)),
        ('--app-wait', 'id', 'Wait until it is over', app_wait),
        ('--app-stop', 'id', 'Stop it; several ids are', app_stop),
        ('--app-stop-all', '', 'Stop all of yours', app_stop_all),
        ('--app-outlogs', 'id', 'As --exec-outlogs', worker_logs('stdout')),
        ('--app-errlogs', 'id', 'As --exec-errlogs', worker_logs('stderr')),
        ('--app-launcherlogs', 'id', 'As --exec-launcherlogs', worker_logs('launcherlog')),
        ('--app-analyze', 'hours', 'How many there were, by type and state', app_analyze),
        ('--rp-get-all', '', 'Resource plans', shows('/resplans/resplantree')),
        ('--rp-get', 'name', 'A resource plan', shows('/resplans/resplan/{}')),
        ('--rp-delete', 'name', 'Refused: plans are in plans.conf', plan_delete),
        ('--pj-get-all', '', 'Jobs that are not over, as Kubernetes would show them', objects),
        ('--k8s-obj-get-all', 'type', 'The same for paralleljob; empty for other types', objects),
        ('--k8s-obj-get', 'type', 'One of them; a name follows', objects),
        ('--hpo-start', 'file.json', 'Search for good parameters, with --model-dir', hpo_start),
        ('--hpo-get', 'id', 'A search', shows('/hypersearch/{}')),
        ('--hpo-get-all', '', 'All of yours', shows('/hypersearch', *HPO_COLUMNS)),
        ('--hpo-stop', 'id', 'Stop it; several ids are', does('PUT', '/hypersearch/{}', 'Stop hpo {}')),
        ('--hpo-restart', 'id', 'Go on with what it has found', does('PUT', '/hypersearch/{}/restart', 'Restart hpo {}')),
        ('--hpo-delete', 'id', 'Stop and forget it; several ids are', does('DELETE', '/hypersearch/{}', 'Delete hpo {}')),
        ('--hpo-delete-all', '', 'All of yours', does('DELETE', '/hypersearch', 'Delete all hpo')),
        ('--hpo-algorithm-get-all', '', 'Ways of searching', shows('/hypersearch/algorithm', 'name', 'type', 'creator', 'createtime', 'path')),
        ('--hpo-algorithm-get', 'name', 'One of them', shows('/hypersearch/algorithm/{}')),
        ('--hpo-algorithm-delete', 'name', 'Delete one of your own', does('DELETE', '/hypersearch/algorithm/{}', 'Delete hpo algorithm {}')),
    ),
    WHERE: (
        ('--rest-host', 'host', 'The server, or $WM_GATEWAY_URL', 'host'),
        ('--master-host', 'host', 'The same', 'host'),
        ('--rest-port', 'port', 'Its port; -1: none in the address', 'port'),
        ('--dli-rest-port', 'port', 'The same', 'port'),
        ('--rest-insecure', '', 'Its certificate is not checked', 'insecure'),
        ('--jwt-token', 'token', 'Instead of ~/.dlicmd', 'token'),
        ('--username', 'user', 'Log on as this user', 'username'),
        ('--password', 'password', 'With this; else $WM_API_KEY', 'password'),
        ('--query-args', 'a=b&c=d', 'Added to each address', 'query'),
        ('--ig', 'group', 'Instance group; without effect', 'ig'),
        ('--app-search-start', 'n', 'Of lists of applications: from this on', 'start'),
        ('--app-search-length', 'n', 'So many', 'length'),
        ('-o', 'json|custom-columns=a,b', 'JSON, or these columns', 'output'),
    ),
    DEPLOY: (
        ('--name', 'name', 'Name of the service', 'name'),
        ('--kernel', 'F', 'Its kernel; else the ready-made one for PyTorch', 'kernel'),
        ('--weight', 'F', 'What it loads; else the only model that there is', 'weight'),
        ('--tag', 'text', 'Its tag', 'tag'),
        ('--runtime', 'name', 'Its runtime', 'runtime'),
        ('--attributes', 'k=v,...', 'Its attributes', 'attributes'),
        ('--envs', 'k=v,...', 'Its environment', 'environments'),
    ),
    START: (
        ('--model-main', 'file', 'The script', None),
        ('--model-dir', 'folder', 'What is sent with it', None),
        ('--numWorker', 'n', 'Workers; of an elastic framework the most', None),
        ('--workerDeviceType', 'cpu|gpu', 'Of each worker; GPUs where there are any', None),
        ('--workerDeviceNum', 'n', 'So many', None),
        ('--workerMemory', '8g', 'Memory of each worker', None),
        ('--workerMemoryLimit', '16g', 'The most memory each may use, as bsub -M', None),
        ('--workerCPULimit', 'n', 'The most cores: each is bound to so many', None),
        ('--workerGPULimit', 'n', 'The most GPUs', None),
        ('--driverMemory', '8g', 'Memory of the first task, the driver', None),
        ('--driverDeviceType', 'cpu|gpu', 'Of the first task', None),
        ('--driverDeviceNum', 'n', 'So many', None),
        ('--driverMemoryLimit', '16g', 'The most memory that it may use', None),
        ('--driverCPULimit', 'n', 'The most cores', None),
        ('--driverGPULimit', 'n', 'The most GPUs', None),
        ('--appName', 'name', 'What it is called', None),
        ('--consumer', '/plan', 'Resource plan', None),
        ('--msd-priority', 'n', 'Priority among yours', None),
        ('--msd-pending-timeout', 'seconds', 'Given up when it has waited so long', None),
        ('--msd-task12n-node-selector', 'NAME=VALUE,...', 'Hosts with these resources, as select[]', None),
        ('--msd-task0-node-selector', 'NAME=VALUE,...', 'Of the first task', None),
        ('--msd-podaffinity-rule', 'preferred|required', 'Are the tasks to be together', None),
        ('--msd-podaffinity-topology-key', 'name', 'On one host (kubernetes.io/hostname), or on hosts alike in this', None),
        ('--msd-label', 'NAME=VALUE', 'A label, several times', None),
        ('--msd-env', 'NAME=VALUE', 'Environment, several times', None),
        ('--cs-datastore-meta', 'type=fs,data_path=REL', 'DATA_DIR, below the cluster\'s', None),
        ('--data-source', 'JSON', 'A list of places where data comes from', 'data_source'),
        ('--user-cmd', '', 'A command instead of a script, behind --', None),
        ('--lsf-gpu-syntax', 'num=n:...', 'GPUs as bsub -gpu has them', None),
        ('--pbmodel-name', 'AlexNet|VGG16|ResNet18|MNIST', 'A model that is there already', None),
        ('--pbmodel-cmd', 'train', 'On made-up data', None),
        ('--conda-env-name', 'name', 'Run in this environment', None),
        ('--conda-home', 'folder', 'Which conda', None),
        ('--conda-env-yaml', 'file', 'An environment that this file describes', None),
        ('--conda-package', 'file', 'A package that is sent', None),
        ('--numPs', 'n', 'Parameter servers of disttensorflow and edtPyTorch', None),
        ('--msd-image-name', 'image', 'A container image', None),
        ('--msd-image-pull-policy', 'Always|Never|IfNotPresent', 'When it is fetched', None),
        ('--msd-image-pull-secret', 'name', 'With which secret', None),
    ),
}
SYNOPSIS = 'dlicmd COMMAND [options] [-- words for the script]'


def rows_of(*groups):
    """{spelling: row} of these groups."""
    return {row[0]: row for group in groups for row in TABLE[group]}


def usage():
    """What -h prints."""
    lines = [f'usage: {SYNOPSIS}']
    for group, rows in TABLE.items():
        lines += ['', f'{group}:']
        for option, argument, doc, _ in rows:
            head = f'  {option} {argument}'.rstrip()
            lines += textwrap.wrap(doc, 78, initial_indent=f'{head:<34}  ', subsequent_indent=' ' * 36)
    return '\n'.join(lines)


def table_text():
    """The table for programs, as the other commands of WM tell theirs."""
    told = [('synopsis', SYNOPSIS)]
    for group, rows in TABLE.items():
        told += [('option', option, 'text' if argument else 'flag', argument, group, doc) for option, argument, doc, _ in rows]
    return '\n'.join('\t'.join(row) for row in told)


def split(words):
    """(options of ours, the other words). What follows -- is never ours."""
    options, rest, i = {}, [], 0
    ours = {name: row for name, row in rows_of(WHERE, START).items() if row[3]}
    end = words.index('--') if '--' in words else len(words)
    while i < end:
        name, equals, value = words[i].partition('=')
        _, argument, _, key = ours.get(name, (None, None, None, None))
        if key is None:
            rest.append(words[i])
        elif not argument:
            options[key] = True
        elif not equals and i + 1 >= end:
            raise Refused(f'{name}: a value is missing')
        else:
            options[key] = value if equals else words[i + 1]
            i += 0 if equals else 1
        i += 1
    return options, rest + words[end:]


def main():
    """Runs the command that the first word names."""
    words = sys.argv[1:]
    try:
        if not words or words[0] in ('--help', '-h', '--wm-options'):
            print(table_text() if words == ['--wm-options'] else usage())
            return 0 if words else 1
        command = rows_of(COMMANDS).get(words[0])
        if command is None:
            raise Refused(f'{words[0]}: no such command, see dlicmd --help')
        options, rest = split(words[1:])
        command[3](Door(options), options, rest)
    except (BrokenPipeError, KeyboardInterrupt):
        return 1
    except (Refused, ValueError, OSError) as problem:
        with contextlib.suppress(OSError):
            sys.stdout.flush()  # what was said before comes before
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
