// Which CPUs the tasks of a job get, as values.
#include "libwm/launch/affinity.h"

#include <gtest/gtest.h>

namespace wm::launch {
namespace {

using Cpus = std::vector<std::uint32_t>;

/// Two sockets of one node each, four cores a node, two threads a core: CPU 0 and 8 are one core.
CpuMap machine() {
  CpuMap map;
  for (std::uint32_t core = 0; core < 8; ++core)
    for (std::uint32_t thread = 0; thread < 2; ++thread)
      map.push_back({core + 8 * thread, core, core / 4, core / 4});
  return map;
}

std::vector<BindWish> wishes(std::uint32_t tasks, std::optional<std::uint32_t> numa = {}) {
  std::vector<BindWish> all;
  for (std::uint32_t i = 1; i <= tasks; ++i) all.push_back({TaskNumber{i}, numa});
  return all;
}

Affinity asked(const std::string& section) { return **affinity_of("affinity[" + section + "]"); }

std::vector<Cpus> cpus(const std::string& section, std::uint32_t tasks,
                       std::set<std::uint32_t> taken = {}, std::optional<std::uint32_t> numa = {}) {
  std::vector<Cpus> found;
  for (const auto& b : plan_bindings(machine(), asked(section), taken, wishes(tasks, numa)))
    found.push_back(b.cpus);
  return found;
}

TEST(affinity, a_core_is_all_its_threads_and_belongs_to_one_task) {
  EXPECT_EQ(cpus("core(1)", 2), (std::vector<Cpus>{{0, 8}, {1, 9}}));
  EXPECT_EQ(cpus("core(2)", 2), (std::vector<Cpus>{{0, 1, 8, 9}, {2, 3, 10, 11}}));
}

TEST(affinity, what_is_taken_is_left_alone) {
  EXPECT_EQ(cpus("core(1)", 1, {8}), (std::vector<Cpus>{{1, 9}}));
  EXPECT_EQ(cpus("thread(1)", 1, {0}), (std::vector<Cpus>{{8}}));
}

TEST(affinity, packed_tasks_fill_a_node_and_balanced_ones_take_turns) {
  auto packed = cpus("core(2)", 3), balanced = cpus("core(2):distribute=balance", 3);
  EXPECT_EQ(packed[1], (Cpus{2, 3, 10, 11}));
  EXPECT_EQ(packed[2], (Cpus{4, 5, 12, 13}));
  EXPECT_EQ(balanced[1], (Cpus{4, 5, 12, 13}));
  EXPECT_EQ(balanced[2], (Cpus{2, 3, 10, 11}));
}

TEST(affinity, a_tasks_cores_lie_on_one_node_where_they_can) {
  EXPECT_EQ(cpus("core(3)", 2), (std::vector<Cpus>{{0, 1, 2, 8, 9, 10}, {4, 5, 6, 12, 13, 14}}));
  // five cores do not fit on either
  EXPECT_EQ(cpus("core(5)", 1)[0].size(), 10u);
}

TEST(affinity, cores_near_the_tasks_gpus_come_first) {
  EXPECT_EQ(cpus("core(1)", 1, {}, 1), (std::vector<Cpus>{{4, 12}}));
  EXPECT_EQ(cpus("core(5)", 1, {}, 1)[0], (Cpus{0, 4, 5, 6, 7, 8, 12, 13, 14, 15}));
}

TEST(affinity, cpubind_widens_what_a_task_may_use_but_not_what_it_takes) {
  auto found = plan_bindings(machine(), asked("core(1):cpubind=numa"), {}, wishes(2));
  EXPECT_EQ(found[0].cpus, (Cpus{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(found[0].units, (Cpus{0, 8}));
  EXPECT_EQ(found[1].units, (Cpus{1, 9}));
}

TEST(affinity, whole_nodes_and_sockets) {
  EXPECT_EQ(cpus("numa(1)", 1), (std::vector<Cpus>{{0, 1, 2, 3, 8, 9, 10, 11}}));
  EXPECT_EQ(cpus("socket(1)", 1, {0}), (std::vector<Cpus>{{4, 5, 6, 7, 12, 13, 14, 15}}));
}

TEST(affinity, a_task_without_room_is_not_bound) { EXPECT_EQ(cpus("core(5)", 2)[1], Cpus{}); }

TEST(affinity, is_read_from_the_whole_requirement) {
  auto found =
      affinity_of("select[mem>1] affinity[thread(3):membind=localonly:distribute=balance]");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, (Affinity{Affinity::Unit::Thread, 3, Affinity::Unit::Thread, true,
                               Affinity::Memory::LocalOnly}));
  EXPECT_FALSE(*affinity_of("span[hosts=1]"));
  EXPECT_FALSE(affinity_of("affinity[chip(1)]"));
  EXPECT_FALSE(affinity_of("affinity[core(0)]"));
  EXPECT_FALSE(affinity_of("affinity[core(1):cpubind=chip]"));
  EXPECT_FALSE(affinity_of("affinity[core(1):membind=far]"));
}

TEST(affinity, memory_is_that_of_the_nodes_of_a_tasks_cpus) {
  EXPECT_EQ(asked("core(1):membind=localprefer").memory, Affinity::Memory::LocalPrefer);
  EXPECT_EQ(asked("core(1)").memory, Affinity::Memory::Any);
  EXPECT_EQ(word_of(Affinity::Memory::LocalOnly), "localonly");
  EXPECT_EQ(nodes_of(machine(), {4, 12}), (Cpus{1}));
  EXPECT_EQ(nodes_of(machine(), {0, 4, 5}), (Cpus{0, 1}));
  EXPECT_EQ(nodes_of(machine(), {}), Cpus{});
}

TEST(affinity, a_list_is_written_as_lsf_has_it) { EXPECT_EQ(cpu_list({0, 3, 11}), "0,3,11"); }

}  // namespace
}  // namespace wm::launch
