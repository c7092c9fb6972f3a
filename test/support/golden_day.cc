#include "test/support/golden_day.h"

#include <algorithm>
#include <functional>

namespace wm::test {
namespace {

Task task(std::uint32_t number, HostId host, std::vector<std::uint16_t> gpus = {}) {
  Task made;
  made.number = TaskNumber{number}, made.host = host, made.gpus = std::move(gpus);
  return made;
}

SpecBuilder spec_of(const std::string& user, const std::string& plan, std::uint32_t tasks = 1) {
  SpecBuilder spec;
  spec.user(user, user == "ann" ? 1001 : 1002).plan(plan).tasks(tasks, tasks);
  return spec;
}

}  // namespace

report::Zone berlin() {
  return {"Europe/Berlin", {{0, 3600}, {1774746000, 7200}, {1792890000, 3600}, {1806195600, 7200}}};
}

JobId GoldenDay::add_job(double at, const SpecBuilder& spec) {
  JobId id{++last_, 0};
  add(at, JobSubmitted{id, spec.sealed()});
  return id;
}

void GoldenDay::start(double at, JobId id, std::uint32_t attempt, std::vector<Task> tasks) {
  add(at, JobDispatched{id, Attempt{attempt}, tasks, std::string(32, 'k')});
  for (const auto& made : tasks)
    if (made.has_process) add(at, TaskStarted{id, Attempt{attempt}, made.number, 100});
}

void GoldenDay::end(double at, JobId id, std::uint32_t attempt, std::uint32_t task, Term term,
                    double truly_at) {
  TaskEnded ended{id, Attempt{attempt}, TaskNumber{task}, 0, term, {}, ""};
  if (truly_at > 0) ended.at = test::at(static_cast<double>(kGoldenDay) - 1.7e9 + truly_at);
  add(at, ended);
}

// B: four tasks, two go, a fifth comes.
void GoldenDay::add_elastic() {
  SpecBuilder spec = spec_of("ann", "/a");
  spec.tasks(1, 6).gpus(1).app("training").elastic();
  b = add_job(3540, spec);
  std::vector<Task> four;
  for (std::uint16_t i = 0; i < 4; ++i) four.push_back(task(i + 1u, h1, {i}));
  start(3600, b, 1, four);
  add(3600, InPlaceSeen{b, Attempt{1}});
  for (HostId host : {h1, h2}) add(3600, AgentSeen{b, Attempt{1}, host, "127.0.0.1:1"});
  auto epoch = [&](double at, std::uint32_t n, std::vector<TaskNumber> members, int pause_ms) {
    EpochFormed formed;
    formed.epoch = EpochNumber{n}, formed.members = std::move(members);
    formed.pause = std::chrono::milliseconds(pause_ms), formed.pause_known = pause_ms > 0;
    formed.cause = n == 1 ? EpochCause::Start : EpochCause::Resize;
    add(at, EpochEntered{b, Attempt{1}, formed});
  };
  using N = TaskNumber;
  epoch(3600, 1, {N{1}, N{2}, N{3}, N{4}}, 0);
  add(7200, TasksLeaving{b, Attempt{1}, {N{3}, N{4}}, at(0), "reclaim"});
  epoch(7230, 2, {N{1}, N{2}}, 50);
  for (std::uint32_t n : {3, 4}) end(7230, b, 1, n, Term::Left);
  add(10800, TasksAdded{b, Attempt{1}, {task(5, h2, {0})}, "free"});
  add(10800, TaskStarted{b, Attempt{1}, N{5}, 100});
  epoch(10812, 3, {N{1}, N{2}, N{5}}, 250);
  for (std::uint32_t n : {1, 2, 5}) end(14400, b, 1, n);
}

void GoldenDay::add_rigid() {
  a = add_job(-3610, spec_of("ann", "/a", 2));
  auto bare = task(2, h2);
  bare.has_process = false;
  start(-3600, a, 1, {task(1, h2), bare});
  end(1800, a, 1, 1);

  SpecBuilder two = spec_of("bob", "/b", 2);
  two.gpus(1);
  c = add_job(7200, two);
  auto second = task(2, h1, {3});
  second.has_process = false;
  start(7230, c, 1, {task(1, h1, {2}), second});
  add(9000, JobSuspended{c, "bob"});
  add(9600, JobResumed{c, "bob"});
  end(12630, c, 1, 1);

  d = add_job(0, spec_of("bob", "/b").array(1, 3, 2).hold());
  add(100, JobReleased{d, "bob"});
  for (std::uint32_t i : {1, 2}) start(100, {d.job, i}, 1, {task(1, h2)});
  for (std::uint32_t i : {1, 2}) end(700, {d.job, i}, 1, 1);
  start(700, {d.job, 3}, 1, {task(1, h2)});
  end(1300, {d.job, 3}, 1, 1, Term::None, 1290);

  SpecBuilder again = spec_of("bob", "/b");
  again.gpus(1).rerunnable();
  e = add_job(19990, again);
  start(20000, e, 1, {task(1, h2, {1})});
  end(27200, e, 1, 1, Term::HostLost);
  start(27200, e, 2, {task(1, h1, {0})});
  end(30800, e, 2, 1);

  SpecBuilder half = spec_of("bob", "/b");
  half.spec.task.gpu_shared = true, half.spec.task.milli_gpus = 500;
  f = add_job(86395, half);
  start(86400, f, 1, {task(1, h1, {0})});
  end(93000, f, 1, 1);
}

void GoldenDay::add_hosts() {
  add(23600, HostSilent{h2});
  add(27200, HostDied{h2, "root", "power supply"});
  Capacity whole{4, 4000, Bytes{std::int64_t{16} << 30}, {}};
  for (const char* gpu : {"gpu0", "gpu1"}) whole.gpus.push_back({gpu, "", {}});
  add(36000, HostRegistered{h2, "h2", "127.0.0.2", "boot2", "LINUX", "x86", whole});
  add(50000, HostClosed{h1, "root", "kernel"});
  add(60000, HostOpened{h1, "root"});
  GpuMark sick;
  sick.sick = true, sick.sick_why = "XID 79";
  add(70000, GpuMarked{h1, "gpu3", sick});
  add(73600, GpuMarked{h1, "gpu3", {}});
}

GoldenDay::GoldenDay() {
  for (auto [path, owns] : {std::pair("/a", 2u), std::pair("/b", 6u)}) {
    PlanConf plan;
    plan.path = path, plan.owns = owns;
    config.plans.push_back(plan);
  }
  config.hosts.clear();
  for (const char* name : {"/", "user:bob"}) {
    BudgetConf budget;
    budget.name = name, budget.gpu_hours = budget.cpu_hours = 1000;
    config.budgets.list.push_back(budget);
  }
  reconfigure();
  h1 = host(4, 4), h2 = host(4, 2);
  add_hosts();
  add_elastic();
  add_rigid();
  std::stable_sort(orders_.begin(), orders_.end(),
                   [](const Order& x, const Order& y) { return x.at < y.at; });
  double day = static_cast<double>(kGoldenDay) - 1.7e9;
  for (const auto& order : orders_) step(order.body, day + order.at);
}

void follow(const std::vector<Event>& events, const Follow& tell) {
  Cluster state;
  for (const auto& event : events) {
    fsm::apply(state, event);
    tell(event, state);
  }
}

}  // namespace wm::test
