#include "libwm/view/conf_fields.h"

#include <optional>

namespace wm::view {
namespace {

using A = AppConf;

std::optional<Duration> limit(Duration length) {
  return length == Duration{} ? std::nullopt : std::optional(length);
}

constexpr Field<A> kApps[] = {
    {{"application", "app", 13}, kBrief, [](const A& a) { return a.name; }},
    {{"app_type", "", 10}, kBrief, [](const A& a) { return to_string(a.type); }},
    {{"description", "desc", 50}, kBrief, [](const A& a) { return a.description; }},
    {{"resize", "", 8}, kFull, [](const A& a) { return to_string(a.resize); }},
    {{"gpu_mode", "", 10}, kFull, [](const A& a) { return to_string(a.gpu_mode); }},
    {{"gpu", "", 20}, kFull, [](const A& a) { return a.gpu; }},
    {{"res_req", "", 20}, kFull, [](const A& a) { return a.res_req; }},
    {{"def_runlimit", "", 12}, kFull, [](const A& a) { return limit(a.run_limit.usual); }},
    {{"runlimit", "", 12}, kFull, [](const A& a) { return limit(a.run_limit.max); }},
    {{"rerunnable", "", 10}, kFull, [](const A& a) { return a.rerunnable; }},
    {{"warm_imports", "", 20}, kFull, [](const A& a) { return a.warm_imports; }},
    {{"container", "", 10}, kFull, [](const A& a) { return a.container.driver; }},
    {{"image", "", 30}, kFull, [](const A& a) { return a.container.image; }},
};

constexpr Field<UserConf> kUsers[] = {
    {{"user", "", 10}, kBrief, [](const UserConf& u) { return u.name; }},
    {{"groups", "", 30}, kFull, [](const UserConf& u) { return u.groups; }},
    {{"max", "", 5},
     kFull,
     [](const UserConf& u) { return u.max_slots ? std::optional(u.max_slots) : std::nullopt; }},
    {{"plan", "", 20}, kFull, [](const UserConf& u) { return u.plan; }},
    {{"shares", "", 7}, kFull, [](const UserConf& u) { return u.shares; }},
};

}  // namespace

std::span<const Field<AppConf>> app_fields() { return kApps; }
std::span<const Field<UserConf>> user_fields() { return kUsers; }

}  // namespace wm::view
