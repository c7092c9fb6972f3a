"""Role: what 099-web-faults.bats does to the web door: something is killed in the middle of an exchange, or the
client misbehaves. Says what it saw; exit 1 where a half answer was taken for a whole one, or a job is half.

  web_faults.py kill DAEMON upload|log|result     killed in the middle, by signal 9, and started again
  web_faults.py deep | traversal | words          bad input to every address that takes some
  web_faults.py idle N | slow | endless           connections that only cost
Environment: as of `minicluster env`, MINICLUSTER. Callers: 099-web-faults.bats.
"""

import base64
import getpass
import hashlib
import http.client
import json
import os
import select
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

WHERE = urllib.parse.urlsplit(os.environ['WM_GATEWAY_URL'])
TRUST = ssl.create_default_context(cafile=os.environ['WM_GATEWAY_CA'])
BASE, API = '/platform/rest/deeplearning/v1', '/api/v1'
SIZE = 24 << 20
LOST = (OSError, http.client.HTTPException)


def line(timeout=60):
    """A connection."""
    return http.client.HTTPSConnection(WHERE.hostname, WHERE.port, timeout=timeout, context=TRUST)


def token():
    """A token; asked for again while something is down."""
    basic = base64.b64encode(f'{getpass.getuser()}:{os.environ["WM_API_KEY"]}'.encode()).decode()
    return json.loads(patiently('GET', '/auth/v1/logon', {'Authorization': f'Basic {basic}'})[1])['accessToken']


def ask(method, path, headers, body=None):
    """(status, body)"""
    asked = line()
    try:
        asked.request(method, path, body, headers)
        answer = asked.getresponse()
        return answer.status, answer.read()
    finally:
        asked.close()


def patiently(method, path, headers, body=None):
    """The first answer that is no fault of a daemon that is down."""
    end = time.monotonic() + 60
    while True:
        try:
            status, text = ask(method, path, headers, body)
            if status < 500:
                return status, text
        except LOST:
            text = b'no answer'
        if time.monotonic() > end:
            sys.exit(f'{path}: not answered again: {text[:200]}')
        time.sleep(0.2)


def fail_unless(holds, what):
    """What must be."""
    if not holds:
        sys.exit(what)


def again(daemon):
    """Killed and, where it is not started by who needs it, started again."""
    minicluster = os.environ['MINICLUSTER']
    subprocess.run([minicluster, 'kill', daemon], check=True, stdout=subprocess.DEVNULL)
    if daemon != 'wuserd':
        subprocess.run([minicluster, 'start', daemon], check=True, stdout=subprocess.DEVNULL)


def form(data, name='big.bin'):
    """(head, tail, headers) around a file."""
    head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
    tail = b'\r\n--b--\r\n'
    return head, tail, {'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': str(len(head) + len(data) + len(tail))}


def start_path(command):
    """POST /execs of a command."""
    return f'{BASE}/execs?args=' + urllib.parse.quote(f'--exec-start PyTorch --user-cmd -- {command}')


