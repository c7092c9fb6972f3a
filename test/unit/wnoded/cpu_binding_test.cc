// wnoded and the CPUs of jobs with affinity[]: who gets which, and when they are free again.
#include "daemons/wnoded/attempts/cpu_binding.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "daemons/wnoded/core.h"
#include "libwm/codec/codec.h"
#include "test/support/fake_env.h"

namespace wm::node {
namespace {

using Cpus = std::vector<std::uint32_t>;

/// Four cores of one thread; the last two are node 1, where the GPU is.
HostRegister card() {
  HostRegister words;
  words.name = "n";
  words.capacity.gpus.resize(1);
  words.capacity.gpus[0].numa = 1;
  return words;
}
launch::HostFacts host() {
  launch::HostFacts facts;
  facts.name = "n";
  facts.run = "/run/n";
  facts.cpus = {{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 2, 1, 0}, {3, 3, 1, 0}};
  return facts;
}

class affinity_of_jobs : public ::testing::Test {
 protected:
  affinity_of_jobs() { node_.on_session(); }
  static HostOrder order(std::uint32_t job, std::uint32_t slots, const std::string& resreq) {
    HostOrder o;
    o.job = {job, 0};
    o.attempt = {1};
    o.generation = 1;
    o.resolved.owner = {1000, 100, "ann"};
    o.resolved.program.command = "run";
    o.resolved.asked.resreq = resreq;
    o.first_host = true;
    for (std::uint32_t number = 1; number <= slots; ++number) {
      OrderedTask task;
      task.task = {number};
      task.has_process = number == 1;
      o.tasks.push_back(task);
      o.all.push_back({{number}, "n", ""});
    }
    return o;
  }
  const launch::AttemptSpec& start(const HostOrder& o) {
    auto verb = static_cast<std::uint16_t>(NodeVerb::Order);
    EXPECT_TRUE(node_.on_frame(verb, codec::encode(o)));
    env_.authorise_next();
    return env_.fake.started.back();
  }
  Cpus cpus(const HostOrder& o) { return start(o).tasks.at(0).cpus; }
  void end(std::uint32_t job) {
    launch::ExitRecord record;
    record.key = {{job, 0}, {1}};
    record.task = {1};
    node_.on_word(record.key, launch::TaskEnded{record});
    record.task = {};
    node_.on_word(record.key, launch::AttemptEnded{record});
  }

