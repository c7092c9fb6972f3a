// Role: how the end of a task is called: from its record and from what was ordered. Pure.
#pragma once

#include <string>

#include "libwm/launch/launcher.h"
#include "libwm/model/node/node.h"

namespace wm::node {

/// How the end of a task is called, from its record and from what was ordered. @cost O(tasks)
Term term_of(const launch::ExitRecord& record, const HostOrder& order);
/// What ends the tasks of an order that this host may not, or cannot, follow: fsm/fault has the
/// fault of each.
Term term_of(const Error& refusal);
/// The words of it for the job's output; empty for Term::None.
std::string term_words(Term term);
/// "exit 3", "signal 9".
std::string end_words(const launch::ExitRecord& record);
/// It came to an end of its own that its profile calls a success.
bool ended_well(const launch::ExitRecord& record, const HostOrder& order);

}  // namespace wm::node
