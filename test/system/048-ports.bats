#!/usr/bin/env bats
# Role: the port that the processes of a job are told to meet at (MASTER_PORT): one of its own
# for every job of a host, bound before it is told, the same on all hosts of a job.

load lib
setup_file() { cluster_up --nodes 2 --cpus 50; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

# Serves at the job's port as rank 0 of torch does, says so, and stays until told to go.
make_server() {
  cat >server.py <<'END'
import os, socket, time
place = (os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT']))

def verdict():
    try:
        socket.socket().bind(place)
        return 'free'
    except OSError:
        return 'held'

before = verdict()
name = os.environ['LSB_JOBID'] + '.' + os.environ['LSB_JOBINDEX']
if 'LATE' in os.environ:
    open('said.' + name, 'w').close()
    while not os.path.exists('go'):
        time.sleep(0.05)
    with open('after.' + name, 'w') as out:
        print(verdict(), file=out)
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(place)
server.listen()
with open('said.' + name + '.new', 'w') as out:
    print(place[1], before, file=out)
os.rename('said.' + name + '.new', 'said.' + name)
while not os.path.exists('go'):
    time.sleep(0.05)
END
}
have_said() { [ "$(find . -maxdepth 1 -name 'said.*' ! -name '*.new' | wc -l)" -eq "$1" ]; }

@test "fifty jobs at once on one host have a port each" {
  make_server
  job=$(submit -app training -m node1 -J 'p[1-50]' $PYTHON server.py)
  wait_for 60 have_said 50
  touch go
  [ "$(cut -d' ' -f1 said.* | sort -u | wc -l)" -eq 50 ]
  [ "$(grep -c ' held$' said.* | grep -c ':1$')" -eq 50 ]
  wait_for 60 bash -c "[ \"\$(bjobs -noheader -o stat $job | grep -c DONE)\" -eq 50 ]"
}

@test "the hosts of a job are told of one port" {
  job=$(submit -app training -n 4 -R 'span[ptile=2]' 'echo $MASTER_ADDR $MASTER_PORT >at.$RANK')
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(cat at.0 at.1 at.2 at.3 | sort -u | wc -l)" -eq 1 ]
  [[ $(cat at.0) =~ ^127\.[0-9.]+\ [0-9]+$ ]]
}

@test "a port stays the job's over a restart of its host's wnoded" {
  make_server
  job=$(LATE=1 submit -app training -m node1 $PYTHON server.py)
  wait_for 30 have_said 1
  "$MINICLUSTER" kill wnoded node1
  "$MINICLUSTER" start node1
  wait_for 20 grep -q 'attempt_adopted' "$CLUSTER/log/node1.out"
  touch go
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(cat after.*)" = held ]
}
