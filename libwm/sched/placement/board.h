// Role: what one placing of all claims is about, shared by its parts (starts, growth, promises):
// the rooms, who leaves them, limits and dates, and what came out for each claim so far.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "libwm/sched/amounts/gates.h"
#include "libwm/sched/placement/donors.h"
#include "libwm/sched/placement/place.h"
#include "libwm/sched/placement/reserve.h"

namespace wm::sched {

/// A claim with promised places that are not free yet.
struct Promise {
  std::int64_t tasks = 0;   ///< of them not free yet
  std::vector<JobId> from;  ///< jobs with tasks that leave there
};

/// A claim's places of this pass.
struct Placed {
  std::vector<Start> starts;  ///< one for each copy
  std::vector<Spot> more;     ///< for a running job
  TasksByRoom has;            ///< tasks by room, promised ones too
  std::int64_t tasks = 0;     ///< now, granted and promised
  std::int64_t ready = 0;     ///< of them now or granted
};

/// One placing. Its parts borrow it: it stays where it is made. @thread one
struct Board {
  Board(const Cluster& state, Claims& all, const PlanTree& tree, const SchedPolicy& policy,
        Timeline& timeline);
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  const Cluster& cluster;
  Claims& claims;
  Clock clock;
  Places places;      ///< rooms as they are left
  Donors donors;      ///< tasks that leave for others
  Gates gates;        ///< limits on jobs and tasks
  Reservations held;  ///< places that are held at dates
  std::map<const Claim*, Placed> placed;
  std::map<const Claim*, Promise> promises;  ///< claims that wait for released room

  /// Where the tasks that stay are. @cost O(tasks log rooms)
  TasksByRoom rooms_of(const Job& job) const;
  /// The job itself, or the element of the array that starts after `skip` others. @cost O(elements)
  JobId copy_id(const Claim& claim, std::size_t skip) const;
  /// Notes that a claim waits for jobs that make way, besides those that it waits for already.
  /// @cost O(log claims)
  void promise(const Claim& claim, const Promise& more);
  /// Gives a claim free places of one room. @cost O(tasks)
  void grant(const Claim& claim, const Share& share, std::vector<Spot>& spots, Placed& placed);
};

/// Puts those of `more` into `jobs` that are not there yet. @cost O(jobs x more)
void add_once(std::vector<JobId>& jobs, const std::vector<JobId>& more);

/// May it have more than it starts with? @cost O(1)
bool grows_beyond_start(const Claim& claim);

}  // namespace wm::sched
