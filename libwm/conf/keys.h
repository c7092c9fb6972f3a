// Role: the tables of configuration keys, one per file. A row is all there is to a key:
// its name, where its value goes (which says type and default), its bounds, when a change
// takes effect, and its documentation. Adding a key is adding a row.
#pragma once

#include <span>
#include <string_view>

#include "libwm/conf/field.h"

namespace wm::conf {

/// When a changed value takes effect.
enum class Effect : std::uint8_t {
  Reconfig,  ///< `badmin reconfig`: running jobs included
  NewJobs,   ///< `badmin reconfig`: jobs submitted from then on
  Restart,   ///< when the daemon is started again
};

/// One key of struct T.
template <class T>
struct Key {
  std::string_view name;
  Field (*field)(T&);  ///< the field of this struct
  Range range;
  Effect effect;
  std::string_view doc;
};

/// wm.conf: keys stand without a section, or under any of cluster_headings().
/// @cost O(1)   @thread any
std::span<const Key<ClusterConf>> cluster_keys();
std::span<const std::string_view> cluster_headings();
/// queues.conf: a section per queue.
std::span<const Key<QueueConf>> queue_keys();
/// hosts.conf: a section per host or range of hosts.
std::span<const Key<HostConf>> host_keys();
/// plans.conf: a section per path.
std::span<const Key<PlanConf>> plan_keys();
/// apps.conf: a section per application profile.
std::span<const Key<AppConf>> app_keys();
/// users.conf: a section per user.
std::span<const Key<UserConf>> user_keys();

/// budgets.conf: a section per plan, project or user.
std::span<const Key<BudgetConf>> budget_keys();

/// limits.conf: a section per limit.
std::span<const Key<LimitRule>> limit_keys();
/// slas.conf: a section per service class.
std::span<const Key<ServiceClass>> class_keys();

/// No bounds but those of the field's type.
inline constexpr Range kAny{};
/// Times in a table's unit. @units microseconds
inline constexpr std::int64_t kHour = 3600000000, kDay = 24 * kHour;

/// 1 ms to `most`: a time that must not be 0.
constexpr Range time_up_to(std::int64_t most) { return {1000, most}; }

}  // namespace wm::conf
