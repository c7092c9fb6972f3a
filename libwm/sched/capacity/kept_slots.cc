#include "libwm/sched/capacity/kept_slots.h"

#include <algorithm>

namespace wm::sched {
namespace {

// A job longer than eight days overlaps every weekly window, so look no further ahead.
constexpr Duration kFarthest = std::chrono::hours(8 * 24);

// The reservation's times that begin by then; of one that comes once that one, however late.
std::vector<OpenSpan> spans_of(const Reservation& reservation, const ClockSteps& clock,
                               WallTime now) {
  std::vector<OpenSpan> spans;
  for (WallTime at = now; spans.size() < 64;) {
    auto span = span_of(reservation, clock, at);
    if (!span) break;
    bool once = reservation.windows.empty();
    if (!once && span->from > now + kFarthest) break;
    spans.push_back(*span);
    if (once || span->until == WallTime::max()) break;
    at = span->until;
  }
  return spans;
}

// Tasks of its jobs in a room.
std::int64_t used_by(const Cluster& cluster, const Reservation& reservation, HostId host) {
  std::int64_t used = 0;
  each_job_on(cluster, host, [&](const Job& job) {
    if (job.spec().reservation != reservation.name) return;
    for (const Task& task : job.tasks) used += task.host == host && task.holds_slot();
  });
  return used;
}

}  // namespace

bool KeptBook::any_in(std::uint32_t room) const {
  return std::any_of(all.begin(), all.end(),
                     [&](const KeptSlots& kept) { return kept.room == room; });
}

const KeptSlots* KeptBook::active(const std::string& name, std::uint32_t room) const {
  auto it = std::find_if(all.begin(), all.end(), [&](const KeptSlots& kept) {
    return kept.active && kept.room == room && kept.of->name == name;
  });
  return it == all.end() ? nullptr : &*it;
}

KeptBook kept_slots(const Cluster& cluster, const std::vector<HostCapacity>& rooms, WallTime now) {
  KeptBook book;
  const ClockSteps& clock = cluster.config->clock;
  for (const auto& [name, reservation] : *cluster.reservations) {
    auto spans = spans_of(reservation, clock, now);
    if (spans.empty()) continue;
    WallTime edge = spans.front().from > now ? spans.front().from : spans.front().until;
    bool ever = edge != WallTime::max();
    if (ever && (book.next_edge == WallTime{} || edge < book.next_edge)) book.next_edge = edge;
    for (const PromisedPlace& place : reservation.places) {
      auto room = static_cast<std::uint32_t>(room_at(rooms, place.host));
      if (room >= rooms.size()) continue;
      for (const OpenSpan& span : spans) {
        KeptSlots kept{&reservation, room, std::int64_t{place.tasks}, 0, span, span.from <= now};
        if (kept.active)
          kept.used = std::min(kept.slots, used_by(cluster, reservation, place.host));
        book.all.push_back(kept);
      }
    }
  }
  return book;
}

WallTime end_within(const Cluster& cluster, const Job& job, WallTime at, WallTime now) {
  const Reservation* reservation = find_reservation(cluster, job.spec().reservation);
  if (!reservation) return at;
  auto span = span_of(*reservation, cluster.config->clock, now);
  if (!span || span->from > now) return at;
  return reservation->open ? std::max(at, span->until) : span->until;
}

std::string reserved_obstacle(const Cluster& cluster, const JobSpec& spec, WallTime now) {
  if (spec.reservation.empty()) return {};
  const std::string named = "advance reservation <" + spec.reservation + ">";
  const Reservation* reservation = find_reservation(cluster, spec.reservation);
  if (!reservation) return "The job's " + named + " does not exist any more";
  if (is_active(*reservation, cluster.config->clock, now)) return {};
  bool comes = span_of(*reservation, cluster.config->clock, now).has_value();
  return "The job's " + named + (comes ? " is not active yet" : " is over");
}

}  // namespace wm::sched
