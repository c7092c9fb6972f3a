// What a job leaves (output, copies, report) is written by its host after its processes are gone.
// Its slots are free by then; its end is told once all is written, or will not be.
//
//   last TaskEnded{delivers} ─► delivers_on = host ─JobDelivered─► over, or it waits again
//                                        └─ the host is lost, the job is killed: the same at once
#include "libwm/fsm/edit.h"

namespace wm::fsm {
namespace {

void add_text(std::string& all, const std::string& text) {
  if (!text.empty()) all += (all.empty() ? "" : "; ") + text;
}

}  // namespace

void end_delivery(Cluster& c, Job& job, const std::string& text, Touched& t) {
  if (!job.outcome.delivers_on) return;
  job.outcome.delivers_on = {};
  add_text(job.outcome.text, text);
  settle(c, job, c.time);
  if (is_over(job.state) || waits(job)) t.orders.insert(job.id);
  t.agents.insert(job.id);
  t.jobs.insert(job.id);
  t.schedule = true;
}

void end_deliveries_of(Cluster& c, HostId host, const std::string& why, Touched& t) {
  auto ids = *c.indexes.delivering;
  for (auto id : ids)
    if (find_job(c, id)->outcome.delivers_on == host) end_delivery(c, edit_job(c, id), why, t);
}

void apply_to(Cluster& c, const JobDelivered& e, WallTime, Touched& t) {
  end_delivery(c, edit_job(c, e.job), e.text, t);
}

}  // namespace wm::fsm
