#!/usr/bin/env bats
# Role: jobs with affinity[] have CPUs of their own, also after wnoded was killed between them.

load lib
setup_file() {
  cores=$(lscpu -p=CORE | grep -v '^#' | sort -u | wc -l)
  [ "$cores" -ge 2 ] || return 0
  cluster_up --nodes 1 --cpus "$cores"
}
teardown_file() { cluster_down; }
setup() {
  [ "$(lscpu -p=CORE | grep -v '^#' | sort -u | wc -l)" -ge 2 ] || skip "this machine has one core"
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
}

bound() { # NAME: submits a job that says what it may use, and stays
  submit -R 'affinity[core(1):membind=localonly]' -o "$1.txt" \
    "grep Cpus_allowed_list /proc/self/status >$1; echo \"\$LSB_BIND_CPU_LIST\" >>$1; cat \"\$LSB_AFFINITY_HOSTFILE\" >>$1
     echo whole >>$1; while [ ! -e go ]; do sleep 0.1; done"
}
said() { grep -qx whole "$1"; }
cpus_of() { sed -n 2p "$1"; }
expand() { $PYTHON -c 'import sys
print(",".join(str(c) for part in sys.argv[1].split(",") for c in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)))' "$1"; }

@test "two jobs are bound to different cores, and are told which" {
  one=$(bound a)
  wait_for 20 said a
  "$MINICLUSTER" kill wnoded node1
  "$MINICLUSTER" start node1
  two=$(bound b)
  wait_for 30 said b
  for name in a b; do
    [ "$(expand "$(sed -n 's/Cpus_allowed_list:\t//p' "$name")")" = "$(cpus_of "$name")" ]
    grep -qx "node1 $(cpus_of "$name")" "$name"
  done
  [ "$(comm -12 <(cpus_of a | tr , '\n' | sort) <(cpus_of b | tr , '\n' | sort) | wc -l)" -eq 0 ]
  touch go
  ran_out "$one"
  ran_out "$two"
}

@test "a task's memory comes from the nodes of its CPUs, as membind says" {
  [ -e /proc/self/numa_maps ] || skip "the kernel knows no memory nodes"
  bash -c 'cat /proc/self/numa_maps' | grep -q ' default ' || skip "tests run with a memory policy of their own"
  for pair in localonly=bind localprefer=prefer =default; do
    word=${pair%=*} policy=${pair#*=}
    rm -f maps out.txt
    job=$(submit -R "affinity[core(1)${word:+:membind=$word}]" -o out.txt \
      'cat /proc/self/numa_maps >maps; echo "<$LSB_BIND_MEM_POLICY $LSB_BIND_MEM_LIST>"')
    ran_out "$job"
    [ "$(awk '{ sub(":.*", "", $2); print $2 }' maps | sort -u)" = "$policy" ] || { head -3 maps; return 1; }
    grep -qE "^<$word ${word:+[0-9]}" out.txt
  done
  run bsub -R 'affinity[core(1):membind=far]' true
  [ "$status" -ne 0 ] && [[ $output == *"membind= localonly or localprefer is wanted"* ]] || { echo "$output"; return 1; }
}

@test "a core is free again when its job has ended" {
  touch go
  one=$(bound a)
  ran_out "$one"
  two=$(bound b)
  ran_out "$two"
  [ "$(cpus_of a)" = "$(cpus_of b)" ]
}

@test "a job without affinity may use them all and has no such variables" {
  job=$(submit -o out.txt 'echo "<$LSB_BIND_CPU_LIST$LSB_AFFINITY_HOSTFILE>"')
  ran_out "$job"
  grep -qx '<>' out.txt
}
