// Role: see report_schema.h. A step that was released is never changed: a new one is appended.
#include "libwm/store/report/report_schema.h"

#include <array>

namespace wm::store {
namespace {

constexpr std::array<const char*, 2> kReportSteps = {
    "CREATE TABLE meta (id INTEGER PRIMARY KEY, zone TEXT NOT NULL, rolled_seq INTEGER NOT NULL);"
    "INSERT INTO meta VALUES (1, '', 0);"
    "CREATE TABLE hour (start INTEGER PRIMARY KEY, len INTEGER NOT NULL, final INTEGER NOT NULL);"
    "CREATE TABLE dim (id INTEGER PRIMARY KEY, user TEXT NOT NULL, plan TEXT NOT NULL,"
    "  queue TEXT NOT NULL, project TEXT NOT NULL, app TEXT NOT NULL,"
    "  UNIQUE (user, plan, queue, project, app));"
    "CREATE TABLE use_hour (hour INTEGER NOT NULL, dim INTEGER NOT NULL, class INTEGER NOT NULL,"
    "  slot_ms INTEGER NOT NULL, cpu_mms INTEGER NOT NULL, gpu_mms INTEGER NOT NULL,"
    "  gpueq_mms INTEGER NOT NULL, mem_mib_s INTEGER NOT NULL,"
    "  PRIMARY KEY (hour, dim, class)) WITHOUT ROWID;"
    "CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE host_hour (hour INTEGER NOT NULL, host INTEGER NOT NULL, class INTEGER NOT NULL,"
    "  slot_ms INTEGER NOT NULL, cpu_mms INTEGER NOT NULL, gpu_mms INTEGER NOT NULL,"
    "  gpueq_mms INTEGER NOT NULL, PRIMARY KEY (hour, host, class)) WITHOUT ROWID;"
    "CREATE TABLE plan_hour (hour INTEGER NOT NULL, plan TEXT NOT NULL, owned INTEGER NOT NULL,"
    "  used INTEGER NOT NULL, borrowed INTEGER NOT NULL, lent INTEGER NOT NULL,"
    "  beyond INTEGER NOT NULL, PRIMARY KEY (hour, plan)) WITHOUT ROWID;"
    "CREATE TABLE ends_hour (hour INTEGER NOT NULL, dim INTEGER NOT NULL, outcome TEXT NOT NULL,"
    "  n INTEGER NOT NULL, cpu_us INTEGER NOT NULL, cpu_mms INTEGER NOT NULL,"
    "  mem_mib_s INTEGER NOT NULL, mem_peak_mib_s INTEGER NOT NULL,"
    "  PRIMARY KEY (hour, dim, outcome)) WITHOUT ROWID;"
    "CREATE TABLE refund (hour INTEGER NOT NULL, job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL, kind INTEGER NOT NULL, dim INTEGER NOT NULL,"
    "  slot_ms INTEGER NOT NULL, cpu_mms INTEGER NOT NULL, gpu_mms INTEGER NOT NULL,"
    "  gpueq_mms INTEGER NOT NULL, mem_mib_s INTEGER NOT NULL,"
    "  PRIMARY KEY (hour, job, idx, attempt, kind)) WITHOUT ROWID;"
    "CREATE TABLE sent (report TEXT NOT NULL, period TEXT NOT NULL, recipient TEXT NOT NULL,"
    "  at INTEGER NOT NULL, PRIMARY KEY (report, period, recipient)) WITHOUT ROWID;"
    "CREATE TABLE restated (hour INTEGER NOT NULL, at INTEGER NOT NULL, old INTEGER NOT NULL,"
    "  new INTEGER NOT NULL, PRIMARY KEY (hour, at)) WITHOUT ROWID;",
    // A row a host and hour becomes a few bytes (report_db.cc moves what there is, then drops it).
    "CREATE TABLE host_pack (hour INTEGER PRIMARY KEY, hosts BLOB NOT NULL);"
    "CREATE TABLE class_hour (hour INTEGER NOT NULL, class INTEGER NOT NULL,"
    "  slot_ms INTEGER NOT NULL, cpu_mms INTEGER NOT NULL, gpu_mms INTEGER NOT NULL,"
    "  gpueq_mms INTEGER NOT NULL, PRIMARY KEY (hour, class)) WITHOUT ROWID;"
    "INSERT INTO class_hour SELECT hour, class, sum(slot_ms), sum(cpu_mms), sum(gpu_mms),"
    "  sum(gpueq_mms) FROM host_hour GROUP BY hour, class;"};

constexpr std::array<const char*, 2> kMeterSteps = {
    "CREATE TABLE task_meter (job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL, task INTEGER NOT NULL, hour INTEGER NOT NULL, host TEXT NOT NULL,"
    "  seen_us INTEGER NOT NULL, busy_us INTEGER NOT NULL, energy_mj INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx, attempt, task, hour)) WITHOUT ROWID;"
    "CREATE INDEX task_meter_by_hour ON task_meter (hour);",
    "CREATE TABLE plan_meter (hour INTEGER NOT NULL, path TEXT NOT NULL, gpus INTEGER NOT NULL,"
    "  seen_ms INTEGER NOT NULL, demand INTEGER NOT NULL, deserved INTEGER NOT NULL,"
    "  unmet INTEGER NOT NULL, PRIMARY KEY (hour, path, gpus)) WITHOUT ROWID;"
    "CREATE TABLE clock_step (at INTEGER PRIMARY KEY, step INTEGER NOT NULL);"
    "CREATE TABLE host_meter (hour INTEGER NOT NULL, host TEXT NOT NULL,"
    "  seen_us INTEGER NOT NULL, energy_mj INTEGER NOT NULL, PRIMARY KEY (hour, host))"
    "  WITHOUT ROWID;"
    "ALTER TABLE task_meter ADD COLUMN cpu_us INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE task_meter ADD COLUMN cpu_seen_us INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE task_meter ADD COLUMN mem_peak INTEGER NOT NULL DEFAULT 0;"};

}  // namespace

const Schema kReportSchema = {"report database", 0x574d7270, kReportSteps};
const Schema kMeterSchema = {"database of measured use", 0x574d6d74, kMeterSteps};

}  // namespace wm::store
