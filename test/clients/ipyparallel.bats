#!/usr/bin/env bats
# Role: Debian's ipyparallel, unmodified, starts its engines as a job array, uses and ends them.

load lib
setup_file() { cluster_up --nodes 2 --cpus 2 --mem 4G; }
teardown_file() { cluster_down; }
setup() { client ipcluster; cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "two engines are an array of jobs, answer, and end when they are stopped" {
  cat >engines.py <<'CLIENT'
import ipyparallel

cluster = ipyparallel.Cluster(engine_launcher_class='lsf', n=2)
client = cluster.start_and_connect_sync()
client.wait_for_engines(2, timeout=120)
print('squares', client[:].map_sync(lambda x: x * x, range(5)))
print('jobs', sorted(client[:].apply_sync(lambda: __import__('os').environ['LSB_JOBINDEX'])))
client.close()
cluster.stop_cluster_sync()
CLIENT
  HOME=$BATS_TEST_TMPDIR IPYTHONDIR=$BATS_TEST_TMPDIR/ipython run timeout 300 "$PYTHON" engines.py
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *"squares [0, 1, 4, 9, 16]"* ]]
  [[ $output == *"jobs ['1', '2']"* ]]
  over() { [ -z "$(bjobs -noheader -o jobid 2>/dev/null)" ]; }
  wait_for 20 over
}
