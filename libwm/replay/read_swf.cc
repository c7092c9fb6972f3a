// Standard Workload Format: one job a line, 18 columns, -1 = unknown.
// @source Chapin et al., Benchmarks and Standards for the Evaluation of Parallel Job
//         Schedulers, JSSPP 1999
#include "libwm/replay/lines.h"
#include "libwm/replay/read.h"

namespace wm::replay {
namespace {

constexpr double kYears = 1e10;
constexpr std::uint32_t kMaxTasks = 10'000'000;

// -1 stands for "unknown" everywhere.
Result<double> known(const Line& line, std::size_t position, std::string_view name) {
  if (position >= line.fields.size()) return -1.0;
  return line.number_at(position, name, -1, kYears);
}

Result<TraceJob> job_of(const Line& line) {
  TraceJob job;
  WM_TRY(auto id, line.word_at(0, "job number"));
  WM_TRY(job.submit_s, line.number_at(1, "submit time", 0, kYears));
  WM_TRY(double run_s, known(line, 3, "run time"));
  WM_TRY(double used, known(line, 4, "allocated processors"));
  WM_TRY(double asked, known(line, 7, "requested processors"));
  WM_TRY(double estimate, known(line, 8, "requested time"));
  WM_TRY(double user, known(line, 11, "user"));
  double tasks = asked > 0 ? asked : used;
  if (tasks > kMaxTasks)
    return bad_line(line.number, "field 5 (allocated processors): more than 10000000");
  job.name = id;
  job.tasks = job.min_tasks = job.max_tasks = tasks > 0 ? static_cast<std::uint32_t>(tasks) : 0;
  job.estimate_s = std::max(0.0, estimate);
  if (user > 0) job.user = "user" + std::to_string(static_cast<std::int64_t>(user));
  if (run_s > 0) job.work = linear_work(run_s, job.tasks);
  return job;
}

}  // namespace

Result<Workload> read_swf(std::string_view text) {
  WM_TRY(auto lines, split_lines(text, Separator::Blanks, ';'));
  Workload workload;
  for (const Line& line : lines) {
    WM_TRY(auto job, job_of(line));
    // A job that never ran or held nothing is part of every log and says nothing.
    if (job.work && job.tasks > 0) workload.jobs.push_back(std::move(job));
  }
  return workload;
}

}  // namespace wm::replay
