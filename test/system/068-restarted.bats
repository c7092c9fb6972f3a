#!/usr/bin/env bats
# Role: sizes of jobs that are started again at each size, by what they report: a torchrun script says with
# one line how fast it is; of two jobs the one that makes more of hosts ends with more of them, by gain and, where
# tasks must be worth it, under fairshare.

load lib
setup_file() {
  cat >"$BATS_FILE_TMPDIR/queues.conf" <<'END'
[gain]
priority = 50
elastic = goodput
[equal]
priority = 50
END
  printf '[times]\nrestart_quiet = 2s\n[scheduler]\nelastic_worth = 50\n' >"$BATS_FILE_TMPDIR/wm.conf"
  cluster_up --nodes 4 --cpus 1 --gpus 1 --conf "$BATS_FILE_TMPDIR/queues.conf" --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

holds() { [ "$(field "$1" nalloc_slot)" = "$2" ]; }
paces() { bjobs -l "$1" | tr -d '\n' | tr -s ' ' | grep -qE "$2"; }
# A launcher as torchrun is one, of one process a host.
fake_torchrun() {
  cat >torchrun <<END
#!/bin/sh
export RANK=\$PET_NODE_RANK WORLD_SIZE=\$PET_NNODES
exec $PYTHON "$BATS_TEST_DIRNAME/restarted.py" "\$@"
END
  chmod +x torchrun
}
elastic_job() { submit -q "${queue:-gain}" -app training -ar -n 1,4 -gpu num=1 ./torchrun "$@"; }

@test "a torchrun script says with one line how fast its steps are at each size, and what a change costs" {
  torchrun_works
  cp "$BATS_TEST_DIRNAME/ddp_train.py" .
  sed -i -e 's/^import torch$/import torch\nimport wm_steps/' -e 's/range(5)/range(10**9)/' \
    -e 's/^\(optimizer = .*\)$/\1\nwm_steps.watch(optimizer, samples=8)/' ddp_train.py
  grep -c wm_steps ddp_train.py | grep -qx 2
  # torchrun's logs stay in TMPDIR
  job=$(TMPDIR=$PWD submit -q gain -app training -ar -n 1,2 -gpu num=1 "$PYTHON" -m torch.distributed.run -r 1 -t 1 ddp_train.py)
  wait_for 60 paces "$job" 'Pace 2 on 2 hosts [0-9.]+ms a step of 16;'
  bresize release 1 "$job"
  wait_for 60 paces "$job" 'Pace 1 on 1 hosts [0-9.]+ms a step of 8; 2 on 2 hosts .* a change costs [0-9.]+s;'
  is "$job" attempt 1
}

@test "the job that makes more of hosts gets them by new starts, once that is worth what a start costs" {
  fake_torchrun
  bad=$(elastic_job 60)
  wait_for 40 paces "$bad" 'Pace 4 on 4 hosts'
  good=$(elastic_job 240 each)
  sizes() { holds "$good" 3 && holds "$bad" 1; }
  wait_for 90 sizes
  wait_for 40 paces "$good" '3 on 3 hosts .* a change costs [0-9.]+s;'
  wait_for 40 paces "$bad" 'Pace 1 on 1 hosts'
  is "$good" attempt 1
  is "$bad" attempt 1
  # Starts of its command in the attempt: as many as sizes, not one for every pass of the scheduler.
  [ "$(sort -u "starts.$good" | wc -l)" -le 4 ]
  # What was learned survives the master.
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  wait_for 20 paces "$good" '3 on 3 hosts .* a change costs [0-9.]+s;'
  sizes
}

@test "under fairshare, too, one that makes nothing of more hosts leaves them to who does" {
  fake_torchrun
  queue=equal
  bad=$(elastic_job 60)
  wait_for 40 paces "$bad" 'Pace 4 on 4 hosts'
  good=$(elastic_job 240 each)
  sizes() { holds "$good" 3 && holds "$bad" 1; }
  wait_for 90 sizes
}
