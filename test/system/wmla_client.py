"""Role: a client as users of WMLA have written theirs, from the description of its surface alone (wmla-surface 1, 5,
6.4, 7, 8): each flow in the style of its generation, with nothing of ours but the address and the key.

  wmla_client.py FLOW     token | basic | form | search | service | plans
Environment: WM_GATEWAY_URL, WM_API_KEY. Callers: 099-web-wmla.bats.
"""

import base64
import getpass
import io
import json
import os
import ssl
import sys
import tarfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zipfile

HOST = os.environ['WM_GATEWAY_URL']
BASE = HOST + '/platform/rest/deeplearning/v1'
USER, PASSWORD = getpass.getuser(), os.environ['WM_API_KEY']
BASIC = {'Authorization': 'Basic ' + base64.b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}
UNVERIFIED = ssl._create_unverified_context()  # as every one of those clients
KEEP_WAITING = ('SUBMITTED', 'RUNNING', 'PENDING_CRD_SCHEDULER')
SCRIPT = '''
import argparse, json, os
parser = argparse.ArgumentParser()
parser.add_argument('--epochs', type=int, default=1)
options = parser.parse_args()
config = json.load(open('config.json')) if os.path.exists('config.json') else {}
os.makedirs(os.environ['RESULT_DIR'] + '/model', exist_ok=True)
open(os.environ['RESULT_DIR'] + '/model/saved_model.pt', 'w').write('weights')
for name in ('DATA_DIR', 'RESULT_DIR', 'LOG_DIR', 'DLI_EXECID', 'DLI_RESULT_FS', 'DLI_DATA_FS', 'USER'):
    os.environ[name]
assert os.environ['RESULT_DIR'] == '%s/%s/batchworkdir/%s' % (os.environ['DLI_RESULT_FS'], os.environ['USER'], os.environ['DLI_EXECID'])
json.dump([{'step': 1, 'loss': float(config.get('lr', 0.5)) ** 2}], open(os.environ['RESULT_DIR'] + '/val_dict_list.json', 'w'))
print('Test loss: 0.25', 'epochs', options.epochs)
'''


def call(method, url, headers=None, body=None):
    """(status, headers, bytes), also of a refusal."""
    request = urllib.request.Request(url, body, headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, context=UNVERIFIED, timeout=120) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers, refused.read()


def wanted(what, holds, seen=''):
    """Says what did not hold."""
    if not holds:
        sys.exit(f'{what}: {str(seen)[:400]}')


