// Role: see acct_schema.h. A step that was released is never changed: a new one is appended.
#include "libwm/store/acct/acct_schema.h"

#include <array>

namespace wm::store {
namespace {

constexpr std::array<const char*, 7> kAcctSteps = {
    "CREATE TABLE mark (id INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL);"
    "INSERT INTO mark VALUES (1, 0);"
    "CREATE TABLE job (job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  user TEXT NOT NULL, name TEXT NOT NULL, queue TEXT NOT NULL, app TEXT NOT NULL,"
    "  plan TEXT NOT NULL, project TEXT NOT NULL, command TEXT NOT NULL, cwd TEXT NOT NULL,"
    "  submit_host TEXT NOT NULL, exec_hosts TEXT NOT NULL, state TEXT NOT NULL,"
    "  reason TEXT NOT NULL, submitted INTEGER NOT NULL, dispatched INTEGER NOT NULL,"
    "  started INTEGER NOT NULL, ended INTEGER NOT NULL, exit_status INTEGER NOT NULL,"
    "  term INTEGER NOT NULL, attempt INTEGER NOT NULL, resizes INTEGER NOT NULL,"
    "  slots INTEGER NOT NULL, gpus INTEGER NOT NULL, cpu INTEGER NOT NULL,"
    "  slot_time INTEGER NOT NULL, gpu_time INTEGER NOT NULL, max_mem INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx)) WITHOUT ROWID;"
    "CREATE TABLE allocation (job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL, task INTEGER NOT NULL, host TEXT NOT NULL,"
    "  gpus INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx, attempt, task)) WITHOUT ROWID;"
    "CREATE TABLE job_event (job INTEGER NOT NULL, idx INTEGER NOT NULL, seq INTEGER NOT NULL,"
    "  part INTEGER NOT NULL, time INTEGER NOT NULL, event TEXT NOT NULL, from_n INTEGER NOT NULL,"
    "  to_n INTEGER NOT NULL, reason TEXT NOT NULL, pause_us INTEGER NOT NULL,"
    "  steps_lost INTEGER NOT NULL, PRIMARY KEY (job, idx, seq, part)) WITHOUT ROWID;"
    "CREATE TABLE usage (day INTEGER NOT NULL, user TEXT NOT NULL, plan TEXT NOT NULL,"
    "  queue TEXT NOT NULL, jobs_done INTEGER NOT NULL, jobs_exited INTEGER NOT NULL,"
    "  cpu INTEGER NOT NULL, slot_time INTEGER NOT NULL, gpu_time INTEGER NOT NULL,"
    "  PRIMARY KEY (day, user, plan, queue)) WITHOUT ROWID;",
    "CREATE INDEX job_by_user ON job (user, job, idx);"
    // what makes way by being stopped has an event of its own
    "UPDATE job_event SET event = 'PARK'"
    "  WHERE event = 'SUSPEND' AND reason NOT LIKE 'by %';",
    // A row a task becomes a row for each part of its holding. What version 2 did not keep (CPUs,
    // memory, hosts' own history) stays empty until badmin rebuild-acct makes all rows anew.
    "CREATE TABLE allocation_3 (job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL, task INTEGER NOT NULL, part INTEGER NOT NULL, host TEXT NOT NULL,"
    "  class INTEGER NOT NULL, slots INTEGER NOT NULL, milli_cpus INTEGER NOT NULL,"
    "  gpus INTEGER NOT NULL, gpueq INTEGER NOT NULL, mem INTEGER NOT NULL,"
    "  gpu_list TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,"
    "  member_at INTEGER NOT NULL, seq INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx, attempt, task, part)) WITHOUT ROWID;"
    "INSERT INTO allocation_3 SELECT job, idx, attempt, task, 0, host, 0, 1000, 0, gpus, gpus, 0,"
    "  '', start, end, 0, 0 FROM allocation;"
    "DROP TABLE allocation;"
    "ALTER TABLE allocation_3 RENAME TO allocation;"
    "CREATE INDEX allocation_by_end ON allocation (end);"
    "CREATE INDEX allocation_by_start ON allocation (start);"
    "CREATE TABLE attempt (job INTEGER NOT NULL, idx INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    "  user TEXT NOT NULL, plan TEXT NOT NULL, queue TEXT NOT NULL, project TEXT NOT NULL,"
    "  app TEXT NOT NULL, tasks INTEGER NOT NULL, dispatched INTEGER NOT NULL,"
    "  started INTEGER NOT NULL, ended INTEGER NOT NULL, outcome TEXT NOT NULL,"
    "  term INTEGER NOT NULL, exit_status INTEGER NOT NULL, host TEXT NOT NULL,"
    "  cpu INTEGER NOT NULL, max_mem INTEGER NOT NULL, own_wait INTEGER NOT NULL,"
    "  queue_wait INTEGER NOT NULL, slot_ms INTEGER NOT NULL, cpu_mms INTEGER NOT NULL,"
    "  gpu_mms INTEGER NOT NULL, gpueq_mms INTEGER NOT NULL, mem_mib_s INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx, attempt)) WITHOUT ROWID;"
    "CREATE INDEX attempt_by_end ON attempt (ended);"
    "CREATE INDEX attempt_by_dispatch ON attempt (dispatched);"
    "INSERT INTO attempt SELECT job, idx, attempt, user, plan, queue, project, app, slots,"
    "  dispatched, started, ended, CASE ended WHEN 0 THEN '' ELSE state END, term, exit_status, '',"
    "  cpu, max_mem, 0, dispatched - submitted, slot_time / 1000, 0, gpu_time, gpu_time, 0"
    "  FROM job WHERE attempt > 0 AND dispatched > 0;"
    "CREATE INDEX job_by_end ON job (ended);"
    "CREATE INDEX job_by_submit ON job (submitted);"
    // of the words that reports ask for
    "CREATE INDEX resize_by_time ON job_event (time) WHERE event = 'RESIZE';"
    "CREATE INDEX epoch_by_time ON job_event (time) WHERE event = 'EPOCH';"
    "CREATE INDEX promise_by_time ON job_event (time) WHERE event = 'PROMISE_ERROR';"
    "CREATE TABLE host_span (host TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,"
    "  state TEXT NOT NULL, by_whom TEXT NOT NULL, why TEXT NOT NULL, slots INTEGER NOT NULL,"
    "  milli_cpus INTEGER NOT NULL, mem INTEGER NOT NULL, seq INTEGER NOT NULL,"
    "  PRIMARY KEY (host, since)) WITHOUT ROWID;"
    "CREATE TABLE gpu_span (host TEXT NOT NULL, uuid TEXT NOT NULL, since INTEGER NOT NULL,"
    "  until INTEGER NOT NULL, idx INTEGER NOT NULL, model TEXT NOT NULL, gpueq INTEGER NOT NULL,"
    "  state TEXT NOT NULL, why TEXT NOT NULL, seq INTEGER NOT NULL,"
    "  PRIMARY KEY (host, uuid, since)) WITHOUT ROWID;"
    "CREATE TABLE plan_span (path TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,"
    "  shares INTEGER NOT NULL, owns INTEGER NOT NULL, lim INTEGER NOT NULL,"
    "  lend INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (path, since)) WITHOUT ROWID;"
    "ALTER TABLE mark ADD COLUMN horizon INTEGER NOT NULL DEFAULT 0;",
    // true ends, and what was asked for
    "ALTER TABLE attempt ADD COLUMN late_slot_ms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN late_cpu_mms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN late_gpu_mms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN late_gpueq_mms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN late_mem_mib_s INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN ask_run INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN min_tasks INTEGER NOT NULL DEFAULT 1;"
    "ALTER TABLE attempt ADD COLUMN max_tasks INTEGER NOT NULL DEFAULT 1;"
    "ALTER TABLE attempt ADD COLUMN elastic INTEGER NOT NULL DEFAULT 0;"
    "UPDATE attempt SET min_tasks = tasks, max_tasks = tasks;",
    // Sums of jobs by the six hours of their end; the first opening adds up those there are
    // (acct_sums.cc). The index finds a user's jobs of these hours.
    "CREATE TABLE job_sum (user TEXT NOT NULL, since INTEGER NOT NULL, plan TEXT NOT NULL,"
    "  queue TEXT NOT NULL, project TEXT NOT NULL, app TEXT NOT NULL, done INTEGER NOT NULL,"
    "  jobs INTEGER NOT NULL, ran INTEGER NOT NULL,"
    "  cpu INTEGER NOT NULL, cpu_most INTEGER NOT NULL, cpu_least INTEGER NOT NULL,"
    "  wait INTEGER NOT NULL, wait_most INTEGER NOT NULL, wait_least INTEGER NOT NULL,"
    "  around INTEGER NOT NULL, around_most INTEGER NOT NULL, around_least INTEGER NOT NULL,"
    "  run INTEGER NOT NULL, run_most INTEGER NOT NULL, run_least INTEGER NOT NULL,"
    "  hog INTEGER NOT NULL, hog_most INTEGER NOT NULL, hog_least INTEGER NOT NULL,"
    "  expansion INTEGER NOT NULL, expansion_most INTEGER NOT NULL,"
    "  expansion_least INTEGER NOT NULL,"
    "  slot_time INTEGER NOT NULL, gpu_time INTEGER NOT NULL, first_end INTEGER NOT NULL,"
    "  last_end INTEGER NOT NULL, promise_0 INTEGER NOT NULL, promise_1 INTEGER NOT NULL,"
    "  promise_2 INTEGER NOT NULL, promise_3 INTEGER NOT NULL, promise_4 INTEGER NOT NULL,"
    "  promise_5 INTEGER NOT NULL,"
    "  PRIMARY KEY (user, since, plan, queue, project, app, done)) WITHOUT ROWID;"
    "CREATE INDEX job_ended_by_user ON job (user, ended) WHERE ended > 0;"
    "ALTER TABLE mark ADD COLUMN sums INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE job ADD COLUMN service_class TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE job ADD COLUMN reservation TEXT NOT NULL DEFAULT '';",
    "ALTER TABLE job ADD COLUMN gpu_energy_mj INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE job_sum ADD COLUMN gpu_energy_mj INTEGER NOT NULL DEFAULT 0;"};

}  // namespace

const Schema kAcctSchema = {"accounting database", 0x574d6163, kAcctSteps};

}  // namespace wm::store
