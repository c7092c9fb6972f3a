// Role: applications of the scheduler and resource plans as clients of WMLA read them. Pure.
//
// Plans are one tree with the cluster as root: "/mini/research/ann" is our plan "/research/ann".
// @source wmla-surface 1.2, 1.5, 7
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "libwm/model/verbs/verbs.h"
#include "libwm/rest/exec_json.h"

namespace wm::rest {

/// "Training", "Notebook", "Inference". @cost O(1)
std::string_view type_word(const JobView& view);

/// One application; times are whole seconds, 0 where there is none. @cost O(tasks)
std::string app_json(const JobView& view, std::string_view cluster);

/// The same as clients of the first generation read it: driver, executors, sums. @cost O(tasks)
std::string conductor_json(const JobView& view, std::string_view cluster, WallTime now);

/// {"id","pid","childTreeDto":[…]}, from the root down; of a plan without children it is null.
/// `plans`: in the order of the tree. @cost O(plans)
std::string plan_tree_json(std::span<const PlanView> plans, std::string_view cluster);

/// One plan with its figures. @cost O(1)
std::string plan_node_json(const PlanView& plan, std::string_view cluster);

/// "/research/ann" → "/mini/research/ann", and back; what does not begin so stays as it is.
std::string consumer_of(std::string_view plan, std::string_view cluster);
std::string plan_of(std::string_view consumer, std::string_view cluster);

/// The last `lines` lines of a text. @cost O(length)
std::string_view last_lines(std::string_view text, std::size_t lines);

}  // namespace wm::rest
