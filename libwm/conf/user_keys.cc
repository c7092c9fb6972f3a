// Keys of users.conf.
#include "libwm/conf/keys.h"

namespace wm::conf {
namespace {

using U = UserConf;

constexpr Key<U> kUserKeys[] = {
    {"groups", [](U& u) -> Field { return &u.groups; }, kAny, Effect::Reconfig,
     "Groups that the user belongs to; queues and plans may name them."},
    {"max_slots",
     [](U& u) -> Field { return &u.max_slots; },
     {0, 10000000},
     Effect::Reconfig,
     "Most slots that the user's jobs use together. 0: no limit."},
    {"max_pend_jobs",
     [](U& u) -> Field { return &u.max_pend_jobs; },
     {0, 100000000},
     Effect::NewJobs,
     "Most of the user's jobs that wait, each element of an array counted; beyond it none is "
     "taken. "
     "0: any number."},
    {"shares",
     [](U& u) -> Field { return &u.shares; },
     {1, 1000000},
     Effect::Reconfig,
     "Weight of the user among the others of his first group that starts with @; of a group "
     "[@name], among its own first group's. Counts in queues with order = fairshare, and "
     "between the users of a plan."},
    {"plan", [](U& u) -> Field { return &u.plan; }, kAny, Effect::NewJobs,
     "Plan of jobs for which neither -plan nor the queue names one, and the top of those that "
     "-plan "
     "may name: it and the plans below it. A queue's own plan is open to the queue's users."},
};

}  // namespace

std::span<const Key<UserConf>> user_keys() { return kUserKeys; }

}  // namespace wm::conf
