// Keys of plans.conf.
#include "libwm/conf/keys.h"

namespace wm::conf {
namespace {

using P = PlanConf;

constexpr Key<P> kPlanKeys[] = {
    {"shares",
     [](P& p) -> Field { return &p.shares; },
     {0, 1000000},
     Effect::Reconfig,
     "Weight among its siblings when what nobody owns is divided."},
    {"shares_at",
     [](P& p) -> Field { return &p.shares_at; },
     {0, 1000000},
     Effect::Reconfig,
     "Another weight at some times, such as 200 20:00-6:00; 50 6:0:00-1:0:00: the first whose "
     "window is open goes before shares."},
    {"run_window", [](P& p) -> Field { return &p.run_window; }, kAny, Effect::Reconfig,
     "When its jobs, and those of plans below it, start; what runs goes on. Empty: always."},
    {"owns",
     [](P& p) -> Field { return &p.owns; },
     {0, 10000000},
     Effect::Reconfig,
     "Slots that it gets whenever its jobs ask for them."},
    {"limit",
     [](P& p) -> Field { return &p.limit; },
     {0, 10000000},
     Effect::Reconfig,
     "Slots that its jobs never exceed."},
    {"lend",
     [](P& p) -> Field { return &p.lend; },
     {0, 10000000},
     Effect::Reconfig,
     "How many of the slots that it owns others may use while they are idle. none: all."},
    {"borrow",
     [](P& p) -> Field {
       return BorrowField{&p.borrow, &p.borrow_from};
     },
     kAny, Effect::Reconfig, "Whose idle slots its jobs may use: any, none, or a list of plans."},
    {"reclaim_grace",
     [](P& p) -> Field { return &p.reclaim_grace; },
     {0, kHour},
     Effect::Reconfig,
     "Time that a task has to leave when its slot is taken back. none: the cluster's."},
    {"policy", [](P& p) -> Field { return &p.policy; }, kAny, Effect::Reconfig,
     "How it divides among its jobs: equally, or by priority and time of submission."},
    {"elastic",
     [](P& p) -> Field {
       return WordOr<SizeBy>{&p.elastic, "queue"};
     },
     kAny, Effect::Reconfig,
     "Sizes of its elastic jobs beyond their minimum: equal (fairshare), by what each gains from "
     "another task (goodput), or as the plan above it and in the end the job's queue says "
     "(queue)."},
    {"users", [](P& p) -> Field { return &p.users; }, kAny, Effect::NewJobs,
     "Users and groups that may use it. Empty: everybody who may use its parent."},
    {"description", [](P& p) -> Field { return &p.description; }, kAny, Effect::Reconfig,
     "What the plan is for; shown by bplans -l."},
};

}  // namespace

std::span<const Key<PlanConf>> plan_keys() { return kPlanKeys; }

}  // namespace wm::conf
