#include "daemons/wmasterd/state/dates.h"

#include "libwm/expr/depend.h"
#include "libwm/sched/demand/eligible.h"

namespace wm::master {
namespace {

constexpr Duration kLookEvery = std::chrono::seconds(1);

}  // namespace

void Dates::on_reload() { agenda_ = Agenda::of(journal_.published(), last_); }

void Dates::on_jobs_changed(const std::set<JobId>& jobs) {
  for (JobId id : jobs) agenda_.note(journal_.published(), id, last_);
}

void Dates::on_tick() {
  std::vector<EventBody> events;
  const WallTime now = clock_.wall();  // of them all: what comes due meanwhile is the next look's
  for (JobId id : agenda_.due(now)) look(id, now, events);
  last_ = now;
  if (clock_.mono() - looked_ >= kLookEvery) {
    looked_ = clock_.mono();
    end_orphans(now, events);
  }
  if (!events.empty()) journal_.propose({std::move(events), {}, {}, nullptr});
}

void Dates::look(JobId id, WallTime now, std::vector<EventBody>& events) {
  const Job* job = find_job(journal_.newest(), id);
  if (!job || is_over(job->state)) return;  // soon published
  const auto& spec = job->spec();
  if (auto deeds = journal_.deed_time(); deeds && end_by_date(*job, *deeds, events)) return;
  add_due(*job, now - attended_.excuse(), events);
  if (spec.when.begin <= last_ || spec.when.begin > now) return;
  cycle_.wake();
  agenda_.note(journal_.published(), id, now);
}

// Is the job ended because of a date that has come?
bool Dates::end_by_date(const Job& job, WallTime now, std::vector<EventBody>& events) const {
  const auto& spec = job.spec();
  auto end = [&](Term term, const std::string& why) {
    events.push_back(KillRequested{job.id, {term, "wm", why, now}});
    return true;
  };
  if (!job.kill && spec.when.deadline != WallTime{} && spec.when.deadline <= now)
    return end(Term::Deadline, "its termination time has come");
  if (auto until = pending_limit_of(job); until != WallTime{} && until <= now)
    return end(Term::PendLimit,
               "it waited longer than " + format_duration(spec.exec.pending_limit));
  if (auto until = reservation_ends(journal_.newest(), job); until != WallTime{} && until <= now)
    return end(Term::Deadline, "its advance reservation " + spec.reservation + " is over");
  return false;
}

void Dates::end_orphans(WallTime now, std::vector<EventBody>& events) const {
  for (JobId id : agenda_.waiting()) {
    const Job* job = find_job(journal_.newest(), id);
    if (job && !job->kill && job->spec().when.orphan_kill) end_orphan(*job, now, events);
  }
}

// Of an array with elements that wait for their like, ends only those that wait in vain.
void Dates::end_orphan(const Job& job, WallTime now, std::vector<EventBody>& events) const {
  const Cluster& state = journal_.newest();
  auto end = [&](JobId id, const std::string& why) {
    events.push_back(KillRequested{id, {Term::Other, "wm", why, now}});
  };
  if (auto lost = sched::lost_elements(state, job)) {
    for (std::uint32_t index : *lost)
      end({job.id.job, index},
          "Dependency condition invalid or never satisfied: " + job.spec().when.depend);
    return;
  }
  auto why = sched::not_eligible(state, job, now);
  if (why && why->code == PendCode::NeverMet) end(job.id, why->text);
}

std::set<std::uint32_t> Dates::depended_on() const {
  std::set<std::uint32_t> numbers;
  auto add = [&](JobId id) {
    const Job* job = find_job(journal_.newest(), id);
    if (!job || job->spec().when.depend.empty()) return;
    if (auto condition = expr::Depend::parse(job->spec().when.depend))
      for (auto needed : condition->jobs()) numbers.insert(needed.job);
  };
  for (JobId id : agenda_.dependents()) add(id);
  for (JobId id : journal_.unpublished()) add(id);
  return numbers;
}

}  // namespace wm::master
