#!/usr/bin/env bats
# Role: Debian's batchtools (R), unmodified, with its cluster functions for LSF.

load lib
setup_file() { cluster_up --nodes 2 --cpus 2 --mem 4G; }
teardown_file() { cluster_down; }
setup() {
  client Rscript
  Rscript -e 'quit(status = !requireNamespace("batchtools", quietly = TRUE))' ||
    skip "batchtools is not installed (scripts/bootstrap clients)"
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
}

@test "jobs of a registry are submitted, waited for and collected" {
  cat >lsf.tmpl <<'TEMPLATE'
#BSUB-J <%= job.name %>                   # name of the job
#BSUB-o <%= log.file %>                   # its output
#BSUB-q <%= resources$queue %>
#BSUB-W <%= round(resources$walltime / 60, 1) %>
#BSUB-M <%= resources$memory %>M
Rscript -e 'batchtools::doJobCollection("<%= uri %>")'
TEMPLATE
  cat >squares.R <<'SCRIPT'
library(batchtools)
reg <- makeRegistry(file.dir = file.path(getwd(), "registry"), conf.file = NA)
reg$cluster.functions <- makeClusterFunctionsLSF(template = "lsf.tmpl")
batchMap(function(x) if (x == 4) stop("as was asked") else x^2, x = 1:4)
submitJobs(resources = list(queue = "normal", walltime = 300, memory = 500))
done <- waitForJobs(sleep = 1, timeout = 200)
cat("all well", done, "\n")
cat("squares", unlist(reduceResultsList(findDone())), "\n")
cat("failed", findErrors()$job.id, "\n")
SCRIPT
  HOME=$BATS_TEST_TMPDIR run timeout 300 Rscript squares.R
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *"squares 1 4 9"* ]]
  [[ $output == *"failed 4"* ]]
}
