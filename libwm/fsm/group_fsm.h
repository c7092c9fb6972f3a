// Role: what holds between the elements of one job: groups of tasks that live together, and open
// arrays, which get their elements one by one.
//
//   with-job group   failed ─► the others are ended, too        pending again ─► so are the others
//   first group      done   ─► the others are done; groups of its role are done together
//   independent      any end ─► its tasks start again after a pause; nobody else is touched
#pragma once

#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::fsm {

/// What the state of one group asks of the others of its job; nothing for any other job.
/// @cost O(groups)
std::vector<EventBody> follow_groups(const Cluster& cluster, const Job& job);

}  // namespace wm::fsm
