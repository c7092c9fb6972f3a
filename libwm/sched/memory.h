// Role: what a scheduling pass keeps for the next, so that a pass costs what has changed since
// and not what there is. Jobs and hosts are immutable objects (model/table.h): one that is still
// the same object has not changed, and what was made of it holds.
//
//   cluster ──refresh──► rooms, requests      those of changed hosts anew
//                        steady, elastic      running claims that only an event changes
//                        ends, tally          when they end; sums over the rooms
//                        alike                pending jobs that differ in nothing but their
//                                             number, by kind
//                        loose                all others, read anew in every pass
//           ──line_up──► claims               elastic + loose + of each kind as many as could
//                                             start, and one claim for the rest of the kind
//
// Invariants: refresh and line_up after any history give what they give from nothing, so a pass
// with a memory decides what a pass without decides; another configuration or other hosts start
// afresh. Used by schedule.cc and plan_view.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/sched/amounts/pace.h"
#include "libwm/sched/demand/claim_maker.h"

namespace wm::sched {

/// Pending jobs that differ in nothing but their number: what holds for one holds for all.
struct AlikeJobs {
  Claim like;                        ///< of any of them; no job
  std::vector<std::uint32_t> jobs;   ///< numbers, rising
  std::optional<PendCode> obstacle;  ///< why none of them is a candidate now
  std::uint32_t looked_at = 0;       ///< of them so many have a claim of their own in this pass
  bool cut = false;                  ///< the rest is beyond the bound of the pass
};

/// What was made of a job.
struct SeenJob {
  enum : std::uint32_t {
    kNothing = ~0u,
    kLoose = ~0u - 1,
    kElastic = ~0u - 2,
    kSteady = 1u << 31,  ///< and more: plus the place in Claims::steady
  };
  std::uint64_t number = 0;
  std::uint32_t made = kNothing;  ///< or its kind
  const Job* job = nullptr;
};

/// A memory; empty before the first pass. @thread one pass at a time
struct Memory {
  // What the last pass saw; keeps alive what the rest borrows.
  std::shared_ptr<const Config> config;
  Table<Job> jobs, elements;
  Table<Host> hosts;
  std::vector<SeenJob> seen_jobs, seen_elements;  // by rising number

  std::vector<Claim> elastic;  // running; in dispatch order
  std::vector<Claim> loose;
  std::vector<AlikeJobs> alike;
  // What tells kinds apart: request, owner, place, priority, sizes, limit, resizes.
  using Kind = std::tuple<std::uint32_t, std::uint32_t, std::int32_t, std::uint32_t, std::uint32_t,
                          std::uint32_t, UsefulSizes, std::int64_t, bool>;
  std::map<Kind, std::uint32_t> kinds;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> steady;  // by request and owner
  Owners owners;
  std::vector<std::uint32_t> touched;  // rooms that differ from their hosts' own counters
  std::optional<Claims> claims;
  std::size_t first_requests = 0;  ///< after the first refresh, when all were in use
  Curves curves;                   ///< of elastic jobs that are sized by gain
};

/// How many pending jobs a pass looks at.
struct LineUp {
  std::uint32_t most = 0;   ///< of all
  std::uint32_t first = 0;  ///< so many in dispatch order, whatever could start
  bool every = false;       ///< all, up to `most`
};

/// Brings the memory up to date with a frozen cluster. `max_pending` bounds the loose ones;
/// `loaded`: as SchedPolicy's.
/// @cost O(jobs + hosts) comparisons of pointers, plus what collect costs for what has changed
void refresh(Memory& memory, const Cluster& cluster, WallTime now, std::uint32_t max_pending,
             const std::shared_ptr<const LoadedHosts>& loaded = nullptr);

/// Makes memory.claims of what refresh found.
/// @cost O(elastic + looked at x log kinds); `every`: O(jobs) too, none of them steady then
void line_up(Memory& memory, const LineUp& policy);

/// Reads the cluster: rooms with what is coming, and a claim of every live job, alike or not; none
/// is steady.
/// `max_pending` bounds the pending ones. User nodes are not set yet (plan_tree.cc).
/// @cost O(jobs + tasks + hosts x requests)
Claims collect(const Cluster& cluster, WallTime now, std::uint32_t max_pending);

}  // namespace wm::sched
