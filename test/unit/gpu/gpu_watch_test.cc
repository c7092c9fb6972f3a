// Role: when a GPU is sick, when it is well again, and when it is free.
#include "libwm/gpu/gpu_watch.h"

#include <gtest/gtest.h>

namespace wm::gpu {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

Gpu device(const std::string& uuid) {
  Gpu gpu{uuid, "H200", Bytes{81920 * kMiB}};
  gpu.pci = "00000000:17:00.0";
  return gpu;
}

class gpu_watch : public ::testing::Test {
 protected:
  static GpuReading idle() {
    GpuReading r;
    r.uuid = "GPU-a";
    r.total = Bytes{81920 * kMiB};
    r.used = Bytes{500 * kMiB};
    return r;
  }
  const GpuReport& look(const GpuReading& r, bool held = false) {
    watch_.look({r}, held ? std::set<std::string>{r.uuid} : std::set<std::string>{},
                WallTime(std::chrono::seconds(++now_)));
    return watch_.reports()[0];
  }

  GpuWatch watch_{{device("GPU-a"), Gpu{"n-gpu1"}}};
  int now_ = 0;
};

TEST_F(gpu_watch, counters_are_not_watched) { EXPECT_EQ(watch_.reports().size(), 1u); }

TEST_F(gpu_watch, an_idle_gpu_is_well_and_free) {
  EXPECT_FALSE(look(idle()).sick);
  EXPECT_EQ(watch_.not_free("GPU-a"), "");
  EXPECT_EQ(watch_.base("GPU-a"), Bytes{500 * kMiB});
}

TEST_F(gpu_watch, a_process_or_memory_above_base_keeps_it_from_being_free) {
  look(idle());
  auto r = idle();
  r.processes = {{4711, Bytes{kMiB}}};
  look(r, true);
  EXPECT_EQ(watch_.not_free("GPU-a"), "held by process 4711");
  r.processes.clear();
  r.used = Bytes{4096 * kMiB};
  look(r, true);
  EXPECT_EQ(watch_.not_free("GPU-a"), "4G of its memory in use by no process");
  look(idle(), true);
  EXPECT_EQ(watch_.not_free("GPU-a"), "");
}

TEST_F(gpu_watch, memory_in_use_at_the_first_look_is_no_base) {
  auto r = idle();
  r.used = Bytes{40000 * kMiB};
  look(r);
  EXPECT_NE(watch_.not_free("GPU-a"), "");
  EXPECT_TRUE(look(r).sick);
}

TEST_F(gpu_watch, a_stranger_sets_it_aside_at_the_second_look_and_gives_it_back_in_the_end) {
  auto r = idle();
  r.processes = {{99, Bytes{kMiB}}};
  EXPECT_FALSE(look(r).sick) << "may have come and gone";
  EXPECT_TRUE(look(r).sick);
  EXPECT_EQ(watch_.reports()[0].why, "held by process 99, no job of ours");
  EXPECT_FALSE(watch_.reports()[0].sticky);
  EXPECT_TRUE(look(idle()).sick) << "well once is not enough";
  EXPECT_FALSE(look(idle()).sick);
}

TEST_F(gpu_watch, what_a_task_of_ours_does_is_no_fault) {
  auto r = idle();
  r.processes = {{99, Bytes{kMiB}}};
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(look(r, true).sick);
}

TEST_F(gpu_watch, xids_of_programs_are_ignored_and_those_of_hardware_stay) {
  auto r = idle();
  r.xids = {13, 31, 43, 999};
  EXPECT_FALSE(look(r).sick);
  r.xids = {79};
  auto since = look(r).since;
  EXPECT_TRUE(watch_.reports()[0].sticky);
  EXPECT_EQ(watch_.reports()[0].why, "XID 79: GPU has fallen off the bus");
  for (int i = 0; i < 5; ++i) look(idle());
  EXPECT_TRUE(watch_.reports()[0].sick) << "a reset is needed";
  EXPECT_EQ(watch_.reports()[0].since, since);
}

TEST_F(gpu_watch, what_lasts_is_told_before_an_xid_that_may_be_forgiven) {
  auto r = idle();
  r.xids = {79};
  auto since = look(r).since;
  r = idle();
  r.ecc_uncorrected = 1;
  look(r);
  EXPECT_FALSE(watch_.reports()[0].sticky);
  EXPECT_GT(watch_.reports()[0].since, since);
  look(idle());
  look(idle());
  EXPECT_TRUE(watch_.reports()[0].sticky);
  EXPECT_EQ(watch_.reports()[0].since, since);
}

TEST_F(gpu_watch, faults_of_memory_set_it_aside_at_once) {
  for (int fault = 0; fault < 4; ++fault) {
    auto r = idle();
    if (fault == 0) r.ecc_uncorrected = 2;
    if (fault == 1) r.remap_pending = true;
    if (fault == 2) r.remap_failed = true;
    if (fault == 3) r.trouble = 15;
    EXPECT_TRUE(look(r, true).sick) << fault;
    EXPECT_FALSE(watch_.reports()[0].why.empty());
    look(idle());
    EXPECT_FALSE(look(idle()).sick) << fault;
  }
}

TEST_F(gpu_watch, heat_counts_when_it_lasts) {
  auto r = idle();
  r.slow_reasons = 0x40;
  EXPECT_FALSE(look(r).sick);
  EXPECT_FALSE(look(r).sick);
  EXPECT_TRUE(look(r).sick);
  r.slow_reasons = 0x4;  // the power cap of software: as it should be
  look(r);
  EXPECT_FALSE(look(r).sick);
}

TEST_F(gpu_watch, one_that_does_not_become_free_is_given_up_at_once) {
  look(idle());
  auto r = idle();
  r.used = Bytes{3072 * kMiB};
  look(r, true);
  watch_.give_up("GPU-a", WallTime(std::chrono::seconds(9)));
  EXPECT_TRUE(watch_.reports()[0].sick);
  EXPECT_EQ(watch_.reports()[0].why,
            "not free after its task ended: 3G of its memory in use by no process");
  look(idle());
  EXPECT_FALSE(look(idle()).sick);
}

}  // namespace
}  // namespace wm::gpu
