// Role: sizes of elastic jobs by what they gain from them. A job that reports its step times has
// a curve: its speed with 0, 1, 2 … tasks (goodput.h). From it follow
//
//   useful sizes   those with more speed than every smaller one; others are never a target
//   fairshare      max-min by tasks over useful sizes: the job with least gets its next size first
//   goodput        by marginal gain: the next size goes where speed rises most for a unit
//   further hosts  only where they make it faster: tasks on several hosts exchange more slowly
//                  than fewer on one
//   what one has   is kept against others that would gain a little more from it
//   a change       only when the gain over the time it will last exceeds what it costs
//
// Jobs without a curve take part with every size and a speed of their number of tasks.
// Called by targets.cc and schedule.cc.
// @source marginal gain for concave utilities: Federgruen, Groenevelt, Operations Research
//         34(6), 1986; the price of a change against the time it lasts: Pollux, OSDI 2021, 4.2
#pragma once

#include <vector>

#include "libwm/sched/demand/claim.h"
#include "libwm/sched/plan/speed_policy.h"

namespace wm::sched {

/// As gains are reckoned. @cost O(1)
inline double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

struct Capacities;  // targets.h

/// Sets the `share` of every claim that may be resized: an equal part, rounded up, of what is not
/// held by jobs that may not. A job uses that much even if it makes little of it.
/// @cost O(claims + steady groups)
void mark_shares(Claims& claims, const Capacities& capacities);

/// Attaches the caller's curves to claims and lowers `useful` to the largest useful size.
/// @cost O(claims log curves + points)
void attach_speeds(std::vector<Claim>& claims, const SpeedPolicy& policy, const SchedConf& conf);

/// What a running job has counts more than the same for another, the more so the less time has
/// passed since it paid for a change; and it counts less, the more it has held
/// (elastic_least_weight).
/// @cost O(claims), and their tasks where a change has a price or use counts
void weigh_claims(std::vector<Claim>& claims, const SchedConf& conf, WallTime now);

/// The least speed per task of a useful size, as a part of the smallest's: by gain any.
/// @cost O(1)
double worth_of(const Claim& claim, const SchedConf& conf);

/// Gives `left` units to claims that may grow and have their minimum as target. Returns what
/// is left.
/// @units Units of the class   @cost O(units x claims)
Units share_by_speed(const std::vector<Claim*>& growing, Units left, ElasticShare share);

/// Attaches one curve, which outlives the claim. @owns borrows `curve`   @cost O(points)
void attach_curve(Claim& claim, const Curve& curve, double worth);

/// Are `tasks` tasks on several hosts faster than `here` of them on one? Yes, where that is not
/// known or one host could not take so many. @cost O(1)
bool pays_apart(const Claim& claim, std::uint32_t here, std::uint32_t tasks);

/// Is a running claim on several hosts slower than the `stay` tasks that one of them has would be,
/// by so much that leaving the others pays? `now`: for how long it has run so. @cost O(tasks)
bool is_faster_together(const Claim& claim, std::uint32_t stay, WallTime now);

/// Takes back targets of running claims when the change does not pay. Returns when the first growth
/// of them will; 0: there is none.
/// `now`: for how long they have run.   @cost O(claims)
WallTime keep_what_does_not_pay(std::vector<Claim>& claims, WallTime now);

}  // namespace wm::sched