def model_dir(compressed=True):
    """A folder as dlicmd packs it: one top directory; the large-model tutorial's has none and is not compressed."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w:gz' if compressed else 'w') as tar:
        name = 'mnist/main.py' if compressed else './main.py'
        info = tarfile.TarInfo(name)
        info.size = len(SCRIPT)
        tar.addfile(info, io.BytesIO(SCRIPT.encode()))
    return out.getvalue()


def multipart(files, fields=()):
    """(body, headers), as requests makes them."""
    boundary, body = uuid.uuid4().hex, b''
    for name, value in fields:
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
    for name, data in files:
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode() + data + b'\r\n'
    return body + f'--{boundary}--\r\n'.encode(), {'Content-Type': f'multipart/form-data; boundary={boundary}'}


def until_over(headers, name):
    """The last state, by the poller of the notebooks."""
    end = time.time() + 120
    while time.time() < end:
        status, _, text = call('GET', f'{BASE}/execs/{name}', headers)
        wanted('a poll', status == 200, text)
        state = json.loads(text)['state']
        if state not in KEEP_WAITING:
            return state
        time.sleep(0.2)
    return 'never over'


def token():
    """Second generation: a token, arguments in the query, which are not encoded but for blanks."""
    status, _, text = call('GET', f'{HOST}/auth/v1/logon', {**BASIC, 'Content-Type': 'application/json'})
    wanted('log-on', status == 200, text)
    jwt = json.loads(text)['accessToken']
    claims = jwt.split('.')[1]
    claims = json.loads(base64.urlsafe_b64decode(claims + '=' * (-len(claims) % 4)))
    wanted('claims', (claims.get('username') or claims.get('sub')) == USER and claims['exp'] > time.time(), claims)
    for headers in ({'X-Auth-Token': jwt}, {'Authorization': f'Bearer {jwt}'}):
        conf = json.loads(call('GET', f'{BASE}/conf', headers)[2])
        wanted('/conf', conf.get('MSD_ENABLED') in ('true', 'false') and all(isinstance(v, str) for v in conf.values()), conf)
    frameworks = {f['name']: f for f in json.loads(call('GET', f'{BASE}/execs/frameworks', headers)[2])}
    wanted('six frameworks', {'PyTorch', 'distPyTorch', 'tensorflow', 'disttensorflow', 'edtPyTorch', 'edtTensorflow'} <= set(frameworks), list(frameworks))
    wanted('fields of one', frameworks['distPyTorch']['execMode'] == 'distributed' and frameworks['distPyTorch']['deployMode'] == 'cluster' and
           frameworks['PyTorch']['numWorkers'] == 1 and isinstance(frameworks['PyTorch']['desc'], list), frameworks['distPyTorch'])
    body, kind = multipart([('mnist.modelDir.tar', model_dir())])
    args = '--exec-start PyTorch --appName my-app --numWorker 1 --workerDeviceType cpu --model-main main.py --model-dir mnist --debug-level debug --epochs 3'
    status, _, text = call('POST', f'{BASE}/execs/?args={args.replace(" ", "%20")}', {**headers, **kind}, body)
    wanted('submit', status == 200, text)
    begun = json.loads(text)
    name = begun['id']
    wanted('names of one', begun['appId'] == begun['submissionId'] == name, begun)
    wanted('it finishes', until_over(headers, name) == 'FINISHED', call('GET', f'{BASE}/execs/{name}/log', headers)[2])
    shown = json.loads(call('GET', f'{BASE}/execs/{name}', headers)[2])
    wanted('its fields', shown['appName'] == 'my-app' and shown['framework'] == 'PyTorch' and shown['elastic'] is False and shown['numWorker'] == 1 and
           shown['creator'] == USER and shown['createTime'].endswith('Z') and all(not isinstance(v, (dict, list)) for k, v in shown.items() if k != 'dataSource'), shown)
    log = call('GET', f'{BASE}/execs/{name}/log?logType=outlog&args={args.replace(" ", "%20")}', {**headers, 'Accept': 'text/plain'})[2].decode()
    wanted('its log', 'Test loss: 0.25 epochs 3' in log, log)
    status, fields, result = call('GET', f'{BASE}/execs/{name}/result?args=x', headers)
    pieces = [p[len('filename='):] for p in fields['Content-Disposition'].split(';') if p.startswith('filename=')]
    wanted('the name of the zip', pieces and pieces[0].startswith('dlpd-model-') and pieces[0].endswith('-result.zip'), fields['Content-Disposition'])
    wanted('its size, last', fields['Content-Disposition'].split('size=')[-1] == str(len(result)), fields['Content-Disposition'])
    wanted('the model in it', any(n.endswith('model/saved_model.pt') for n in zipfile.ZipFile(io.BytesIO(result)).namelist()), status)
    app = json.loads(call('GET', f'{BASE}/scheduler/engine/applications/{name}', headers)[2])
    wanted('an application in a list', isinstance(app, list) and int(app[0]['submit_time']) > 0 and app[0]['consumer'].startswith('/') and app[0]['state'] == 'FINISHED', app)
    wanted('a worker\'s log', b'Test loss' in call('GET', f'{BASE}/scheduler/applications/{name}/executor/1/logs/stdout?lastlines=100', headers)[2], name)
    wanted('objects of no Kubernetes', json.loads(call('GET', f'{BASE}/scheduler/kubernetesobjects?type=pod', headers)[2]) == {'items': []})
    wanted('an unknown id is 400', call('GET', f'{BASE}/execs/{name}0', headers)[0] == 400)
    wanted('delete', call('DELETE', f'{BASE}/execs/{name}', headers)[0] == 204)
    wanted('log-off', call('POST', f'{HOST}/auth/v1/logoff', headers)[0] == 200)
    wanted('nothing after it', call('GET', f'{BASE}/execs', headers)[0] == 401)


def basic():
    """First generation: Basic with each call, sigName, the resource group, an elastic job's options; Conductor's calls."""
    wanted('log-on', call('GET', f'{HOST}/platform/rest/conductor/v1/auth/logon', BASIC)[0] // 100 == 2)
    body, kind = multipart([('mnist.modelDir.tar', model_dir())])
    args = '--exec-start PyTorch041 --ig sig-1 --python-version 3.6 --model-main main.py --model-dir mnist'
    status, _, text = call('POST', f'{BASE}/execs?sigName=sig-1&args={urllib.parse.quote(args)}', {**BASIC, **kind}, body)
    wanted('submit', status == 200, text)
    name = json.loads(text)['id']
    wanted('it finishes', until_over(BASIC, name) == 'FINISHED', call('GET', f'{BASE}/execs/{name}/log', BASIC)[2])
    old = f'{HOST}/platform/rest/conductor/v1/instances/sig-1/applications'
    apps = json.loads(call('GET', f'{old}?state=FINISHED', BASIC)[2])
    mine = [a for a in apps if a['driver']['id'] == name]
    wanted('it is listed', mine and 'apprunduration' in mine[0] and 'gpuslots' in mine[0] and mine[0]['executors'][0]['id'], apps)
    wanted('its log', b'Test loss' in call('GET', f'{old}/{name}/logs/stdout/download', BASIC)[2], name)
    wanted('stop of what is over', call('PUT', f'{BASE}/scheduler/applications/{name}/stop', BASIC)[0] // 100 == 2)
    status, _, text = call('POST', f'{BASE}/execs?args=--exec-start%20nothing%20--model-main%20x.py', {**BASIC, **kind}, body)
    wanted('an unknown framework', status == 400 and text.startswith(b'Error 400: '), text)


def form():
    """Later releases: arguments and hardwareSpec in the field `data`; a tar without compression or top folder."""
    data = {'args': '--exec-start distPyTorch --user-cmd -- bash -c env',
            'hardwareSpec': {'nodes': {'num_nodes': 2, 'mem': {'size': '64m'}, 'gpu': {'num_gpu': 0}, 'cpu': {'units': '0.25'}}}}
    body, kind = multipart([('code.tar', model_dir(False))], [('data', json.dumps(data))])
    status, _, text = call('POST', f'{BASE}/execs', {**BASIC, **kind}, body)
    wanted('submit', status == 200, text)
    name = json.loads(text)['id']
    wanted('two nodes', json.loads(text)['numWorker'] == 2, text)
    wanted('it finishes', until_over(BASIC, name) == 'FINISHED', call('GET', f'{BASE}/execs/{name}/log', BASIC)[2])
    log = call('GET', f'{BASE}/execs/{name}/log', BASIC)[2].decode()
    for variable in ('MASTER_ADDR=', 'MASTER_PORT=', 'WORLD_SIZE=2', 'RANK=0', 'RANK=1', 'NODE_RANK=', 'WMLA_NWORKER=2', 'WMLA_WORKER_NDEVICE='):
        wanted(f'{variable} in its environment', variable in log, log[-1500:])


def search():
    """Hyperparameters: create, poll, best, list, delete."""
    data = {'modelSpec': {'args': '--exec-start PyTorch --model-main main.py --model-dir mnist'},
            'algoDef': {'algorithm': 'Random', 'maxRunTime': -1, 'maxJobNum': 3, 'maxParalleJobNum': 2, 'objectiveMetric': 'loss', 'objective': 'minimize'},
            'hyperParams': [{'name': 'lr', 'type': 'Range', 'dataType': 'DOUBLE', 'minDbVal': 0.1, 'maxDbVal': 1, 'userDefined': False}]}
    body, kind = multipart([('mnist.modelDir.tar', model_dir())], [('data', json.dumps(data))])
    status, _, text = call('POST', f'{BASE}/hypersearch', {**BASIC, **kind}, body)
    wanted('create', status == 200, text)
    name, end, task = json.loads(text)['uid'], time.time() + 120, {}
    while time.time() < end and task.get('state') not in ('FINISHED', 'FAILED', 'STOPPED'):
        task = json.loads(call('GET', f'{BASE}/hypersearch/{name}', BASIC)[2])
        time.sleep(0.3)
    wanted('it finishes', task['state'] == 'FINISHED' and task['complete'] == 3 and task['progress'] == '3/3', task)
    best = min(task['experiments'], key=lambda e: e['metricVal'])
    wanted('the best', task['best']['id'] == best['id'] and best['hyperParams'][0]['dataType'] == 'double' and isinstance(best['hyperParams'][0]['fixedVal'], str), task['best'])
    wanted('its execution', call('GET', f'{BASE}/execs/{best["appId"]}', BASIC)[0] == 200)
    wanted('algorithms', {'Random', 'TPE', 'Hyperband'} <= {a['name'] for a in json.loads(call('GET', f'{BASE}/hypersearch/algorithm?type=BUILD_IN', BASIC)[2])})
    wanted('already over', call('PUT', f'{BASE}/hypersearch/{name}', BASIC)[0] == 400)
    wanted('delete', call('DELETE', f'{BASE}/hypersearch/{name}', BASIC)[0] == 204)


def service():
    """Inference: tokens, deploy, start, ask, stop, undeploy."""
    status, _, text = call('POST', f'{HOST}/dlim/v1/auth/token', BASIC)
    wanted('tokens', status == 200 and {'user_token', 'service_token', 'access_token'} <= set(json.loads(text)), text)
    user = {'X-Auth-Token': json.loads(text)['user_token']}
    narrow = {'Authorization': 'Bearer ' + json.loads(call('POST', f'{HOST}/dlim/v1/auth/token/inference', user)[2])['service_token']}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w:gz') as tar:
        tar.add(os.path.join(os.path.dirname(__file__), '../../libwm/kernel/examples/ping'), arcname='ping')
    wanted('deploy', call('POST', f'{HOST}/dlim/v1/deployment/model', {**user, 'Content-Type': 'application/octet-stream'}, out.getvalue())[0] == 200)
    wanted('start', call('PUT', f'{HOST}/dlim/v1/model/ping/operation/start', user)[0] // 100 == 2)
    status, _, text = call('POST', f'{HOST}/dlim/v1/inference/ping', narrow, b'hello')
    wanted('an answer', status == 200 and text == b'pong hello', (status, text))
    wanted('the service token starts nothing', call('GET', f'{BASE}/execs', narrow)[0] == 403)
    wanted('stop', call('PUT', f'{HOST}/dlim/v1/model/ping/operation/stop', user)[0] // 100 == 2)
    end = time.time() + 60
    while time.time() < end and call('DELETE', f'{HOST}/dlim/v1/model/ping', user)[0] // 100 != 2:
        time.sleep(0.3)
    wanted('undeploy', time.time() < end)


def plans():
    """The tree of resource plans."""
    tree = json.loads(call('GET', f'{BASE}/resplans/resplantree', BASIC)[2])
    wanted('a node', {'id', 'pid', 'childTreeDto'} <= set(tree), tree)
    wanted('it is changed elsewhere', call('DELETE', f'{BASE}/resplans/resplan/{tree["id"]}', BASIC)[0] == 403)


if __name__ == '__main__':
    {'token': token, 'basic': basic, 'form': form, 'search': search, 'service': service, 'plans': plans}[sys.argv[1]]()
