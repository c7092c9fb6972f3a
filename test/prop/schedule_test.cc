// Role: properties of scheduling passes over random clusters, job mixes and histories: nothing
// is oversubscribed, every pending job has a reason, the same state gives the same plan, whatever
// a pass remembers of the last, and left alone the cluster comes to rest. Each failure prints its
// seed.
#include "libwm/sched/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "test/support/sched_run.h"

namespace wm::sched {
namespace {

using test::SchedRun;
using test::SpecBuilder;

// One random history of a random cluster.
class History {
 public:
  explicit History(unsigned seed, bool plain = false) : random_(seed), plain_(plain) {
    configure();
    for (std::uint32_t n = pick(1, 5); n > 0; --n) {
      std::uint32_t gpus = pick(0, 3);
      run.host(gpus + pick(1, 3), gpus);
    }
  }
  void live(int events);
  void run_by_the_clock();
  void submit();
  void disturb();
  std::uint32_t pick(std::uint32_t from, std::uint32_t to) {
    return from + static_cast<std::uint32_t>(random_() % (to - from + 1));
  }
  bool limits = false;  // jobs have run limits, time passes
  bool one_in(std::uint32_t n) { return pick(1, n) == 1; }

  SchedRun run;
  std::vector<JobId> jobs;
  std::optional<bool> gpus;  // each task of all jobs asks for one GPU, or none does
  Memory memory;             // of all passes of this history
  bool shares = false;       // some jobs share GPUs, some GPUs are set aside for a while
  bool excludes = false;     // some jobs fail, and are not to return to their hosts
  bool lingers = false;      // some jobs that are ended are there for a while

 private:
  void configure();
  void add_plan(const std::string& path);
  JobId any_job();
  void ask_anew(const Job& job);
  void end_or_resize();
  void fail(JobId id);
  void change_gpu();
  void change_host();

