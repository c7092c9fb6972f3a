#include "daemons/wmasterd/hosts/paces.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "libwm/sched/amounts/pace.h"

namespace wm::master {
namespace {

constexpr std::size_t kSettled = 3;
constexpr auto kSeldom = std::chrono::seconds(30);
constexpr double kOff = 0.15;  // a step time that differs by more is news, the noise by twice

// What its reports are to name: the epoch, or the start.
EpochNumber epoch_of(const Job& job, bool restarts) {
  return restarts ? EpochNumber{job.size.relaunches + 1} : job.membership.epoch;
}

bool is_whole(const Job& job, bool restarts, const JobProgress& report) {
  const auto& p = report.progress;
  auto members = restarts ? std::size_t{tasks_wanted(job)} : job.membership.members.size();
  bool steady = job.state == JobState::Running && !job.kill && !job.ending &&
                p.epoch == epoch_of(job, restarts) && report.world == members &&
                tasks_wanted(job) == report.world && slots_held(job) == report.world;
  return steady && report.world > 0 && p.step_time > Duration{} && p.samples_per_s > 0;
}

std::uint32_t hosts_of(const Job& job) {
  std::set<HostId> hosts;
  for (const auto& task : job.tasks)
    if (task.holds_slot()) hosts.insert(task.host);
  return static_cast<std::uint32_t>(hosts.size());
}

template <class Value>
auto median(const std::vector<WorkerProgress>& reports, Value value) {
  std::vector<decltype(value(reports[0]))> all;
  for (const auto& report : reports) all.push_back(value(report));
  std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
  return all[all.size() / 2];
}

StepReport measured(const Job& job, const std::vector<WorkerProgress>& reports) {
  StepReport made;
  made.hosts = hosts_of(job);
  made.tasks = tasks_wanted(job);
  made.step = median(reports, [](auto& p) { return p.step_time; });
  made.exchange = median(reports, [](auto& p) { return p.exchange; });
  double batch = median(reports, [](auto& p) {
    return p.samples_per_s * std::chrono::duration<double>(p.step_time).count();
  });
  made.local_batch = batch / made.tasks;
  return made;
}

bool differs(double known, double now, double most) {
  return std::fabs(now - known) > most * std::max(std::fabs(known), std::fabs(now));
}

const StepReport* find_like(const Pace& pace, const StepReport& report) {
  for (const auto& known : pace.reports) {
    bool like = known.hosts == report.hosts && known.tasks == report.tasks &&
                !differs(known.local_batch, report.local_batch, 0.05);
    if (like) return &known;
  }
  return nullptr;
}

bool is_news(const Pace& pace, const StepReport& known, const StepsMeasured& e) {
  auto number = [](Duration d) { return static_cast<double>(d.count()); };
  return differs(number(known.step), number(e.report.step), kOff) ||
         differs(pace.noise, e.noise, 2 * kOff) || !(pace.batch == e.batch);
}

}  // namespace

// The first report of a start comes when it has made steps.
void Paces::note_start(Heard& heard, const Job& job, EpochNumber start, TimePoint now) {
  if (heard.attempt != job.attempt) heard = {};
  heard.attempt = job.attempt;
  if (heard.epoch && start > heard.epoch) heard.pause = now - heard.spoke;
  if (start >= heard.epoch) heard.spoke = now;
}

std::optional<StepsMeasured> Paces::hear(const Cluster& state, JobId id, const JobProgress& report,
                                         TimePoint now) {
  const Job* job = find_job(state, id);
  if (!job || !job->spec().elastic || !sched::is_sized_by_reports(*state.config, job->spec()))
    return {};
  Heard& heard = heard_[id];
  bool restarts = resize_mode_of(*state.config, *job) == ResizeMode::Restart;
  if (restarts && report.progress.epoch < heard.epoch && heard.attempt == job->attempt) return {};
  if (restarts) note_start(heard, *job, report.progress.epoch, now);
  bool whole = is_whole(*job, restarts, report);
  if (!whole || heard.epoch != report.progress.epoch) heard.last.clear();
  heard.epoch = report.progress.epoch;
  if (!whole) return {};
  heard.last.push_back(report.progress);
  if (heard.last.size() > kSettled) heard.last.erase(heard.last.begin());
  if (heard.last.size() < kSettled) return {};
  const auto& p = report.progress;
  StepsMeasured event{id, job->attempt, measured(*job, heard.last), p.noise, p.batch, heard.pause};
  const StepReport* known = find_like(job->pace, event.report);
  bool soon = heard.told && now - *heard.told < kSeldom;
  if (heard.pause >= Duration{}) known = nullptr;
  if (known && (soon || !is_news(job->pace, *known, event))) return {};
  heard.told = now;
  heard.pause = Duration(-1);
  return event;
}

}  // namespace wm::master