def over(headers, name):
    """The state that it ends in."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        state = json.loads(patiently('GET', f'{BASE}/execs/{name}', headers)[1])['state']
        if state in ('FINISHED', 'KILLED', 'ERROR'):
            return state
        time.sleep(0.2)
    return 'never'


def upload(daemon):
    """In the middle of an upload; the same request again makes the one execution, whose code is whole."""
    headers, data, answer = {'X-Auth-Token': token()}, os.urandom(SIZE), []
    head, tail, kind = form(data)
    kind['Idempotency-Key'] = hashlib.sha256(data).hexdigest()
    path = start_path('sha256sum big.bin')
    before = len(json.loads(patiently('GET', f'{BASE}/execs', headers)[1]))

    def pieces():
        yield head
        for n in range(0, SIZE, SIZE // 12):
            yield data[n:n + SIZE // 12]
            time.sleep(0.08)
        yield tail

    def send():
        try:
            answer.append(ask('POST', path, {**headers, **kind}, pieces()))
        except LOST as problem:
            answer.append((0, str(problem).encode()))
    sender = threading.Thread(target=send)
    sender.start()
    time.sleep(0.5)
    again(daemon)
    sender.join()
    status, text = answer[0]
    fail_unless(status != 200 or 'id' in json.loads(text), f'{status}: half an answer: {text[:200]}')
    _, text = patiently('POST', path, {**headers, **kind}, head + data + tail)
    name = json.loads(text)['id']
    fail_unless(over(headers, name) == 'FINISHED', f'{name} did not finish')
    log = patiently('GET', f'{BASE}/execs/{name}/log', headers)[1].decode()
    fail_unless(hashlib.sha256(data).hexdigest() in log, f'its code is not whole: {log[:200]}')
    after = len(json.loads(patiently('GET', f'{BASE}/execs', headers)[1]))
    fail_unless(after == before + 1, f'{after - before} executions came of one request')
    print(f'{daemon} killed in an upload: answered {status}, one execution, whole')


def read_slowly(path, headers):
    """(status, length that was promised, bytes) of an answer that is read in pieces; None: it broke off."""
    asked = line()
    try:
        asked.request('GET', path, headers=headers)
        answer = asked.getresponse()
        promised, body = answer.headers.get('Content-Length'), b''
        while piece := answer.read(SIZE // 16):
            body += piece
            time.sleep(0.05)
        return answer.status, promised, body
    except LOST:
        return None
    finally:
        asked.close()


def fetched(daemon, what):
    """In the middle of a log, or of results."""
    headers = {'X-Auth-Token': token()}
    code = f'head -c {SIZE} /dev/urandom | base64 | tee $SAVED_MODEL_DIR/m'.encode()
    head, tail, kind = form(code, 'make.sh')
    _, text = patiently('POST', f'{BASE}/execs?args=' + urllib.parse.quote('--exec-start PyTorch --model-main make.sh'), {**headers, **kind}, head + code + tail)
    name = json.loads(text)['id']
    fail_unless(over(headers, name) == 'FINISHED', f'{name} did not finish')
    path = f'{BASE}/execs/{name}/{what}'
    whole = read_slowly(path, headers)
    seen = []
    reader = threading.Thread(target=lambda: seen.append(read_slowly(path, headers)))
    reader.start()
    time.sleep(0.4)
    again(daemon)
    reader.join()
    fail_unless(whole is not None and whole[0] == 200 and len(whole[2]) > SIZE, f'undisturbed: {whole and whole[0]}')
    got = seen[0]
    fail_unless(got is None or got[0] != 200 or got[2] == whole[2] or what == 'result' and len(got[2]) == len(whole[2]),
                f'half an answer that looks whole: {got and (got[0], len(got[2]))} of {len(whole[2])}')
    fail_unless((read_slowly(path, headers) or (0,))[0] == 200, 'not answered again')
    print(f'{daemon} killed in a {what}: {"broke off" if got is None else got[0]}')


def addresses(headers):
    """(method, path) of everything that the interface says it has."""
    document = json.loads(ask('GET', f'{API}/openapi.json', headers)[1])
    return [(method.upper(), path) for path, methods in document['paths'].items() for method in methods if method in ('get', 'post', 'put', 'delete')]


def alive(headers):
    """The same wuserd answers still."""
    fail_unless(ask('GET', f'{API}/session', headers)[0] == 200, 'it does not answer any more')


def filled(path, value):
    """A path with its places filled."""
    while '{' in path:
        start = path.index('{')
        path = path[:start] + value + path[path.index('}', start) + 1:]
    return path


def posts(name, bodies):
    """Every address that is written to gets these bodies; none is a fault of ours."""
    headers, count = {'X-Auth-Token': token()}, 0
    for method, path in addresses(headers):
        if method not in ('POST', 'PUT') or path.endswith('/stream'):
            continue
        for body in bodies:
            for kind in ('application/json', 'multipart/form-data; boundary=b'):
                sent = body if kind == 'application/json' else b'--b\r\nContent-Disposition: form-data; name="data"\r\n\r\n' + body + b'\r\n--b--\r\n'
                status, text = ask(method, filled(path, 'x'), {**headers, 'Content-Type': kind}, sent)
                fail_unless(status < 500 or status in (501, 503), f'{method} {path}: {status} {text[:200]}')
                count += 1
    alive(headers)
    print(f'{name}: {count} requests, none a fault')


def traversal():
    """Every place of every address, and every word that names a file, leads nowhere."""
    headers, count = {'X-Auth-Token': token()}, 0
    ways = ('..%2f..%2f..%2f..%2f..%2fetc%2fpasswd', '..%5c..%5cetc%5cpasswd', '%2e%2e%2f%2e%2e%2fetc%2fpasswd', '....%2f%2fetc%2fpasswd', '%2fetc%2fpasswd', '..', '%00', '..%c0%af..%c0%afetc%c0%afpasswd')
    for method, path in addresses(headers):
        if '{' not in path or path.endswith('/stream'):
            continue
        for way in ways:
            status, text = ask(method, filled(path, way), headers, b'{}' if method in ('POST', 'PUT') else None)
            fail_unless(status < 500 or status in (501, 503), f'{method} {path} with {way}: {status} {text[:200]}')
            fail_unless(b'root:x:' not in text, f'{method} {path} with {way} shows a file')
            count += 1
    for words in ('--model-main ../../../etc/passwd', '--model-main /etc/passwd', '--model-dir ../../etc --model-main passwd', '--cs-datastore-meta type=fs,data_path=../../etc --model-main x.py',
                  '--conda-env-yaml ../../../etc/passwd --model-main x.py', '--msd-image-pull-secret ../../x --model-main x.py'):
        head, tail, kind = form(b'print(1)', 'x.py')
        status, text = ask('POST', f'{BASE}/execs?args=' + urllib.parse.quote(f'--exec-start PyTorch {words}'), {**headers, **kind}, head + b'print(1)' + tail)
        fail_unless(status == 400, f'{words}: {status} {text[:200]}')
        count += 1
    alive(headers)
    print(f'traversal: {count} requests, none led out')


def idle(count):
    """So many connections that say nothing; who asks something is answered."""
    held = []
    for n in range(count):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex((WHERE.hostname, WHERE.port))
        held.append(one)
        if n % 500 == 0:
            time.sleep(0.05)
    time.sleep(1)
    began = time.monotonic()
    headers = {'X-Auth-Token': token()}
    patiently('GET', f'{API}/session', headers)
    print(f'{count} idle connections: answered after {time.monotonic() - began:.2f} s')
    fail_unless(time.monotonic() - began < 20, 'too late')


def slow():
    """A head that comes byte by byte is cut off; others do not notice."""
    headers = {'X-Auth-Token': token()}
    creepers = []
    for _ in range(50):
        creeper = TRUST.wrap_socket(socket.create_connection((WHERE.hostname, WHERE.port)), server_hostname=WHERE.hostname)
        creepers.append(creeper)
    cut, end = 0, time.monotonic() + 40
    text = b'GET /api/v1/session HTTP/1.1\r\nHost: x\r\nX: ' + b'a' * 400
    for letter in text:
        for creeper in list(creepers):
            try:
                creeper.send(bytes([letter]))
            except OSError:
                creepers.remove(creeper)
                cut += 1
        began = time.monotonic()
        alive(headers)
        fail_unless(time.monotonic() - began < 20, 'others wait')
        time.sleep(0.3)
        if not creepers or time.monotonic() > end:
            break
    fail_unless(cut == 50, f'{50 - cut} slow ones are held on to')
    print('slow heads: cut off, nobody else waited')


def endless():
    """A body without end to addresses that take small ones, and to an upload that stops saying anything."""
    headers = {'X-Auth-Token': token()}
    for path in (f'{API}/projects', f'{BASE}/execs/frameworks', '/auth/v1/logon'):
        asked = line()
        sent = 0

        def pieces():
            nonlocal sent
            while sent < 512 << 20 and not select.select([asked.sock], [], [], 0)[0]:
                sent += 1 << 16
                yield b'[' * (1 << 16)
        try:
            asked.request('POST', path, pieces(), {**headers, 'Content-Type': 'application/json'}, encode_chunked=True)
            status = asked.getresponse().status
        except LOST:
            status = 'broke off'
        fail_unless(status in (400, 413, 401, 'broke off') and sent < 400 << 20, f'{path}: {status} after {sent >> 20} MB')
        asked.close()
    alive(headers)
    print('bodies without end: refused')


def main():
    """One of them."""
    what = sys.argv[1]
    if what == 'kill':
        upload(sys.argv[2]) if sys.argv[3] == 'upload' else fetched(sys.argv[2], sys.argv[3])
    elif what == 'deep':
        posts('10,000 deep', [b'[' * 10000, b'{"a":' * 10000 + b'1' + b'}' * 10000, b'{"hpoName":' + b'[' * 10000 + b']' * 10000 + b'}'])
    elif what == 'words':
        posts('broken text', [b'{"name":"\xff\xfe\xc3("}', b'{"name":"\\ud800"}', b'\xff' * 300, b'{"name":"' + 'x\u202e<script>alert(1)</script>'.encode() * 2000 + b'"}', b'{"name":1e999}', b'null', b'"', b''])
    elif what == 'idle':
        idle(int(sys.argv[2]))
    else:
        {'traversal': traversal, 'slow': slow, 'endless': endless}[what]()


main()