  std::mt19937 random_;
  bool plain_;
};

void History::configure() {
  for (auto [name, priority] : {std::pair{"high", 90u}, {"low", 10u}}) {
    QueueConf queue;
    queue.name = name;
    queue.priority = priority;
    if (!plain_ && one_in(5)) queue.max_slots = pick(1, 6);
    if (!plain_ && one_in(5)) queue.user_slots = pick(1, 4);
    if (!plain_ && one_in(8)) queue.host_slots = pick(1, 3);
    run.config.queues.push_back(queue);
  }
  if (!plain_ && one_in(5)) {
    UserConf user;
    user.name = "user1";
    user.max_slots = pick(1, 6);
    run.config.users.push_back(user);
  }
  for (const char* path : {"/a", "/a/x", "/b"}) {
    if (one_in(2)) add_plan(path);
  }
  auto by_name = [](auto& a, auto& b) { return a.name < b.name; };
  std::sort(run.config.queues.begin(), run.config.queues.end(), by_name);
  std::sort(run.config.users.begin(), run.config.users.end(), by_name);
  run.reconfigure();
}

// Jobs have run limits, time passes, some queues preempt or are in order of past use.
void History::run_by_the_clock() {
  limits = true;
  run.policy.backfill =
      std::vector{Backfill::None, Backfill::Easy, Backfill::Conservative}[pick(0, 2)];
  for (QueueConf& queue : run.config.queues) {
    if (queue.name == "high" && one_in(2)) queue.preempts = {"lower"};
    if (one_in(3)) queue.order = JobOrder::FairShare;
  }
  run.reconfigure();
}

void History::add_plan(const std::string& path) {
  PlanConf plan;
  plan.path = path;
  plan.shares = pick(1, 3);
  if (!plain_ && one_in(4)) plan.owns = pick(1, 4);
  if (!plain_ && one_in(4)) plan.lend = pick(0, 2);
  if (!plain_ && one_in(4)) plan.limit = pick(1, 6);
  if (!plain_ && one_in(6)) plan.borrow = Borrow::None;
  if (!plain_ && one_in(6)) plan.policy = PlanPolicy::Priority;
  run.config.plans.push_back(plan);
  std::sort(run.config.plans.begin(), run.config.plans.end(),
            [](auto& a, auto& b) { return a.path < b.path; });
}

void History::submit() {
  SpecBuilder spec;
  std::uint32_t min = pick(1, 3), user = pick(1, 3);
  spec.user("user" + std::to_string(user), 1000 + user).tasks(min, min);
  spec.queue(std::vector{"high", "normal", "low"}[pick(0, 2)]);
  spec.plan(std::vector{"/", "/a", "/a/x", "/b"}[pick(0, 3)]);
  if (one_in(2)) spec.elastic().tasks(min, min + pick(0, 6));
  bool asks = one_in(2);
  if (gpus.value_or(asks)) spec.app("training").gpus(gpus ? 1 : pick(1, 2));
  if (shares && asks && one_in(2)) {
    spec.spec.task.gpu_shared = true;
    spec.spec.task.milli_gpus = 100 * pick(1, 9);
    spec.spec.task.gpu_pack = one_in(2);
    if (one_in(3)) spec.spec.task.mps_uid = spec.spec.owner.uid;
  }
  if (limits && !one_in(4)) spec.spec.run_limit = std::chrono::seconds(10 * pick(1, 20));
  if (one_in(6) && !plain_) {
    spec.spec.task.mem = Bytes{std::int64_t{pick(1, 12)} << 30};
    spec.spec.task.mem_per_host = one_in(2);
  }
  if (one_in(8) && !plain_) spec.spec.span.one_host = true;
  if (one_in(8) && !plain_) spec.spec.span.ptile = pick(1, 2);
  if (one_in(12) && !plain_) spec.spec.exclusive = true;
  if (one_in(8) && !spec.spec.elastic) spec.array(1, pick(2, 6), pick(0, 2));
  if (one_in(12)) spec.hold();
  if (excludes && !one_in(4)) spec.spec.requeue_exits = {{3}, {3}};
  for (std::uint32_t alike = one_in(4) ? pick(2, 9) : 1; alike > 0; --alike)
    jobs.push_back(run.submit(spec));
}

JobId History::any_job() {
  std::vector<JobId> live;
  each_job(run.state, [&](const Job& job) {
    if (!is_over(job.state)) live.push_back(job.id);
  });
  return live.empty() ? JobId{} : live[pick(0, static_cast<std::uint32_t>(live.size()) - 1)];
}

// Every task exits with 3.
void History::fail(JobId id) {
  for (const Task& task : Tasks(run.job(id).tasks)) {
    bool held = find_task(run.job(id), task.number)->holds_slot();
    if (held && task.has_process)
      run.step(TaskEnded{id, run.job(id).attempt, task.number, 3 << 8, Term::None, {}, ""});
  }
}

// It waits, and is to be in another queue, of another plan or size.
void History::ask_anew(const Job& job) {
  SealedSpec sealed = *job.sealed;
  JobSpec& spec = sealed.spec;
  if (one_in(2)) spec.queue = std::vector{"high", "normal", "low"}[pick(0, 2)];
  if (one_in(2)) spec.plan = std::vector{"/", "/a", "/a/x", "/b"}[pick(0, 3)];
  if (one_in(2)) spec.max_tasks = std::max(spec.min_tasks = pick(1, 3), spec.max_tasks);
  if (!spec.elastic) spec.max_tasks = spec.min_tasks;
  run.step(JobModified{job.id, std::make_shared<const SealedSpec>(std::move(sealed)), "u"});
}

void History::end_or_resize() {
  JobId id = any_job();
  if (!id) return;
  const Job& job = run.job(id);
  if (job.state == JobState::Held) {
    run.step(JobReleased{id, "u"});
  } else if (job.state == JobState::Pending) {
    if (one_in(2)) run.step(JobHeld{id, "u"});
    else ask_anew(job);
  } else if (one_in(3) && job.spec().elastic && !job.kill) {
    run.step(CapChanged{id, pick(job.spec().min_tasks, job.spec().max_tasks), false, "u"});
  } else if (excludes && !one_in(4)) {
    fail(id);
  } else if (lingers && !job.kill && one_in(2)) {
    run.step(KillRequested{id, {}});
  } else {
    run.end(id);
  }
}

void History::change_host() {
  HostId id{pick(1, run.state.hosts.last())};
  if (run.host_of(id).closed) run.step(HostOpened{id, "admin"});
  else run.step(HostClosed{id, "admin", ""});
}

void History::change_gpu() {
  const Host& host = run.host_of(HostId{pick(1, run.state.hosts.last())});
  if (host.capacity.gpus.empty()) return;
  const std::string uuid =
      host.capacity.gpus[pick(0, static_cast<std::uint32_t>(host.capacity.gpus.size()) - 1)].uuid;
  GpuMark mark;
  mark.sick = !host.gpu_marks.contains(uuid);
  run.step(GpuMarked{host.id, uuid, mark});
}

void History::disturb() {
  if (shares && one_in(8)) change_gpu();
  std::uint32_t what = pick(1, 10);
  if (what <= 5) submit();
  else if (what <= 9) end_or_resize();
  else change_host();
}

void expect_not_oversubscribed(const Cluster& state) {
  state.hosts.each([](std::uint32_t, const Host& host) {
    EXPECT_LE(host.used_slots, host.capacity.slots) << host.name;
    EXPECT_LE(host.used_mem.value, host.capacity.mem.value) << host.name;
  });
  // A GPU twice, or one that does not exist, is refused by the state machine already.
}

// What is being ended counts until it is gone; what is parked does not.
void expect_within_limits(const Cluster& state) {
  const Config& config = *state.config;
  std::map<std::string, std::uint32_t> held;  // by queue, by user, by both, by queue's host
  std::map<HostId, std::set<JobId>> on_host, alone_on;  // alone: of exclusive jobs
  each_job(state, [&](const Job& job) {
    if (job.parked) return;
    const JobSpec& spec = job.spec();
    for (const Task& task : job.tasks) {
      if (!task.holds_slot()) continue;
      std::string host = to_string(JobId{task.host.value, 0});
      for (const auto& key : {"queue " + spec.queue, "user " + spec.owner.user,
                              spec.queue + " " + spec.owner.user, spec.queue + " on " + host})
        ++held[key];
      on_host[task.host].insert(job.id);
      if (spec.exclusive) alone_on[task.host].insert(job.id);
    }
  });
  auto expect = [&](const std::string& key, std::uint32_t limit) {
    EXPECT_LE(held[key], limit > 0 ? limit : ~0u) << key;
  };
  for (const QueueConf& queue : config.queues) {
    expect("queue " + queue.name, queue.max_slots);
    for (int user = 1; user <= 3; ++user)
      expect(queue.name + " user" + std::to_string(user), queue.user_slots);
    state.hosts.each([&](std::uint32_t number, const Host&) {
      expect(queue.name + " on " + std::to_string(number), queue.host_slots);
    });
  }
  for (const UserConf& user : config.users) expect("user " + user.name, user.max_slots);
  for (const auto& [host, jobs] : alone_on) EXPECT_EQ(on_host[host].size(), 1u) << host.value;
}

void expect_reasons(const Cluster& state, const Plan& plan) {
  auto starts = [&](JobId id) {
    return std::any_of(plan.starts.begin(), plan.starts.end(),
                       [&](auto& s) { return s.job == id; });
  };
  each_job(state, [&](const Job& job) {
    bool waits = job.state == JobState::Pending || job.state == JobState::Held;
    if (!waits || starts(job.id)) return;
    auto* reasons = plan.why(job.id);
    ASSERT_TRUE(reasons && !reasons->empty()) << to_string(job.id);
    EXPECT_NE(reasons->front().text, "") << to_string(job.id);
  });
}

void expect_equal(const Plan& a, const Plan& b) {
  EXPECT_EQ(a.starts, b.starts);
  EXPECT_EQ(a.grows, b.grows);
  EXPECT_EQ(a.shrinks, b.shrinks);
  EXPECT_EQ(a.preempts, b.preempts);
  EXPECT_EQ(a.promises, b.promises);
  EXPECT_EQ(a.look_again, b.look_again);
  ASSERT_EQ(a.waiting.size(), b.waiting.size());
  for (std::size_t i = 0; i < a.waiting.size(); ++i) {
    EXPECT_EQ(a.waiting[i].job, b.waiting[i].job);
    EXPECT_EQ(*a.waiting[i].reasons, *b.waiting[i].reasons);
  }
}

void History::live(int events) {
  for (int i = 0; i < events; ++i) {
    disturb();
    if (limits) run.now += pick(0, 15);
    Plan plan = run.plan();
    expect_reasons(run.state, plan);
    expect_equal(plan, run.plan());
    expect_equal(plan, schedule(run.state.freeze(), run.policy, test::at(run.now), memory));
    Plan done = run.pass();
    EXPECT_EQ(done.starts.size(), plan.starts.size()) << "admit refused a fresh plan";
    EXPECT_EQ(done.grows.size(), plan.grows.size());
    EXPECT_EQ(done.shrinks.size(), plan.shrinks.size());
    expect_not_oversubscribed(run.state);
    expect_within_limits(run.state);
    if (one_in(2)) run.let_leave();
  }
}

constexpr unsigned kSeeds = 300;

TEST(schedule_prop, histories_keep_every_promise) {
  for (unsigned seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History(seed).live(25);
  }
}

TEST(schedule_prop, histories_with_shared_and_sick_gpus_keep_every_promise) {
  for (unsigned seed = 0; seed < kSeeds / 2 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History history(seed);
    history.shares = true;
    history.live(25);
  }
}

TEST(schedule_prop, jobs_that_are_being_ended_count_until_they_are_gone) {
  for (unsigned seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History history(seed);
    history.lingers = true;
    history.live(25);
  }
}

// The state machine refuses a task on a host that is excluded for its job.
TEST(schedule_prop, nobody_returns_to_a_host_that_is_excluded_for_it) {
  std::size_t excluded = 0, moved = 0;
  for (unsigned seed = 0; seed < kSeeds / 2 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History history(seed);
    history.excludes = true;
    history.live(40);
    each_job(history.run.state, [&](const Job& job) {
      excluded += job.waits.excluded_hosts.empty() ? 0 : 1;
      moved += !job.waits.excluded_hosts.empty() && slots_held(job) > 0;
    });
  }
  EXPECT_GT(excluded, 100u);
  EXPECT_GT(moved, 10u) << "they are to run elsewhere, too";
}

TEST(schedule_prop, what_is_remembered_never_changes_a_decision) {
  for (unsigned seed = 0; seed < kSeeds / 2 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History history(seed);
    history.run_by_the_clock();
    history.live(25);
  }
}

TEST(schedule_prop, left_alone_the_cluster_comes_to_rest) {
  for (unsigned seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History history(seed);
    for (int i = 0; i < 12; ++i) {
      history.disturb();
      ASSERT_GE(history.run.settle(12), 0);
    }
  }
}

TEST(schedule_prop, waiting_for_leavers_changes_nothing_more) {
  for (unsigned seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History history(seed);
    for (int i = 0; i < 12; ++i) {
      history.disturb();
      int passes = 0;
      while (!history.run.pass().idle()) ASSERT_LT(++passes, 8);
      history.run.settle();
    }
  }
}

// What a job gave and took until the cluster came to rest, by host.
struct Moves {
  std::map<HostId, std::uint32_t> gave, took;
  static std::uint32_t sum(const std::map<HostId, std::uint32_t>& tasks) {
    std::uint32_t all = 0;
    for (auto [host, count] : tasks) all += count;
    return all;
  }
};

// Tasks that newcomers started with, by host: the most of one job.
using Newcomers = std::map<HostId, std::uint32_t>;

void note(const Plan& done, const Cluster& before, std::map<JobId, Moves>& moves,
          Newcomers& newcomers) {
  for (const auto& grow : done.grows)
    for (const Spot& spot : grow.tasks) ++moves[grow.job].took[spot.host];
  for (const auto& shrink : done.shrinks)
    for (TaskNumber number : shrink.tasks)
      ++moves[shrink.job].gave[find_task(*find_job(before, shrink.job), number)->host];
  for (const auto& start : done.starts) {
    std::map<HostId, std::uint32_t> tasks;
    for (const Spot& spot : start.tasks) ++tasks[spot.host];
    for (auto [host, count] : tasks) newcomers[host] = std::max(newcomers[host], count);
  }
}

// Who cleared a newcomer's first host gets as much elsewhere, not more.
bool has_cleared(const Moves& job, const Newcomers& newcomers) {
  bool elsewhere = true, for_first = false;
  for (auto [host, count] : job.took) elsewhere = elsewhere && !job.gave.count(host);
  for (auto [host, count] : job.gave)
    for_first = for_first || (newcomers.count(host) && newcomers.at(host) > 1);
  return elsewhere && for_first && Moves::sum(job.took) <= Moves::sum(job.gave);
}

// Leavers go one by one, newcomers take their time: who gave is not given back meanwhile.
// Not promised where tasks differ in what they take (a GPU or none, one GPU or two): room
// in pieces may have to be made twice.
void expect_one_way(History& history) {
  auto& run = history.run;
  std::map<JobId, Moves> moves;
  Newcomers newcomers;
  for (int passes = 0;; ++passes) {
    ASSERT_LT(passes, 100) << "does not come to rest";
    Cluster before = run.state;
    Plan done = run.pass();
    note(done, before, moves, newcomers);
    if (!run.let_one_leave() && done.idle()) break;
  }
  for (const auto& [job, made] : moves)
    EXPECT_TRUE(made.gave.empty() || made.took.empty() || has_cleared(made, newcomers))
        << to_string(job);
}

TEST(schedule_prop, nobody_gives_and_takes_while_others_leave) {
  for (unsigned seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History history(seed, true);
    history.gpus = history.one_in(2);
    for (int i = 0; i < 12 && !testing::Test::HasFailure(); ++i) {
      history.disturb();
      history.run.slow = history.one_in(2);
      expect_one_way(history);
      history.run.catch_up();
      ASSERT_GE(history.run.settle(), 0);
    }
  }
}

std::uint32_t idle_gpus(const Cluster& state) {
  std::uint32_t idle = 0;
  state.hosts.each([&](std::uint32_t, const Host& host) {
    for (auto& owner : host.gpu_owners) idle += !owner.job;
  });
  return idle;
}

// Elastic jobs of one GPU a task, each of its own user, in one plan.
TEST(schedule_prop, equals_share_all_gpus_to_within_one) {
  for (unsigned seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History history(seed, true);
    auto& run = history.run;
    std::uint32_t total = idle_gpus(run.state);
    for (std::uint32_t user = 1; user <= total && user <= 5; ++user) {
      auto spec =
          SpecBuilder().elastic().gpus(1).tasks(1, 9).user("u" + std::to_string(user), user);
      history.jobs.push_back(run.submit(spec));
      ASSERT_GE(run.settle(), 0);
      EXPECT_EQ(idle_gpus(run.state), total > 9 * user ? total - 9 * user : 0);
      auto [least, most] =
          std::minmax_element(history.jobs.begin(), history.jobs.end(),
                              [&](JobId a, JobId b) { return run.size(a) < run.size(b); });
      EXPECT_LE(run.size(*most) - run.size(*least), 1u);
    }
  }
}

}  // namespace
}  // namespace wm::sched
