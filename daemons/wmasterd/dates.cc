#include "daemons/wmasterd/dates.h"

#include "libwm/expr/depend.h"
#include "libwm/sched/eligible.h"

namespace wm::master {
namespace {

constexpr Duration kLookEvery = std::chrono::seconds(1);

bool waits(const Job& job) {
  return job.state == JobState::Pending || job.state == JobState::Held ||
         job.state == JobState::Array;
}

// Every job and every base of an array that still stands for elements.
template <class Visit>
void each_unfinished(const Cluster& state, Visit visit) {
  each_job(state, [&](const Job& job) {
    if (!is_over(job.state)) visit(job);
  });
  state.jobs.each([&](std::uint32_t, const Job& job) {
    if (!job.spec().array.empty() && !job.kill) visit(job);
  });
}

}  // namespace

void Dates::on_tick() {
  if (world_.mono() - looked_ < kLookEvery) return;
  looked_ = world_.mono();
  std::vector<EventBody> events;
  any_dependent_ = false;
  const WallTime now = world_.wall();  // of them all: what comes due meanwhile is the next look's
  each_unfinished(journal_.newest(), [&](const Job& job) { look(job, now, events); });
  last_ = now;
  if (!events.empty()) journal_.propose({std::move(events), {}, {}, nullptr});
}

void Dates::look(const Job& job, WallTime now, std::vector<EventBody>& events) {
  const auto& spec = job.spec();
  if (job.kill) return;
  if (spec.deadline != WallTime{} && spec.deadline <= now) {
    events.push_back(
        KillRequested{job.id, {Term::Deadline, "wm", "its termination time has come", now}});
    return;
  }
  if (!waits(job)) return;
  any_dependent_ = any_dependent_ || !spec.depend.empty();
  if (spec.begin > last_ && spec.begin <= now) cycle_.wake();
  if (spec.orphan_kill) end_orphan(job, now, events);
}

// Of an array whose elements wait for their like only those that wait in vain.
void Dates::end_orphan(const Job& job, WallTime now, std::vector<EventBody>& events) const {
  const Cluster& state = journal_.newest();
  auto end = [&](JobId id, const std::string& why) {
    events.push_back(KillRequested{id, {Term::Other, "wm", why, now}});
  };
  if (auto lost = sched::lost_elements(state, job)) {
    for (std::uint32_t index : *lost)
      end({job.id.job, index},
          "Dependency condition invalid or never satisfied: " + job.spec().depend);
    return;
  }
  auto why = sched::not_eligible(state, job, now);
  if (why && why->code == PendCode::NeverMet) end(job.id, why->text);
}

std::set<std::uint32_t> depended_on(const Cluster& state) {
  std::set<std::uint32_t> numbers;
  each_unfinished(state, [&](const Job& job) {
    if (job.spec().depend.empty()) return;
    if (auto condition = expr::Depend::parse(job.spec().depend))
      for (auto id : condition->jobs()) numbers.insert(id.job);
  });
  return numbers;
}

}  // namespace wm::master
