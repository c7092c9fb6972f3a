#include "libwm/sched/amounts/pace.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "libwm/sched/amounts/speeds.h"
#include "libwm/sched/plan/goodput.h"

namespace wm::sched {
namespace {

// Of a change that was never measured: a pause between two steps, or a program's whole start.
constexpr Duration kInPlace = std::chrono::seconds(1), kRestart = std::chrono::seconds(30);
constexpr double kNoBound = 1e15;  // samples
constexpr double kSame = 0.05;     // batches that differ by less count as one

bool is_same(double a, double b) { return std::fabs(a - b) <= kSame * std::max(a, b); }

// With so large a part of the batch a task was never faster than this.
double least_step(const Pace& pace, double local) {
  double least = kNoBound;
  for (const StepReport& r : pace.reports)
    if (is_same(r.local_batch, local)) least = std::min(least, seconds(r.step));
  return least;
}

StepSample sample_of(const Pace& pace, const StepReport& r) {
  double step = seconds(r.step);
  double exchange = r.exchange >= Duration{} ? std::min(seconds(r.exchange), step)
                    : r.tasks < 2            ? 0
                                             : step - least_step(pace, r.local_batch);
  return {r.hosts, r.tasks, r.local_batch, step - exchange, exchange};
}

// Does each task keep its part of the batch, whatever their number?
bool keeps_local(const Pace& pace) {
  const StepReport& last = pace.reports.back();
  return std::any_of(pace.reports.begin(), pace.reports.end(), [&](const StepReport& r) {
    return r.tasks != last.tasks && is_same(r.local_batch, last.local_batch);
  });
}

BatchTerms terms_of(const Pace& pace) {
  const StepReport& last = pace.reports.back();
  BatchTerms terms;
  terms.noise = std::max(0.0, pace.noise);
  terms.may_choose = pace.batch.initial > 0;
  if (terms.may_choose) {
    terms.initial = terms.own = static_cast<double>(pace.batch.initial);
    terms.most = static_cast<double>(std::max(pace.batch.most, pace.batch.initial));
    terms.local_most = std::max(1.0, static_cast<double>(pace.batch.at_once));
    return terms;
  }
  terms.per_task = keeps_local(pace);
  terms.own = terms.initial = terms.per_task ? last.local_batch : last.local_batch * last.tasks;
  terms.most = terms.per_task ? kNoBound : terms.own;
  terms.local_most = kNoBound;
  // Without its noise nothing is known of what a larger batch is worth: a sample is a sample.
  if (pace.noise < 0) terms.noise = kNoBound * kNoBound;
  return terms;
}

// Tasks that the largest of its hosts takes when it is empty; 1 at least. Alike for all claims of
// one request, hence remembered.
class LargestHosts {
 public:
  explicit LargestHosts(const Claims& claims) : claims_(claims) {}
  std::uint32_t takes(const Claim& claim) {
    auto [known, is_new] = most_.try_emplace(claim.request, 1);
    if (!is_new) return known->second;
    for (std::uint32_t at : claims_.requests[claim.request].hosts) {
      const HostCapacity bare = bare_room(*claims_.rooms[at].host);
      std::int64_t tasks = fit(bare, claim.spec().task, When::Now, kMost);
      known->second = std::max(known->second, static_cast<std::uint32_t>(tasks));
    }
    return known->second;
  }

 private:
  static constexpr std::int64_t kMost = 1'000'000;
  const Claims& claims_;
  std::map<std::uint32_t, std::uint32_t> most_;  // by request
};

const Curve& curve_for(const Claim& claim, Curves& curves) {
  MadeCurve& made = curves[claim.id];
  bool known = made.pace == claim.job->pace && made.per_host == claim.gain.per_host &&
               made.most == claim.max && !made.curve.packed.empty();
  if (known) return made.curve;
  made = {claim.job->pace, claim.gain.per_host, claim.max, {}};
  made.curve = curve_of(made.pace, claim.gain.per_host, claim.max);
  return made.curve;
}

}  // namespace

Curve curve_of(const Pace& pace, std::uint32_t per_host, std::uint32_t most) {
  if (pace.reports.empty()) return {};
  Profile profile;
  for (const StepReport& report : pace.reports) profile.add(sample_of(pace, report));
  return profile.curve(terms_of(pace), std::max(1u, per_host), most);
}

bool is_sized_by_reports(const Config& config, const JobSpec& spec) {
  return config.cluster.sched.elastic_worth > 0 || is_sized_by_gain(config, spec);
}

Duration price_of(const Config& config, const Job& job) {
  if (job.pace.resizes > 0) return job.pace.resize_cost;
  return resize_mode_of(config, job) == ResizeMode::Restart ? kRestart : kInPlace;
}

void attach_paces(Claims& claims, const Config& config, Curves& curves) {
  std::set<JobId> live;
  LargestHosts hosts(claims);
  for (Claim& claim : claims.all) {
    if (!claim.resizes || claim.kind == ClaimKind::Fixed) continue;
    bool by_reports = !claim.gain.curve && is_sized_by_reports(config, claim.spec());
    if (!by_reports && claim.gain.sizes == UsefulSizes::Any) continue;
    claim.gain.per_host = hosts.takes(claim);
    if (!by_reports) continue;
    claim.gain.known = is_sized_by_gain(config, claim.spec());
    claim.gain.resize_cost = price_of(config, *claim.job);
    live.insert(claim.id);
    const Curve& curve = curve_for(claim, curves);
    if (curve.packed.size() > 1) attach_curve(claim, curve, worth_of(claim, config.cluster.sched));
  }
  std::erase_if(curves, [&](const auto& entry) { return !live.count(entry.first); });
}

}  // namespace wm::sched
