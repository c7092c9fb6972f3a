#include "daemons/wmasterd/hosts/fact_intake.h"

#include "daemons/wmasterd/hosts/host_faults.h"
#include "daemons/wmasterd/hosts/missing.h"

namespace wm::master {

std::vector<EventBody> FactIntake::events_of(HostId host, const Fact& fact, WallTime began) {
  if (auto* f = std::get_if<FactStarted>(&fact))
    return {TaskStarted{f->job, f->attempt, f->task, f->pid, f->port}};
  if (auto* f = std::get_if<FactEnded>(&fact)) return events_of_end(host, *f, began);
  if (auto* f = std::get_if<FactStuck>(&fact))
    return {TaskStuck{f->job, f->attempt, f->task, f->why}};
  if (auto* f = std::get_if<FactNotified>(&fact))
    return {ResizeAnswered{f->job, f->attempt, f->number, f->ok, f->text}};
  if (auto* f = std::get_if<FactScriptFailed>(&fact))
    return {HostClosed{host, "wm", "job " + to_string(f->job) + ": " + f->why}};
  if (auto* f = std::get_if<FactDelivered>(&fact)) return events_of_delivery(journal_.newest(), *f);
  if (std::get_if<FactHostWell>(&fact)) return events_of_probe(journal_.newest(), host);
  if (auto* f = std::get_if<FactMet>(&fact)) return {TasksMet{f->job, f->attempt}};
  if (auto* f = std::get_if<FactGpuOveruse>(&fact)) return events_of(*f);
  if (auto* f = std::get_if<FactRendezvous>(&fact)) {
    hear(*f);
    return {};
  }
  return events_of(std::get<AgentReport>(fact));
}

// What the site says by now: it may have changed since the host heard of it.
std::vector<EventBody> FactIntake::events_of(const FactGpuOveruse& f) const {
  const Cluster& state = journal_.newest();
  const Job* job = find_job(state, f.job);
  const Task* task = job && job->attempt == f.attempt ? find_task(*job, f.use.task) : nullptr;
  bool ends = state.config->cluster.limits.gpu_memory_overuse == "end";
  if (!ends || !task || !task->holds_slot() || task->kill || is_over(job->state)) return {};
  return {TaskCondemned{f.job, f.attempt, f.use.task, Term::GpuMemLimit,
                        "task " + std::to_string(f.use.task.value) + " used " +
                            format_bytes(f.use.used) + " of a GPU, its gmem is " +
                            format_bytes(f.use.asked)}};
}

// Those that were all there may leave one after the other: nobody is missed then.
void FactIntake::hear(const FactRendezvous& f) {
  const Job* job = find_job(journal_.newest(), f.job);
  if (!job || job->attempt != f.attempt || is_over(job->state)) return;
  auto known = meetings_->find(f.job);
  bool same = known != meetings_->end() && known->second.attempt == f.attempt &&
              known->second.meeting.port == f.meeting.port;
  if (same && known->second.complete) return;
  bool complete = missing_text(journal_.newest(), *job, f.meeting).empty();
  meetings_.edit()[f.job] = {f.attempt, f.meeting, complete};
}

// A trial's last report goes with its end, into the same commit, and before it. An end from before
// the session has the time of the host's clock, which need not be ours to the second; what is told
// at once has the event's own time.
std::vector<EventBody> FactIntake::events_of_end(HostId host, const FactEnded& f,
                                                 WallTime began) const {
  std::vector<EventBody> events;
  warn_of_faults(journal_.newest(), host, f);
  if (!f.report.empty()) events.push_back(TrialReported{f.job, f.attempt, f.report});
  events.push_back(TaskEnded{f.job, f.attempt, f.task, f.status, f.term, f.usage, f.text,
                             f.at < began ? f.at : WallTime{}, f.delivers});
  return events;
}

std::vector<EventBody> FactIntake::events_of(const AgentReport& r) {
  const auto& fact = r.fact;
  if (auto* f = std::get_if<AgentUp>(&fact))
    return {AgentSeen{r.job, r.attempt, r.host, f->address, f->doors}};
  if (auto* f = std::get_if<EpochFormed>(&fact)) return {EpochEntered{r.job, r.attempt, *f}};
  if (auto* f = std::get_if<WorkersCapped>(&fact)) {
    const Job* job = find_job(journal_.newest(), r.job);
    if (!job || job->size.script_cap == f->max_tasks) return {};
    return {CapChanged{r.job, f->max_tasks, true, "engines_number"}};
  }
  if (std::get_if<WorkerSeen>(&fact)) return {InPlaceSeen{r.job, r.attempt}};
  if (auto* f = std::get_if<TaskFaulty>(&fact))
    return {TaskCondemned{r.job, r.attempt, f->task, Term::Hung, f->reason}};
  const Job* job = find_job(journal_.newest(), r.job);
  // Said again after a lost acknowledgement: what the end brought is newer.
  bool late = job && is_over(job->state);
  if (auto* f = std::get_if<TrialSaid>(&fact))
    return late ? std::vector<EventBody>{}
                : std::vector<EventBody>{TrialReported{r.job, r.attempt, f->report}};
  bool present = job && job->attempt == r.attempt;
  if (auto* f = std::get_if<JobProgress>(&fact); f && present) return on_progress(r.job, *f);
  return {};
}

std::vector<EventBody> FactIntake::on_progress(JobId job, const JobProgress& report) {
  progress_.edit()[job] = report;
  auto measured = paces_.hear(journal_.newest(), job, report, clock_.mono());
  if (!measured) return {};
  return {*measured};
}

void FactIntake::forget(JobId job) {
  if (progress_->contains(job)) progress_.edit().erase(job);
  if (meetings_->contains(job)) meetings_.edit().erase(job);
  paces_.forget(job);
}

}  // namespace wm::master
