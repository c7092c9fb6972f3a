#!/usr/bin/python3
"""dlicmd: deep learning executions over WM's web door, with the words of WMLA's dlicmd.

usage: dlicmd COMMAND [options]

  --logon                     ask for a token and keep it in ~/.dlicmd     --logoff    --status
  --dl-frameworks             frameworks that can be started     --dl-runtime   what the default one includes
  --framework-install FILE.json   one of your own                  --framework-uninstall NAME
  --exec-start FRAMEWORK …    start one; every other option, and what follows --, is the execution's
  --exec-get ID  --exec-get-all  --exec-stop ID  --exec-delete ID  --exec-delete-all
  --exec-trainlogs ID  --exec-trainoutlogs ID  --exec-trainerrlogs ID    output of all workers
  --exec-outlogs ID  --exec-errlogs ID  --exec-launcherlogs ID           worker by worker
  --exec-trainresult ID       save the zip of its results
  --exec-deploy ID --name N   make a service of its model: [--kernel F] [--weight F] [--tag T] [--runtime R]
                              [--attributes k=v,…] [--envs k=v,…]; started by dlim
  --app-get ID  --app-get-all  --app-history-get-all  --app-wait ID  --app-stop ID…  --app-stop-all
  --app-outlogs ID  --app-errlogs ID  --app-launcherlogs ID  --app-analyze HOURS
  --rp-get-all  --rp-get NAME  --rp-delete NAME                          resource plans
  --pj-get-all  --k8s-obj-get-all TYPE  --k8s-obj-get TYPE NAME          there are none here
  --hpo-start FILE.json --model-dir D                                    search for good parameters
  --hpo-get ID  --hpo-get-all  --hpo-stop ID…  --hpo-restart ID  --hpo-delete ID…  --hpo-delete-all
  --hpo-algorithm-get-all  --hpo-algorithm-get NAME  --hpo-algorithm-delete NAME

where:  --rest-host HOST  --rest-port PORT  --jwt-token TOKEN  --username U  --password P  --query-args A=B&…
        (else $WM_GATEWAY_URL; ~/.dlicmd, or $USER and $WM_API_KEY)
shown:  -o json | -o custom-columns=a,b
start:  --model-main F  --model-dir D  --numWorker N  --workerDeviceType cpu|gpu  --workerDeviceNum N
        --workerMemory 8g  --appName N  --consumer PLAN  --msd-env N=V  --cs-datastore-meta type=fs,data_path=P
        --data-source JSON  --user-cmd -- CMD …   (dlicmd(1) has all)
Needs nothing but Python.
"""

import base64
import getpass
import http.client
import json
import os
import shutil
import ssl
import sys
import tarfile
import tempfile
import time
import urllib.parse
import uuid

BASE = '/platform/rest/deeplearning/v1'
TOKEN_FILE = os.path.expanduser('~/.dlicmd')
TERMINAL = ('FINISHED', 'KILLED', 'ERROR')
# Options of ours, which are not the execution's: name → where their value goes.
CONNECTION = {'--rest-host': 'host', '--master-host': 'host', '--rest-port': 'port', '--dli-rest-port': 'port',
              '--jwt-token': 'token', '--query-args': 'query', '--username': 'username', '--password': 'password',
              '--data-source': 'data_source', '-o': 'output', '--ig': 'ig',
              '--app-search-start': 'start', '--app-search-length': 'length'}
FLAGS = {'--rest-insecure': 'insecure'}
LAST_LINES = 10000


class Refused(Exception):
    """Something a person has to read."""


# ---- the connection -----------------------------------------------------------------------------


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
            raise Refused('log on first: dlicmd --logon --username U --password P')
        basic = base64.b64encode(f'{user}:{password}'.encode()).decode()
        status, _, body = self._send('GET', '/auth/v1/logon', {'Authorization': f'Basic {basic}'})
        if status != 200:
            raise Refused(f'log-on failed: {body.decode(errors="replace").strip()}')
        self._token = json.loads(body)['accessToken']
        return self._token

    def _find_token(self):
        if self._token:
            return self._token
        if os.path.exists(TOKEN_FILE):
            with open(TOKEN_FILE, encoding='ascii') as kept:
                self._token = kept.read().strip()
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
        """Logs off."""
        if os.path.exists(TOKEN_FILE):
            self._send('POST', '/auth/v1/logoff', {'Authorization': f'Bearer {self._find_token()}'})
            os.unlink(TOKEN_FILE)


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
APP_COLUMNS = ['id', 'name', 'consumer', 'submit_user', 'state', 'task12n_num', 'used_gpu']


# ---- commands -----------------------------------------------------------------------------------