  test::FakeEnv env_;
  Core node_{env_, card(), host()};
};

TEST_F(affinity_of_jobs, each_has_cores_of_its_own_until_it_ends) {
  EXPECT_EQ(cpus(order(1, 1, "affinity[core(1)]")), (Cpus{0}));
  EXPECT_EQ(cpus(order(2, 1, "affinity[core(1)]")), (Cpus{1}));
  end(1);
  EXPECT_EQ(cpus(order(3, 1, "affinity[core(1)]")), (Cpus{0}));
}

TEST_F(affinity_of_jobs, a_process_has_the_cores_of_slots_without_one_too_and_is_told) {
  auto spec = start(order(1, 2, "affinity[core(1)]"));
  EXPECT_EQ(spec.tasks.at(0).cpus, (Cpus{0, 1}));
  const auto& env = spec.tasks.at(0).env;
  EXPECT_NE(std::find(env.begin(), env.end(), "LSB_BIND_CPU_LIST=0,1"), env.end());
  EXPECT_NE(std::find(env.begin(), env.end(), "LSB_AFFINITY_HOSTFILE=/run/n/1-0.1.d/affinity"),
            env.end());
  auto file = std::find_if(spec.files.begin(), spec.files.end(),
                           [](auto& f) { return f.name == "affinity"; });
  ASSERT_NE(file, spec.files.end());
  EXPECT_EQ(file->text, "n 0\nn 1\n");
}

TEST_F(affinity_of_jobs, memory_is_bound_to_the_nodes_of_the_cpus_where_it_is_asked_for) {
  EXPECT_EQ(start(order(1, 1, "affinity[core(1)]")).tasks.at(0).memory, launch::MemoryBinding{});
  auto spec = start(order(2, 1, "affinity[core(1):membind=localonly]"));
  EXPECT_EQ(spec.tasks.at(0).memory, (launch::MemoryBinding{{0}, true}));
  const auto& env = spec.tasks.at(0).env;
  for (auto* entry : {"LSB_BIND_MEM_LIST=0", "LSB_BIND_MEM_POLICY=localonly"})
    EXPECT_NE(std::find(env.begin(), env.end(), entry), env.end()) << entry;
  EXPECT_EQ(start(order(3, 1, "affinity[core(1):membind=localprefer]")).tasks.at(0).memory,
            (launch::MemoryBinding{{1}, false}));
}

TEST_F(affinity_of_jobs, cores_near_the_tasks_gpu_come_first) {
  auto o = order(1, 1, "affinity[core(1)]");
  o.tasks[0].gpus = {0};
  EXPECT_EQ(cpus(o), (Cpus{2}));
}

TEST_F(affinity_of_jobs, others_are_not_bound) {
  auto spec = start(order(1, 1, "span[hosts=1]"));
  EXPECT_TRUE(spec.tasks.at(0).cpus.empty());
  for (const auto& entry : spec.tasks.at(0).env) EXPECT_FALSE(entry.starts_with("LSB_AFFINITY"));
}

TEST_F(affinity_of_jobs, what_runs_on_over_a_restart_keeps_its_cores) {
  env_.bound[77] = {0, 2};
  launch::ShepherdUp up;
  up.key = {{9, 0}, {1}};
  up.memo = memo_of(order(9, 1, "affinity[core(2)]"));
  up.tasks = {{{1}, 77, {}, false}};
  node_.adopt({up}, {});
  env_.authorise_next();
  EXPECT_EQ(cpus(order(1, 1, "affinity[core(2)]")), (Cpus{1, 3}));
}

TEST(cpu_binding, a_slot_is_bound_once_and_one_without_room_is_said) {
  HostOrder order;
  order.resolved.asked.resreq = "affinity[core(3)]";
  for (std::uint32_t number : {1u, 2u}) {
    OrderedTask task;
    task.task = {number};
    order.tasks.push_back(task);
  }
  CpuBinding binding;
  EXPECT_EQ(binding.choose(order, host(), {}, {}), std::vector<TaskNumber>{TaskNumber{2}});
  auto first = binding.taken_by({1});
  EXPECT_EQ(first.size(), 3u);
  EXPECT_TRUE(binding.taken_by({2}).empty());
  EXPECT_TRUE(binding.choose(order, host(), {}, {}).empty()) << "chosen once, room or not";
  EXPECT_EQ(binding.taken_by({1}), first);
  EXPECT_EQ(binding.slots().size(), 2u);
}

TEST(cpu_binding, a_task_that_may_use_all_cpus_was_not_bound_before_the_restart) {
  CpuBinding binding;
  binding.recall({1}, {0, 1, 2, 3}, host());
  EXPECT_TRUE(binding.empty());
  binding.recall({1}, {2, 3}, host());
  EXPECT_EQ(binding.taken_by({1}), (Cpus{2, 3}));
  EXPECT_EQ(binding.file("n").text, "n 2,3\n");
}

TEST(cpu_binding, a_requirement_that_does_not_read_asks_for_nothing) {
  HostOrder order;
  order.resolved.asked.resreq = "affinity[furlong(1)]";
  EXPECT_FALSE(CpuBinding::is_asked(order));
  CpuBinding binding;
  EXPECT_TRUE(binding.choose(order, host(), {}, {}).empty());
  launch::TaskSpec task;
  binding.bind(order, host(), task);
  EXPECT_TRUE(task.cpus.empty() && task.env.empty());
}

}  // namespace
}  // namespace wm::node
