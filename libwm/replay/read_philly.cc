// The Microsoft Philly list: timestamp,duration,num_gpus,gpu_time,cluster; wall-clock times, the
// first job is submitted at 0.
// @source Jeon et al., Analysis of Large-Scale Multi-Tenant GPU Clusters, ATC 2019
#include <algorithm>
#include <cstdio>

#include "libwm/replay/lines.h"
#include "libwm/replay/read.h"

namespace wm::replay {
namespace {

// Days since 1970-01-01 of a date of the Gregorian calendar.
// @source Fliegel, van Flandern, Communications of the ACM 11(10), 1968
std::int64_t days_of(int year, int month, int day) {
  std::int64_t shifted = (month - 14) / 12;
  std::int64_t julian = (1461 * (year + 4800 + shifted)) / 4 +
                        (367 * (month - 2 - 12 * shifted)) / 12 -
                        (3 * ((year + 4900 + shifted) / 100)) / 4 + day - 32075;
  return julian - 2440588;
}

Result<double> time_of(const Line& line) {
  WM_TRY(auto word, line.word_at(0, "timestamp"));
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, used = 0;
  int found = std::sscanf(word.c_str(), "%4d-%2d-%2d %2d:%2d:%2d%n", &year, &month, &day, &hour,
                          &minute, &second, &used);
  bool sane = found == 6 && used == static_cast<int>(word.size()) && year >= 1970 && month >= 1 &&
              month <= 12 && day >= 1 && day <= 31 && hour >= 0 && hour < 24 && minute >= 0 &&
              minute < 60 && second >= 0 && second <= 60;
  if (!sane) {
    return bad_line(line.number,
                    "field 1 (timestamp): '" + word.substr(0, 40) + "' is not YYYY-MM-DD HH:MM:SS");
  }
  return static_cast<double>(days_of(year, month, day) * 86400 + hour * 3600L + minute * 60L +
                             second);
}

}  // namespace

Result<Workload> read_philly(std::string_view text) {
  WM_TRY(auto lines, table_lines(text, "timestamp,duration,num_gpus,gpu_time,cluster"));
  Workload workload;
  double first = 0;
  for (const Line& line : lines) {
    TraceJob job;
    WM_TRY(job.submit_s, time_of(line));
    WM_TRY(double duration, line.number_at(1, "duration", 0, 1e10));
    WM_TRY(job.tasks, line.count_at(2, "num_gpus", 0, 100'000));
    WM_TRY(job.user, line.word_at(4, "cluster"));
    if (duration <= 0 || job.tasks == 0) continue;
    job.name = "philly-" + std::to_string(line.number);
    job.min_tasks = job.max_tasks = job.tasks;
    job.milli_gpus = 1000;
    job.work = linear_work(duration, job.tasks);
    first = workload.jobs.empty() ? job.submit_s : std::min(first, job.submit_s);
    workload.jobs.push_back(std::move(job));
  }
  for (TraceJob& job : workload.jobs) job.submit_s -= first;
  return workload;
}

}  // namespace wm::replay