def logon(door, options, words):
    """--logon"""
    token = door.log_on()
    with open(os.open(TOKEN_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w', encoding='ascii') as out:
        out.write(token)
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
    """A gzip-compressed tar whose one top folder is `name`."""
    path = os.path.join(tempfile.mkdtemp(prefix='dlicmd.'), f'{name}.modelDir.tar')
    with tarfile.open(path, 'w:gz') as archive:
        archive.add(folder, arcname=name)
    return path


def parts_of(words):
    """(args, files): the words to be sent on, and the files that go with them."""
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
    for path in files:
        if not os.path.isfile(path):
            raise Refused(f'{path}: no such file')
        body.write(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{os.path.basename(path)}"\r\n'
                   'Content-Type: application/octet-stream\r\n\r\n'.encode())
        with open(path, 'rb') as data:
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
    begun = json.loads(door.ask('POST', '/execs/', f'args={text}', headers=headers, body=body)[2])
    print(json.dumps({'execId': begun['id'], 'appId': begun['appId']}, indent=2))


def exec_get(door, options, words):
    """--exec-get ID"""
    show(door.json('GET', f'/execs/{one(words)}'), options, [])


def exec_get_all(door, options, words):
    """--exec-get-all"""
    show(door.json('GET', '/execs/'), options, EXEC_COLUMNS)


def exec_stop(door, options, words):
    """--exec-stop ID"""
    status, _, _ = door.ask('POST', f'/execs/{one(words)}/stop')
    print(f'Stop exec {words[0]} succeed. HTTP:{status} ')


def exec_delete(door, options, words):
    """--exec-delete ID"""
    status, _, _ = door.ask('DELETE', f'/execs/{one(words)}')
    print(f'Delete exec {words[0]} succeed. HTTP:{status} ')


def exec_delete_all(door, options, words):
    """--exec-delete-all"""
    status, _, _ = door.ask('DELETE', '/execs')
    print(f'Delete all execs succeed. HTTP:{status} ')


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


DEPLOY_TEXTS = {'--name': 'name', '--runtime': 'runtime', '--kernel': 'kernel', '--weight': 'weight', '--tag': 'tag'}
DEPLOY_PAIRS = {'--attributes': 'attributes', '--envs': 'environments'}


def exec_deploy(door, options, words):
    """--exec-deploy ID --name N …"""
    wanted, rest = {}, iter(words[1:])
    for word in rest:
        name, _, value = word.partition('=')
        value = value or next(rest, '')
        if name in DEPLOY_TEXTS:
            wanted[DEPLOY_TEXTS[name]] = value
        elif name in DEPLOY_PAIRS:
            wanted[DEPLOY_PAIRS[name]] = dict(pair.split('=', 1) for pair in value.split(',') if '=' in pair)
        else:
            raise Refused(f'{word}: not an option of --exec-deploy')
    if not wanted.get('name'):
        raise Refused('--exec-deploy: --name is missing')
    _, _, said = door.ask('POST', f'/execs/{one(words[:1])}/deploy', headers={'Content-Type': 'application/json'}, body=json.dumps(wanted).encode())
    print(json.loads(said)['status'])


def status(door, options, words):
    """--status"""
    show(door.json('GET', '/status'), options, [])


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
        state = door.json('GET', f'/execs/{one(words)}')['state']
        print(state, flush=True)
        if state in TERMINAL:
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
    door.ask('DELETE', f'/resplans/resplan/{urllib.parse.quote(one(words), safe="")}')


def objects(door, options, words):
    """--k8s-obj-get-all TYPE and the like: executions are jobs, not objects of Kubernetes."""
    kind = words[0] if words else 'paralleljob'
    query = f'type={urllib.parse.quote(kind)}' + (f'&name={urllib.parse.quote(words[1])}' if len(words) > 1 else '')
    show(door.json('GET', '/scheduler/kubernetesobjects', query), options, [])


def plans(door, options, words):
    """--rp-get-all"""
    show(door.json('GET', '/resplans/resplantree'), options, [])


def plan(door, options, words):
    """--rp-get NAME"""
    show(door.json('GET', f'/resplans/resplan/{urllib.parse.quote(one(words), safe="")}'), options, [])


HPO_COLUMNS = ['hpoName', 'state', 'progress', 'running', 'complete', 'failed', 'createtime', 'creator', 'duration']


def hpo_path(name, *more):
    """The address of a search."""
    return '/'.join(['/hypersearch', urllib.parse.quote(name, safe=''), *more])


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


def hpo_get(door, options, words):
    """--hpo-get ID"""
    show(door.json('GET', hpo_path(one(words))), options, [])


def hpo_get_all(door, options, words):
    """--hpo-get-all"""
    show(door.json('GET', '/hypersearch'), options, HPO_COLUMNS)


def hpo_act(method, verb, *more):
    """--hpo-stop ID… and the like"""
    def run(door, options, words):
        for name in words or [one(words)]:
            done, _, _ = door.ask(method, hpo_path(name, *more))
            print(f'{verb} hpo {name} succeed. HTTP:{done} ')
    return run


def hpo_delete_all(door, options, words):
    """--hpo-delete-all"""
    done, _, _ = door.ask('DELETE', '/hypersearch')
    print(f'Delete all hpo succeed. HTTP:{done} ')


def algorithm_get_all(door, options, words):
    """--hpo-algorithm-get-all"""
    show(door.json('GET', '/hypersearch/algorithm'), options, ['name', 'type', 'creator', 'createtime', 'path'])


def algorithm_get(door, options, words):
    """--hpo-algorithm-get NAME"""
    show(door.json('GET', '/hypersearch/algorithm/' + urllib.parse.quote(one(words), safe='')), options, [])


def algorithm_delete(door, options, words):
    """--hpo-algorithm-delete NAME"""
    done, _, _ = door.ask('DELETE', '/hypersearch/algorithm/' + urllib.parse.quote(one(words), safe=''))
    print(f'Delete hpo algorithm {words[0]} succeed. HTTP:{done} ')


def one(words):
    """The id that a command is about."""
    if len(words) < 1:
        raise Refused('which one? an id is wanted')
    return words[0]


ACTIVE, OVER = 'NEW,SUBMITTED,PENDING_CRD_SCHEDULER,LAUNCHING,RUNNING', 'FINISHED,KILLED,ERROR'
COMMANDS = {
    '--logon': logon, '--logoff': logoff, '--status': status, '--dl-frameworks': frameworks,
    '--dl-runtime': runtime, '--framework-install': framework_install, '--framework-uninstall': framework_uninstall,
    '--exec-start': exec_start, '--exec-get': exec_get, '--exec-get-all': exec_get_all, '--exec-stop': exec_stop,
    '--exec-delete': exec_delete, '--exec-delete-all': exec_delete_all, '--exec-trainresult': exec_result,
    '--exec-deploy': exec_deploy,
    '--exec-trainlogs': train_logs('outerrlog'), '--exec-trainoutlogs': train_logs('outlog'),
    '--exec-trainerrlogs': train_logs('errlog'), '--exec-outlogs': worker_logs('stdout'),
    '--exec-errlogs': worker_logs('stderr'), '--exec-launcherlogs': worker_logs('launcherlog'),
    '--app-get': app_get, '--app-get-all': app_list(ACTIVE), '--app-history-get-all': app_list(OVER),
    '--app-wait': app_wait, '--app-stop': app_stop, '--app-stop-all': app_stop_all,
    '--app-outlogs': worker_logs('stdout'), '--app-errlogs': worker_logs('stderr'),
    '--app-launcherlogs': worker_logs('launcherlog'), '--app-analyze': app_analyze, '--rp-delete': plan_delete,
    '--pj-get-all': objects, '--k8s-obj-get-all': objects, '--k8s-obj-get': objects,
    '--rp-get-all': plans, '--rp-get': plan,
    '--hpo-start': hpo_start, '--hpo-get': hpo_get, '--hpo-get-all': hpo_get_all, '--hpo-stop': hpo_act('PUT', 'Stop'),
    '--hpo-restart': hpo_act('PUT', 'Restart', 'restart'), '--hpo-delete': hpo_act('DELETE', 'Delete'),
    '--hpo-delete-all': hpo_delete_all, '--hpo-algorithm-get-all': algorithm_get_all,
    '--hpo-algorithm-get': algorithm_get, '--hpo-algorithm-delete': algorithm_delete,
}


def split(words):
    """(options of ours, the other words). What follows -- is never ours."""
    options, rest, i = {}, [], 0
    end = words.index('--') if '--' in words else len(words)
    while i < end:
        name, equals, value = words[i].partition('=')
        if name in FLAGS:
            options[FLAGS[name]] = True
        elif name in CONNECTION and not equals and i + 1 >= end:
            raise Refused(f'{name}: a value is missing')
        elif name in CONNECTION:
            options[CONNECTION[name]] = value if equals else words[i + 1]
            i += 0 if equals else 1
        else:
            rest.append(words[i])
        i += 1
    return options, rest + words[end:]


def main():
    """Runs the command that the first word names."""
    words = sys.argv[1:]
    if not words or words[0] in ('--help', '-h'):
        print(__doc__.strip())
        return 0 if words else 1
    command = COMMANDS.get(words[0])
    try:
        if command is None:
            raise Refused(f'{words[0]}: no such command, see dlicmd --help')
        options, rest = split(words[1:])
        command(Door(options), options, rest)
    except BrokenPipeError:
        return 1
    except (Refused, ValueError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
