#!/usr/bin/env bats
# Role: inference services over gRPC on real daemons: through nginx with its TLS and token, streams keep
# their order, groups their kernel, what is late is discarded, and KServe's protocol v2.

load lib
setup_file() { make_stubs && cluster_up --web --nodes 2 --cpus 4; }
teardown_file() { cluster_down; }
setup() {
  need_grpc
  cluster_env
  export HOME=$BATS_TEST_TMPDIR DLIM=$WM_GATEWAY_URL/dlim/v1
  cd "$BATS_TEST_TMPDIR" || return
  cp -r "$TOP/libwm/kernel/examples/ping" .
}
after_each() {
  end_all_jobs
  wait_for 20 bash -c '[ "$(bjobs 2>&1)" = "No unfinished job found" ]'
  for model in $(dlim model list | tail -n +2 | cut -d' ' -f1); do dlim model undeploy -f "$model"; done
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $(dlim config -s)" "$@"; }
# started POLICY: ping with so much of a profile
started() {
  echo "{\"policy\": {\"schedule_interval\": 1, $1}}" >profile.json
  dlim model deploy -p ping && dlim model updateprofile ping -f profile.json && dlim model start ping
  wait_for 20 bash -c "[ \"\$(curl -sS --cacert '$WM_GATEWAY_CA' -H 'Authorization: Bearer $(dlim config -s)' -d up '$DLIM/inference/ping')\" = 'pong up' ]"
}
# a kernel that says which process it is, and how many tasks its call had
telling_kernel() {
  cat >ping/kernel.py <<'K'
import os, time
import redhareapiversion
from redhareapi import Kernel

class Telling(Kernel):
    def on_task_invoke(self, task_context):
        tasks = [task_context]
        while tasks[-1].next() is not None:
            tasks.append(tasks[-1].next())
        for task in tasks:
            data = task.get_input_data()
            if data.startswith('sleep '):
                time.sleep(float(data.split()[1]))
            task.set_output_data('pong up' if data == 'up' else f'{os.getpid()} {len(tasks)} {data}')

if __name__ == '__main__':
    Telling().run()
K
}

@test "each task of a stream has an answer, in order; an error is one task's; who has no token is told so" {
  started '"kernel_min": 2, "kernel_max": 2'
  cat >run.py <<'P'
from ask import code_of, stream, task
words = [f'word {n}' for n in range(200)]
words[7] = 'fail'
answers = list(stream(task(n, word) for n, word in enumerate(words)))
assert [a.id for a in answers] == list(range(200))
assert answers[7].status == 500 and answers[7].data == b'ValueError: asked to fail'
assert all(a.status == 200 and a.data == b'pong ' + w.encode() for a, w in zip(answers, words) if w != 'fail')
big = 'x' * (8 << 20)
assert [len(a.data) for a in stream([task(1, big), task(2, big)])] == [len(big) + 5] * 2
assert list(stream([])) == []
assert code_of(lambda: list(stream([task(1, 'x', 'other')]))) == 'NOT_FOUND'
assert code_of(lambda: list(stream([task(1, 'x', '../ping')]))) == 'NOT_FOUND'
for who in ([], [('authorization', 'Bearer no.such.token')], [('x-wm-agent', '/tmp/x'), ('x-wm-token', 'x')]):
    assert code_of(lambda: list(stream([task(1, 'x')], who))) == 'UNAUTHENTICATED', who
print('fine')
P
  run client run.py
  [ "$output" = fine ] || { echo "$output"; return 1; }
  [ "$(door "$DLIM/model/ping/streaming" | jq -r .streaming_service_uri)" = "${WM_GATEWAY_URL#https://}" ]
  [ "$(door "$DLIM/model/ping" | jq -r .stream_uri)" = "${WM_GATEWAY_URL#https://}" ]
}

@test "a service token is enough for a stream" {
  started '"kernel_min": 1, "kernel_max": 1'
  TOKEN=$(door -X POST "$DLIM/auth/token/inference" | jq -r .service_token)
  echo "from ask import *; print(next(stream([task(1, 'x')])).data, KSERVE.ServerReady(kserve_pb2.ServerReadyRequest(), metadata=WHO).ready)" >run.py
  run client run.py
  [ "$output" = "b'pong x' True" ] || { echo "$output"; return 1; }
}

@test "groups: streams of one share a kernel and its batches, others have another one" {
  telling_kernel
  started '"kernel_min": 2, "kernel_max": 2, "stream_number_per_group": 2, "task_batch_size": 4'
  cat >run.py <<'P'
import queue, threading
from ask import stream, task

class Open:
    """A stream that goes on for as long as it is fed."""
    def __init__(self):
        self.tasks = queue.Queue()
        self.answers = stream(iter(self.tasks.get, None))
    def ask(self, word):
        self.tasks.put(task(1, word))
        return next(self.answers).data.decode().split()

streams = []
for _ in range(4):
    streams.append(Open())
    streams[-1].ask('first')
kernels = [{s.ask('again')[0] for _ in range(10)} for s in streams]
assert all(len(k) == 1 for k in kernels), kernels
assert kernels[0] == kernels[1] and kernels[2] == kernels[3] and kernels[0] != kernels[2], kernels
# While the first is worked on those of the others of its group wait for that kernel, though one is idle.
sizes = []
asking = [threading.Thread(target=lambda s=s: sizes.append(s.ask('sleep 0.2')[0])) for s in streams[:2]]
for one in asking: one.start()
for one in asking: one.join()
assert set(sizes) == kernels[0], (sizes, kernels)
for s in streams: s.tasks.put(None)
print('fine')
P
  run client run.py
  [ "$output" = fine ] || { echo "$output"; return 1; }
}

@test "slow tasks: a late one is discarded unless the profile says that none is; others are answered" {
  telling_kernel
  started '"kernel_min": 1, "kernel_max": 1, "task_execution_timeout": 2'
  cat >run.py <<'P'
from ask import stream, task
answers = list(stream([task(n, 'sleep 0.7') for n in range(6)]))
assert [a.id for a in answers] == list(range(6))
print(sum(a.status == 200 for a in answers), [a.discarded for a in answers].index(True), sum(a.discarded and a.status == 504 for a in answers))
P
  run client run.py
  [ "$output" = "3 3 3" ] || { echo "$output"; return 1; }
  sed -i 's/"task_execution/"stream_discard_slow_tasks": false, &/' profile.json
  dlim model updateprofile ping -f profile.json
  echo "from ask import *; print([(a.status, a.discarded) for a in stream([task(n, 'sleep 0.7') for n in range(6)])] == [(200, False)] * 6)" >run.py
  run client run.py
  [ "$output" = True ] || { echo "$output"; return 1; }
}

@test "a client that sends more than is worked on has to wait, and one that goes away harms nobody" {
  started '"kernel_min": 1, "kernel_max": 1'
  cat >run.py <<'P'
import threading
from ask import stream, task
sent = 0
def many():
    global sent
    while True:
        yield task(sent, 'sleep 0.1' if sent == 0 else 'sleep 30' if sent == 1 else 'x' * (1 << 20))
        sent += 1
answers = stream(many())
assert next(answers).id == 0
last = -1
while last != sent:  # until it is held up
    last = sent
    threading.Event().wait(1)
assert 32 <= sent <= 100, sent
answers.cancel()
print('fine')
P
  run client run.py
  [ "$output" = fine ] || { echo "$output"; return 1; }
  pid=$(pgrep -f "sbin/wgrpc --socket $(dirname "$WM_GATEWAY_CA")")
  dlim model stop -f ping && wait_for 40 bash -c 'dlim model view ping -s | grep -q "^State:.Stopped"'
  dlim model start ping
  echo "from ask import *; print(next(stream([task(1, 'x')])).data)" >run.py
  run client run.py
  [ "$output" = "b'pong x'" ] || { echo "$output"; return 1; }
  settled() { [ "$(ls "/proc/$pid/task" | wc -l)" -lt 40 ]; }
  wait_for 20 settled
}

@test "when it is killed streams end with an error that says so, and begin anew when it is back" {
  started '"kernel_min": 1, "kernel_max": 1'
  cat >run.py <<'P'
import sys
from ask import code_of, stream, task
answers = stream([task(1, 'x'), task(2, 'sleep 5')])
assert next(answers).status == 200
print('begun', flush=True)
print(code_of(lambda: next(answers)))
P
  client run.py >said & one=$!
  wait_for 20 grep -q begun said
  "$MINICLUSTER" kill wgrpc
  wait $one
  grep -qxE 'UNAVAILABLE|INTERNAL' said || { cat said; return 1; } # nginx cuts off what it has begun to pass on
  echo "from ask import *; print(code_of(lambda: next(stream([task(1, 'x')]))))" >run.py
  run client run.py
  [[ $output == *UNAVAILABLE ]] || { echo "$output"; return 1; }
  "$MINICLUSTER" start wgrpc
  echo "from ask import *; print(next(stream([task(1, 'x')])).data)" >run.py
  run client run.py
  [ "$output" = "b'pong x'" ] || { echo "$output"; return 1; }
}

@test "KServe's protocol v2: live, ready, tensors as contents and raw" {
  sed -i 's/"attributes": *\[\]/"attributes": [{"key": "protocol", "value": "kserve-v2"}]/' ping/model.json
  grep -q kserve-v2 ping/model.json
  cat >ping/kernel.py <<'K'
import json
import redhareapiversion
from redhareapi import Kernel

class Doubling(Kernel):
    def on_task_invoke(self, task_context):
        data = task_context.get_input_data()
        if data == 'up':
            return task_context.set_output_data('pong up')
        request = json.loads(data)
        outputs = [{**one, 'data': [2 * x for x in one['data']]} for one in request['inputs']]
        task_context.set_output_data(json.dumps({'model_name': 'ping', 'id': request['id'], 'outputs': outputs}))

if __name__ == '__main__':
    Doubling().run()
K
  started '"kernel_min": 1, "kernel_max": 1'
  cat >run.py <<'P'
import struct
from ask import KSERVE, WHO, code_of, kserve_pb2 as k
assert KSERVE.ServerLive(k.ServerLiveRequest(), metadata=WHO).live
assert KSERVE.ServerReady(k.ServerReadyRequest(), metadata=WHO).ready
assert KSERVE.ModelReady(k.ModelReadyRequest(name='ping'), metadata=WHO).ready
assert code_of(lambda: KSERVE.ModelReady(k.ModelReadyRequest(name='none'), metadata=WHO)) == 'NOT_FOUND'
def ask(inputs, raw=()):
    return KSERVE.ModelInfer(k.ModelInferRequest(model_name='ping', id='7', inputs=inputs, raw_input_contents=raw), metadata=WHO)
def tensor(datatype, shape, **contents):
    return k.ModelInferRequest.InferInputTensor(name='input', datatype=datatype, shape=shape, contents=k.InferTensorContents(**contents))
answer = ask([tensor('FP32', [1, 2], fp32_contents=[0.5, 3])])
assert answer.id == '7' and list(answer.outputs[0].shape) == [1, 2] and list(answer.outputs[0].contents.fp32_contents) == [1.0, 6.0]
answer = ask([tensor('INT64', [2]), tensor('BYTES', [2])], [struct.pack('<qq', -4, 5), struct.pack('<I2sI0s', 2, b'ab', 0, b'')])
assert list(answer.outputs[0].contents.int64_contents) == [-8, 10]
assert list(answer.outputs[1].contents.bytes_contents) == [b'abab', b'']
assert code_of(lambda: ask([tensor('FP16', [1])])) == 'INVALID_ARGUMENT'
assert code_of(lambda: ask([tensor('INT64', [1])], [b'abc'])) == 'INVALID_ARGUMENT'
assert code_of(lambda: ask([tensor('BYTES', [1])], [struct.pack('<I', 9)])) == 'INVALID_ARGUMENT'
assert code_of(lambda: ask([tensor('INT8', [1])], [b'a', b'b'])) == 'INVALID_ARGUMENT'
print('fine')
P
  run client run.py
  [ "$output" = fine ] || { echo "$output"; return 1; }
}
