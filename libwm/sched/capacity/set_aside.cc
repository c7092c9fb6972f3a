#include "libwm/sched/capacity/set_aside.h"

#include <algorithm>

namespace wm::sched {
namespace {

bool meets_once(const Reservation& again, const Reservation& once, const ClockSteps& clock) {
  auto span = open_span(again.windows, clock, once.begin);
  return span && span->from < once.end;
}

std::string slots_text(std::uint64_t n) {
  return std::to_string(n) + (n == 1 ? " slot" : " slots");
}

// When the job is gone at the latest, as far as its run limit tells.
WallTime gone_by(const Cluster& cluster, const Job& job) {
  Duration limit = run_limit_of(*cluster.config, job.spec());
  if (limit == Duration{} || is_stopped(job)) return WallTime::max();
  return std::max(job.times.started, job.times.dispatched) + job.suspension.earlier + limit;
}

Result<std::vector<PromisedPlace>> all_of_each(const Cluster& cluster, const Reservation& what,
                                               const AsideWish& wish) {
  std::vector<PromisedPlace> places;
  for (HostId id : wish.hosts) {
    const Host* host = cluster.hosts.find(id.value);
    if (!host) continue;
    std::uint32_t left = unreserved(cluster, what, *host);
    if (left < host->capacity.slots)
      return fail(Code::Conflict, "host " + host->name + ": " +
                                      slots_text(host->capacity.slots - left) +
                                      " are kept for other reservations at that time");
    if (left > 0) places.push_back({id, left});
  }
  if (!places.empty()) return places;
  return fail(Code::Impossible, "no host that was asked for has a slot");
}

}  // namespace

bool meet_in_time(const Reservation& a, const Reservation& b, const ClockSteps& clock) {
  bool a_again = !a.windows.empty(), b_again = !b.windows.empty();
  if (!a_again && !b_again) return a.begin < b.end && b.begin < a.end;
  if (a_again != b_again) return a_again ? meets_once(a, b, clock) : meets_once(b, a, clock);
  auto begins_in = [](const Reservation& one, const Reservation& other) {
    return std::any_of(one.windows.begin(), one.windows.end(), [&](const WeekWindow& window) {
      return holds_minute(other.windows, window.from);
    });
  };
  return begins_in(a, b) || begins_in(b, a);
}

std::uint32_t unreserved(const Cluster& cluster, const Reservation& what, const Host& host) {
  std::uint64_t kept = 0;
  for (const auto& [name, other] : *cluster.reservations)
    if (name != what.name && meet_in_time(what, other, cluster.config->clock))
      kept += slots_on(other, host.id);
  return host.capacity.slots -
         static_cast<std::uint32_t>(std::min<std::uint64_t>(kept, host.capacity.slots));
}

Result<std::vector<PromisedPlace>> set_aside(const Cluster& cluster, const Reservation& what,
                                             const AsideWish& wish) {
  if (wish.amount == 0) return all_of_each(cluster, what, wish);
  std::vector<PromisedPlace> places;
  std::uint32_t left = wish.amount;
  for (HostId id : wish.hosts) {
    const Host* host = cluster.hosts.find(id.value);
    std::uint32_t free = host && left > 0 ? unreserved(cluster, what, *host) : 0;
    if (free == 0 || (wish.whole_hosts && free < host->capacity.slots)) continue;
    places.push_back({id, wish.whole_hosts ? free : std::min(free, left)});
    left -= wish.whole_hosts ? 1 : places.back().tasks;
  }
  if (left == 0) return places;
  std::string unit = wish.whole_hosts ? " whole hosts" : " slots";
  return fail(Code::Impossible, std::to_string(wish.amount) + unit + " were asked for, " +
                                    std::to_string(wish.amount - left) +
                                    " are there that no other reservation keeps at that time");
}

std::vector<JobId> in_the_way(const Cluster& cluster, const Reservation& what, WallTime now) {
  std::vector<JobId> jobs;
  auto span = span_of(what, cluster.config->clock, now);
  for (const PromisedPlace& place : what.places) {
    const Host* host = cluster.hosts.find(place.host.value);
    if (!host || !span) continue;
    std::uint32_t late = 0;
    std::vector<JobId> here;
    each_job_on(cluster, place.host, [&](const Job& job) {
      // What others keep at that time is counted with them, their jobs too.
      const Reservation* within = find_reservation(cluster, job.spec().reservation);
      bool kept = within &&
                  (within->name == what.name || meet_in_time(what, *within, cluster.config->clock));
      if (kept || gone_by(cluster, job) <= span->from) return;
      here.push_back(job.id);
      for (const Task& task : job.tasks) late += task.host == place.host && task.holds_slot();
    });
    if (late + place.tasks > unreserved(cluster, what, *host))
      jobs.insert(jobs.end(), here.begin(), here.end());
  }
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  return jobs;
}

}  // namespace wm::sched
