// Role: what an attempt's shepherd has been told of its order, and what it is still to be told
// while it runs. Pure: order and Told in, words for the shepherd out.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "libwm/launch/launch_env.h"
#include "libwm/launch/launcher.h"
#include "libwm/model/node/node.h"

namespace wm::node {

/// What the shepherd of an attempt has been told. Where a value is none or 0, that is not known, as
/// after a restart of wnoded: it is told again.
struct Told {
  bool ending = false;                ///< the TERM sequence
  bool warned = false;                ///< tasks got SIGTERM, as the attempt is preempted
  std::set<TaskNumber> ends;          ///< tasks that were killed, or asked to leave
  std::optional<bool> suspended;      ///< whether its tasks are stopped
  std::optional<Duration> run_limit;  ///< the one that is being kept
  std::uint32_t relaunches = 0;       ///< of the processes that were started last
  std::uint32_t noticed = 0;          ///< newest resize notice
  TaskNumber writer;                  ///< its output is asked for
};

/// What a shepherd that is made for this order knows from its start.
Told told_at_start(const HostOrder& order, Told before);

/// The words that bring a running shepherd in line with the order, in their order: suspension, run
/// limit, resize notice, writer; `told` has them then. Starts and ends of tasks are not among them.
/// @source LSF: LSB_RESIZE_EVENT, LSB_RESIZE_HOSTS, LSB_RESIZE_NOTIFY_OK, LSB_RESIZE_NOTIFY_FAIL
std::vector<launch::ShepherdOrder> take_differences(const HostOrder& order,
                                                    const launch::HostFacts& host, Told& told);

/// What the answer of a notification command means.
FactNotified notified(const launch::AttemptKey& key, const launch::Noticed& word);

}  // namespace wm::node
