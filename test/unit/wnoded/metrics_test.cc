// What monitoring reads of a host, and what is added up of its GPUs.
#include "daemons/wnoded/metrics.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "daemons/wnoded/task_meters.h"
#include "test/support/store_files.h"

namespace wm::node {
namespace {

using std::chrono::seconds;

NodeNumbers some() {
  NodeNumbers numbers;
  numbers.attempts = 3, numbers.tasks = 5, numbers.session = true;
  numbers.launches.add(0.02);
  numbers.launches.add(7);
  GpuReport gpu;
  gpu.uuid = "GPU-a\"\n", gpu.busy = 70, gpu.used = Bytes{1 << 20};
  numbers.gpus = {gpu};
  gpu::GpuReading reading;
  reading.uuid = "GPU-b", reading.celsius = 41, reading.power_mw = 71500,
  reading.energy_mj = 123000;
  reading.ecc_corrected = 2;
  numbers.readings = {reading};
  return numbers;
}

TEST(node_metrics, tell_tasks_launches_and_gpus) {
  auto text = node_metrics(some(), false);
  for (const char* line :
       {"wm_node_tasks 5", "wm_node_connected 1", "wm_node_launch_seconds_bucket{le=\"0.05\"} 1",
        "wm_node_launch_seconds_bucket{le=\"15\"} 2", "wm_node_launch_seconds_count 2",
        "wm_node_gpu_busy_ratio{gpu=\"GPU-a\\\"\\n\"} 0.7",
        "wm_node_gpu_temperature_celsius{gpu=\"GPU-b\"} 41",
        "wm_node_gpu_power_watts{gpu=\"GPU-b\"} 71.5",
        "wm_node_gpu_energy_joules_total{gpu=\"GPU-b\"} 123",
        "wm_node_gpu_ecc_corrected_errors_total{gpu=\"GPU-b\"} 2",
        "wm_node_gpu_ecc_uncorrected_errors_total{gpu=\"GPU-b\"} 0"})
    EXPECT_NE(text.find(std::string("\n") + line + "\n"), text.npos) << line << "\n" << text;
  EXPECT_TRUE(node_metrics(some(), true).ends_with("# EOF\n"));
}

TEST(node_metrics, of_very_many_gpus_are_bounded) {
  auto numbers = some();
  numbers.gpus.resize(500, numbers.gpus[0]);
  numbers.readings.resize(500, numbers.readings[0]);
  EXPECT_LT(node_metrics(numbers, false).size(), 50'000u);
}

TEST(node_metrics, promtool_takes_them) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0) GTEST_SKIP() << "no promtool here";
  test::ScratchDir dir;
  auto path = dir.path() + "/metrics";
  std::ofstream(path) << node_metrics(some(), false);
  EXPECT_EQ(std::system(("promtool check metrics <" + path + " >&2").c_str()), 0);
}

/// One GPU, looked at every ten seconds.
class task_meters : public ::testing::Test {
 protected:
  void look(std::uint32_t busy, const GpuHolders& holders, seconds later = seconds(10)) {
    now_ += later;
    energy_ += 1000;
    gpu::GpuReading reading;
    reading.uuid = "GPU-a", reading.busy = busy, reading.energy_mj = energy_;
    meters_.look({reading}, holders, now_, seconds(10));
  }
  GpuHolders held_by(std::vector<std::uint32_t> jobs) {
    GpuHolders holders;
    for (auto job : jobs)
      holders["GPU-a"].emplace_back(launch::AttemptKey{{job, 0}, Attempt{1}}, TaskNumber{1});
    return holders;
  }
  TaskMeters meters_;
  TimePoint now_{seconds(100)};
  std::uint64_t energy_ = 5000;
};

TEST_F(task_meters, add_up_what_was_seen_and_busy) {
  look(50, held_by({7}));
  for (int i = 0; i < 6; ++i) look(50, held_by({7}));
  auto told = meters_.take();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].job, (JobId{7, 0}));
  EXPECT_EQ(told[0].seen, seconds(60));
  EXPECT_EQ(told[0].busy, seconds(30));
  EXPECT_EQ(told[0].energy_mj, 6000);
  EXPECT_TRUE(meters_.take().empty());
}

TEST_F(task_meters, what_processes_used_comes_with_what_gpus_did) {
  launch::AttemptKey key{{7, 0}, Attempt{1}};
  look(50, held_by({7}));
  look(50, held_by({7}));
  meters_.add(key, TaskNumber{1}, {seconds(90), seconds(60), Bytes{500}});
  meters_.add(key, TaskNumber{1}, {seconds(30), seconds(60), Bytes{400}});
  auto told = meters_.take();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].seen, seconds(10));
  EXPECT_EQ(told[0].cpu, seconds(120));
  EXPECT_EQ(told[0].cpu_seen, seconds(120));
  EXPECT_EQ(told[0].mem_peak, Bytes{500});
}

TEST_F(task_meters, a_long_pause_was_not_looked_at) {
  look(100, held_by({7}));
  look(100, held_by({7}), seconds(600));
  EXPECT_TRUE(meters_.take().empty());
}

TEST_F(task_meters, who_shares_a_gpu_counts_by_parts_and_who_holds_none_not_at_all) {
  look(100, held_by({7, 8}));
  look(100, held_by({7, 8}));
  look(100, {});
  auto told = meters_.take();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].seen + told[1].seen, seconds(10));
}

}  // namespace
}  // namespace wm::node
