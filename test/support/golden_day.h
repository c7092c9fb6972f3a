// Role: a day with sums worked out by hand and by a script: the course of seven jobs on two
// hosts on 25 October 2026 in Berlin, 25 hours long, as events.
#pragma once

#include <functional>

#include "libwm/report/zone.h"
#include "test/support/builders.h"

namespace wm::test {

/// 2026-10-24T22:00Z: local midnight. @units s since 1970
inline constexpr std::int64_t kGoldenDay = 1792879200;

/// Berlin in 2026.
report::Zone berlin();

/// The events, from some days before until two hours after the day.
struct GoldenDay : ClusterBuilder {
  GoldenDay();
  HostId h1, h2;
  JobId a, b, c, d, e, f;

 private:
  struct Order {
    double at;
    EventBody body;
  };
  std::vector<Order> orders_;

  void add(double at, EventBody body) { orders_.push_back({at, std::move(body)}); }
  JobId add_job(double at, const SpecBuilder& spec);
  void start(double at, JobId id, std::uint32_t attempt, std::vector<Task> tasks);
  void end(double at, JobId id, std::uint32_t attempt, std::uint32_t task, Term term = Term::None,
           double truly_at = 0);
  void add_elastic();
  void add_rigid();
  void add_hosts();
  std::uint32_t last_ = 0;
};

/// Every event with the state that it made, in order.
using Follow = std::function<void(const Event&, const Cluster&)>;
void follow(const std::vector<Event>& events, const Follow& tell);

}  // namespace wm::test
