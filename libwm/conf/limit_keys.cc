// Keys of limits.conf, and what no single key can say.
#include <algorithm>
#include <ctime>

#include "libwm/conf/keys.h"
#include "libwm/conf/limits.h"

namespace wm::conf {
namespace {

using L = LimitRule;

template <Consumers L::*kOf, bool kEach>
Field consumers(L& l) {
  return ConsumersField{&(l.*kOf), kEach};
}

#define WM_CONSUMERS(name, each_name, of, what)                                           \
  {name, consumers<&L::of, false>, kAny, Effect::Reconfig,                                \
   what                                                                                   \
   " whose jobs count together. all: every one; ~name: not that one. Empty: it does not " \
   "matter."},                                                                            \
  {                                                                                       \
    each_name, consumers<&L::of, true>, kAny, Effect::Reconfig,                           \
        what " that have the limit each for itself; all: every one."                      \
  }

constexpr Key<L> kLimitKeys[] = {
    WM_CONSUMERS("users", "per_user", users, "Users and groups of users"),
    WM_CONSUMERS("queues", "per_queue", queues, "Queues"),
    WM_CONSUMERS("projects", "per_project", projects, "Projects"),
    WM_CONSUMERS("apps", "per_app", apps, "Application profiles"),
    WM_CONSUMERS("plans", "per_plan", plans, "Resource plans, with those below them,"),
    {"per_host", consumers<&L::hosts, true>, kAny, Effect::Reconfig,
     "Hosts and groups of hosts that have the limit each for itself; all: every one. A job counts "
     "once on each of its hosts, its memory with the tasks that it has there."},
    {"reservations", [](L& l) -> Field { return &l.reserve; }, kAny, Effect::Reconfig,
     "yes: it bounds no jobs. Its users may make advance reservations for themselves (brsvadd), on "
     "hosts, within windows, of slots at most at a time. Others have to be administrators."},
    {"hosts", consumers<&L::hosts, false>, kAny, Effect::Reconfig,
     "With reservations: hosts and groups of hosts that may be reserved; ~name: not that one. "
     "Empty: "
     "any."},
    {"slots",
     [](L& l) -> Field { return &l.slots; },
     {0, 10000000},
     Effect::Reconfig,
     "Most slots that they use at a time. none: any number."},
    {"jobs",
     [](L& l) -> Field { return &l.jobs; },
     {0, 10000000},
     Effect::Reconfig,
     "Most jobs of theirs that run at a time. none: any number."},
    {"mem", [](L& l) -> Field { return &l.mem; }, kAny, Effect::Reconfig,
     "Most memory that their jobs reserve (rusage[mem=], -M) at a time. none: any amount."},
    {"windows", [](L& l) -> Field { return &l.windows; }, kAny, Effect::Reconfig,
     "When it holds, such as 8:00-18:00 or 5:18:00-1:8:00 (days 0, Sunday, to 6), at the time of "
     "the master's machine. Empty: always."},
    {"description", [](L& l) -> Field { return &l.description; }, kAny, Effect::Reconfig,
     "What it is for; shown by blimits."},
};

#undef WM_CONSUMERS

using S = ServiceClass;

constexpr Key<S> kClassKeys[] = {
    {"velocity",
     [](S& s) -> Field { return &s.velocity; },
     {0, 1000000},
     Effect::Reconfig,
     "So many of its jobs are to run at a time. 0: no such goal."},
    {"throughput",
     [](S& s) -> Field { return &s.throughput; },
     {0, 1000000},
     Effect::Reconfig,
     "So many of its jobs are to end in an hour. 0: no such goal."},
    {"deadline", [](S& s) -> Field { return &s.deadline; }, kAny, Effect::Reconfig,
     "Windows at whose end all of its jobs are to have ended, such as 20:00-6:00. Empty: no such "
     "goal."},
    {"windows", [](S& s) -> Field { return &s.windows; }, kAny, Effect::Reconfig,
     "When velocity and throughput hold. Empty: always."},
    {"priority",
     [](S& s) -> Field { return &s.priority; },
     {1, 1000000},
     Effect::Reconfig,
     "Among classes behind their goals: higher goes first."},
    {"users", [](S& s) -> Field { return &s.users; }, kAny, Effect::NewJobs,
     "Users and groups that may use it. Empty: everybody."},
    {"description", [](S& s) -> Field { return &s.description; }, kAny, Effect::Reconfig,
     "What it is for; shown by bsla."},
};

// It has users, and no key of a limit but slots, hosts and windows.
template <class Wrong>
void check_reserve(const LimitRule& rule, const Wrong& wrong) {
  if (rule.users.names.empty()) wrong("allows reservations to nobody: users = all for everybody");
  bool each = rule.users.each || rule.hosts.each;
  for (const Consumers* other : {&rule.queues, &rule.projects, &rule.apps, &rule.plans})
    each = each || !other->names.empty();
  if (each || rule.jobs || rule.mem)
    wrong("allows reservations: only users, hosts, windows and slots go with that");
}

}  // namespace

std::span<const Key<LimitRule>> limit_keys() { return kLimitKeys; }
std::span<const Key<ServiceClass>> class_keys() { return kClassKeys; }

void check_limits(const Config& config, const Lines& lines, Problems& problems) {
  for (const LimitRule& rule : config.limits) {
    auto wrong = [&](const std::string& text) {
      problems.add(lines.at("limits.conf", rule.name, ""), "limit '" + rule.name + "' " + text);
    };
    if (rule.reserve) {
      check_reserve(rule, wrong);
      continue;
    }
    if (!rule.slots && !rule.jobs && !rule.mem) wrong("bounds none of slots, jobs and mem");
    if (!rule.hosts.each && !rule.hosts.names.empty())
      wrong("names hosts: they go with reservations, per_host bounds what is used there");
  }
  for (const ServiceClass& sla : config.classes)
    if (sla.velocity == 0 && sla.throughput == 0 && sla.deadline.empty())
      problems.add(lines.at("slas.conf", sla.name, ""),
                   "service class '" + sla.name + "' has none of velocity, throughput, deadline");
}

ClockSteps clock_steps(Clock clock) {
  constexpr int kFirstYear = 2020, kLastYear = 2060;
  auto ahead_on = [&](int days) {  // at noon, so many days after the first
    std::tm date{};
    date.tm_year = kFirstYear - 1900, date.tm_mday = 1 + days, date.tm_hour = 12;
    date.tm_isdst = -1;
    std::tm utc = date;
    return ::timegm(&utc) - clock(&date);
  };
  auto hour_of = [&](int hours) {
    std::tm date{};
    date.tm_year = kFirstYear - 1900, date.tm_mday = 1, date.tm_hour = hours, date.tm_isdst = -1;
    std::tm utc = date;
    return std::pair(clock(&date), ::timegm(&utc));
  };
  ClockSteps steps;
  constexpr int kDays = (kLastYear - kFirstYear) * 365;
  std::int64_t known = ahead_on(0);
  if (known != 0) steps.push_back({0, known});
  for (int day = 1; day < kDays; ++day) {
    std::int64_t ahead = ahead_on(day);
    if (ahead == known) continue;
    int hour = (day - 1) * 24 + 12;  // between the two noons: the first that shows it
    while (hour < day * 24 + 12 && hour_of(hour).second - hour_of(hour).first != ahead) ++hour;
    steps.push_back({hour_of(hour).first, ahead});
    known = ahead;
  }
  return steps;
}

}  // namespace wm::conf
