"""Role: many requests at one service while its kernels come and go, are killed, and its profile changes.

usage: serve_faults.py MODEL REQUESTS [once]     in the folder where the kernel writes `seen`: a line a task that it begins

  clients ─► requests in bursts with pauses, so that kernels go from kernel_min to kernel_max and back
  killer  ─► kill -9 of one kernel a second          changer ─► another profile now and then
Exit 0: every request has one answer, which is its own or an explicit 429, 503 or 504 that says when to come again; with
`once` no request was begun twice. Prints the counts as JSON. Environment: WM_GATEWAY_URL, WM_GATEWAY_CA, TOKEN.
Callers: 096-services.bats.
"""

import collections
import http.client
import json
import os
import random
import signal
import ssl
import sys
import threading
import time
import urllib.parse

MODEL, REQUESTS, ONCE = sys.argv[1], int(sys.argv[2]), sys.argv[3:] == ['once']
CLIENTS, BURST_S, PAUSE_S = 24, 4.0, 3.5
URL = urllib.parse.urlsplit(os.environ['WM_GATEWAY_URL'])
CONTEXT = ssl.create_default_context(cafile=os.environ['WM_GATEWAY_CA'])
HEADERS = {'Authorization': 'Bearer ' + os.environ['TOKEN']}
EXPLICIT = (429, 503, 504)

LOCK, OVER = threading.Lock(), threading.Event()
ANSWERS, LOST, SILENT, WRONG = collections.Counter(), [], [], []
CHANGES = collections.Counter()
KERNELS = collections.Counter()


def connection():
    """A new one."""
    return http.client.HTTPSConnection(URL.hostname, URL.port, context=CONTEXT, timeout=120)


def numbers():
    """Those of the requests, each once."""
    for number in range(REQUESTS):
        yield number


def client(source, began):
    """Asks until there is nothing left to ask."""
    link = connection()
    while True:
        with LOCK:
            number = next(source, None)
        if number is None:
            return
        phase = (time.monotonic() - began) % (BURST_S + PAUSE_S)
        if phase > BURST_S:
            time.sleep(BURST_S + PAUSE_S - phase)
        body = f'sleep 0.01 {number}'
        try:
            link.request('POST', f'/dlim/v1/inference/{MODEL}', body, HEADERS)
            reply = link.getresponse()
            text, status, again = reply.read().decode(), reply.status, reply.headers.get('Retry-After')
        except (OSError, http.client.HTTPException) as problem:
            with LOCK:
                LOST.append(f'{number}: {problem!r}')
            link.close()
            link = connection()
            continue
        with LOCK:
            ANSWERS[status] += 1
            if status == 200 and text != 'pong ' + body:
                WRONG.append(f'{number}: {text[:80]}')
            if status not in (200, *EXPLICIT):
                WRONG.append(f'{number}: {status} {text[:80]}')
            if status in (429, 503) and not again:
                SILENT.append(f'{number}: {status}')


def pids():
    """Of its kernels."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as line:
                if f'/services/{MODEL}/'.encode() in (words := line.read()) and b'kernel.py' in words and b'python3' in words.split(b'\0')[0]:
                    found.append(int(pid))
        except OSError:
            pass
    return found


def killer():
    """One a second."""
    dice = random.Random(7)
    while not OVER.wait(1.0):
        there = pids()
        KERNELS[len(there)] += 1
        if there:
            try:
                os.kill(dice.choice(there), signal.SIGKILL)
                CHANGES['killed'] += 1
            except ProcessLookupError:
                pass


def changer():
    """Sizes, batches and limits that may change while it runs. What comes at a bad moment is told to come again."""
    link = connection()
    path = f'/dlim/v1/model/{MODEL}/appprofile'
    link.request('GET', path, headers=HEADERS)
    profile = json.loads(link.getresponse().read())
    most = profile['policy']['kernel_max']
    turn = 0
    while not OVER.wait(0.8):
        turn += 1
        profile['policy'].update(kernel_max=max(1, most - turn % 2), task_batch_size=1 + turn % 3, task_pipe_size=1 + turn % 2)
        try:
            link.request('PUT', path, json.dumps(profile), HEADERS)
            reply = link.getresponse()
            text = reply.read().decode()
        except (OSError, http.client.HTTPException):
            link.close()
            link = connection()
            continue
        CHANGES[f'profile {reply.status}'] += 1
        if reply.status not in (200, 503):
            WRONG.append(f'profile: {reply.status} {text[:200]}')
        if reply.status == 503 and not reply.headers.get('Retry-After'):
            SILENT.append(f'profile: {text[:80]}')


def main():
    """See the head of this file."""
    source, began = numbers(), time.monotonic()
    clients = [threading.Thread(target=client, args=(source, began)) for _ in range(CLIENTS)]
    others = [threading.Thread(target=killer), threading.Thread(target=changer)]
    for thread in clients + others:
        thread.start()
    for thread in clients:
        thread.join()
    OVER.set()
    for thread in others:
        thread.join()
    with open('seen', encoding='utf-8') as lines:
        begun = collections.Counter(line.split()[-1] for line in lines)
    doubled = [number for number, count in begun.items() if count > 1]
    print(json.dumps({'requests': REQUESTS, 'answers': dict(sorted(ANSWERS.items())), 'lost': LOST[:5], 'wrong': WRONG[:5], 'without Retry-After': SILENT[:5],
                      'begun twice': len(doubled), 'changes': dict(CHANGES), 'kernels seen': dict(sorted(KERNELS.items())),
                      'seconds': round(time.monotonic() - began, 1)}))
    fine = not (LOST or WRONG or SILENT) and sum(ANSWERS.values()) == REQUESTS and ANSWERS[200] > REQUESTS // 2
    sys.exit(0 if fine and not (ONCE and doubled) else 1)


if __name__ == '__main__':
    main()
