// What an elastic job has shown of its speed: a report of each size and batch, the newest 32 of
// them, and what a change of its size costs it.
#include <algorithm>
#include <cmath>

#include "libwm/fsm/edit.h"

namespace wm::fsm {
namespace {

constexpr std::size_t kKept = 32;
constexpr std::uint32_t kCounted = 8;  // changes of size: the mean follows what is newer

// The last step of a pass is shorter, others differ by one sample.
bool is_same_kind(const StepReport& a, const StepReport& b) {
  bool near =
      std::fabs(a.local_batch - b.local_batch) <= 0.05 * std::max(a.local_batch, b.local_batch);
  return a.hosts == b.hosts && a.tasks == b.tasks && near;
}

void note_cost(Pace& pace, Duration pause) {
  pace.resizes = std::min(pace.resizes + 1, kCounted);
  pace.resize_cost += (pause - pace.resize_cost) / static_cast<std::int64_t>(pace.resizes);
}

}  // namespace

void apply_to(Cluster& c, const StepsMeasured& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  auto& reports = job.pace.reports;
  std::erase_if(reports, [&](const StepReport& known) { return is_same_kind(known, e.report); });
  if (reports.size() >= kKept) reports.erase(reports.begin());
  reports.push_back(e.report);
  if (e.noise >= 0) job.pace.noise = e.noise;
  job.pace.batch = e.batch;
  if (e.pause >= Duration{}) note_cost(job.pace, e.pause);
  t.jobs.insert(e.job);
  t.schedule = true;
}

// The first epoch and one after a death are no changes of size that somebody chose.
void note_pause(Job& job, const EpochFormed& epoch) {
  if (epoch.pause_known && epoch.cause == EpochCause::Resize) note_cost(job.pace, epoch.pause);
}

}  // namespace wm::fsm
