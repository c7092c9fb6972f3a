#include "libwm/replay/ideal.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace wm::replay {
namespace {

// An end this close is reached: instants around 10^8 s are known to some 10^-8.
constexpr double kInstant = 1e-6;

// How much of a job is done in a second, by tasks. A batch that stays has as many steps on every
// size, so that what is left takes the same part of the whole on each.
class SpeedCurve {
 public:
  SpeedCurve(const TraceJob& job, std::uint32_t per_host)
      : least_(job.elastic() ? job.min_tasks : job.tasks) {
    std::uint32_t most = job.elastic() ? job.max_tasks : job.tasks;
    for (std::uint32_t tasks = least_; tasks <= most; ++tasks) {
      double seconds = job.work->left_s(0, packed(tasks, per_host), Batch::Fixed);
      double speed = 1 / std::max(seconds, kInstant);
      speeds_.push_back(speeds_.empty() ? speed : std::max(speed, speeds_.back()));
    }
  }

  // With fewer it is slower.
  double most() const {
    auto first = std::lower_bound(speeds_.begin(), speeds_.end(), speeds_.back());
    return least_ + static_cast<double>(first - speeds_.begin());
  }

  double speed(double tasks) const {
    if (tasks <= least_) return speeds_.front() * tasks / least_;
    double beyond = std::min(tasks - least_, static_cast<double>(speeds_.size() - 1));
    auto whole = static_cast<std::size_t>(beyond);
    double next = speeds_[std::min(whole + 1, speeds_.size() - 1)];
    return std::lerp(speeds_[whole], next, beyond - static_cast<double>(whole));
  }

 private:
  std::uint32_t least_;
  std::vector<double> speeds_;  // of least_, least_ + 1 …, rising
};

// Curves, those of jobs that are equally fast made once.
class SpeedCurves {
 public:
  explicit SpeedCurves(std::uint32_t per_host) : per_host_(per_host) {}

  std::shared_ptr<const SpeedCurve> of(const TraceJob& job) {
    if (job.program.empty()) return std::make_shared<SpeedCurve>(job, per_host_);
    auto& known = known_[{job.program, job.tasks, job.min_tasks, job.max_tasks}];
    if (!known) known = std::make_shared<SpeedCurve>(job, per_host_);
    return known;
  }

 private:
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::uint32_t per_host_;
  std::map<Key, std::shared_ptr<const SpeedCurve>> known_;
};

// A job in the system.
struct Sharer {
  std::uint32_t job;
  std::shared_ptr<const SpeedCurve> curve;
  std::uint32_t units_each;  // of a task; 0: competes for nothing
  double left = 1;           // of its work
  double tasks = 0, speed = 0;
  double most_units() const { return curve->most() * units_each; }
  double end_after() const { return left / speed; }
};

class Ideal {
 public:
  Ideal(const Workload& workload, const Setup& setup, const Options& options)
      : workload_(workload), setup_(setup), options_(options), curves_(setup.units_per_host()) {
    for (const TraceJob& job : workload.jobs) {
      JobRun run;
      run.trace = &job;
      outcome_.jobs.push_back(run);
    }
  }

  Outcome run() {
    while (submitted_ < workload_.jobs.size() || !sharers_.empty()) {
      work_until(next_time());
      end_who_is_done();
      submit();
      divide();
      sample();
    }
    return std::move(outcome_);
  }

 private:
  double next_time() const;
  void work_until(double at);
  void end_who_is_done();
  void submit();
  void divide();
  void sample();

  const Workload& workload_;
  const Setup& setup_;
  const Options& options_;
  SpeedCurves curves_;
  Outcome outcome_;
  std::vector<Sharer> sharers_;  // who needs fewest units first
  std::size_t submitted_ = 0, ended_ = 0;
  double now_ = 0;
};

double Ideal::next_time() const {
  double next = kNever;
  if (submitted_ < workload_.jobs.size()) next = workload_.jobs[submitted_].submit_s;
  for (const Sharer& each : sharers_) next = std::min(next, now_ + each.end_after());
  return next;
}

void Ideal::work_until(double at) {
  for (Sharer& each : sharers_) {
    each.left -= each.speed * (at - now_);
    outcome_.jobs[each.job].attained += each.tasks * (at - now_);
  }
  now_ = at;
}

void Ideal::end_who_is_done() {
  std::erase_if(sharers_, [this](const Sharer& each) {
    if (each.end_after() > kInstant) return false;
    outcome_.jobs[each.job].end_s = now_;
    ++ended_;
    return true;
  });
  if (options_.progress) options_.progress(static_cast<double>(ended_) / outcome_.jobs.size());
}

void Ideal::submit() {
  auto by_need = [](const Sharer& a, const Sharer& b) { return a.most_units() < b.most_units(); };
  for (; submitted_ < workload_.jobs.size(); ++submitted_) {
    const TraceJob& job = workload_.jobs[submitted_];
    if (job.submit_s > now_) return;
    auto index = static_cast<std::uint32_t>(submitted_);
    outcome_.jobs[index].start_s = now_;
    Sharer sharer{index, curves_.of(job), setup_.units_of(job)};
    sharers_.insert(std::upper_bound(sharers_.begin(), sharers_.end(), sharer, by_need), sharer);
  }
}

// Max-min: what those leave who need less than their equal part is divided among the others.
void Ideal::divide() {
  double units = setup_.units();
  auto others = static_cast<double>(sharers_.size());
  for (Sharer& each : sharers_) {
    double part = std::min(each.most_units(), std::max(0.0, units) / others);
    each.tasks = each.units_each > 0 ? part / each.units_each : each.curve->most();
    each.speed = each.curve->speed(each.tasks);
    units -= part;
    --others;
  }
}

void Ideal::sample() {
  Sample sample{now_, 0, static_cast<std::uint32_t>(sharers_.size()), 0, {}};
  double busy = 0;
  std::map<std::string, double> by_user;
  for (const Sharer& each : sharers_) {
    busy += each.tasks * each.units_each;
    by_user[outcome_.jobs[each.job].trace->user] += each.tasks * each.units_each;
  }
  sample.busy = static_cast<std::uint32_t>(std::lround(busy));
  for (const auto& [user, units] : by_user) {
    sample.by_user[user] = static_cast<std::uint32_t>(std::lround(units));
  }
  outcome_.samples.push_back(std::move(sample));
}

}  // namespace

Outcome ideal_shares(const Workload& workload, const Setup& setup, const Options& options) {
  return Ideal(workload, setup, options).run();
}

}  // namespace wm::replay
