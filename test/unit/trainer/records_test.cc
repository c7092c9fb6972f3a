#include "libwm/trainer/records.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/support/folder.h"

namespace wm::trainer {
namespace {

// Step `n` of `epoch`, from `begin` to `end` in ms.
wm_step step(std::uint64_t n, std::uint32_t epoch, std::int64_t begin, std::int64_t end) {
  return {n, epoch, 2, 60, begin * 1000000, end * 1000000, 1, 120, 180, 30, 30};
}

class records : public testing::Test {
 protected:
  std::string text(const char* name) {
    std::ostringstream all;
    all << std::ifstream(dir_ / name).rdbuf();
    return all.str();
  }
  test::OwnFolder folder_;
  std::filesystem::path dir_ = folder_.path();
};

TEST_F(records, a_step_is_one_line_in_each_file_at_once) {
  auto r = Records::open(dir_.string());
  ASSERT_TRUE(r) << r.error().text;
  ASSERT_TRUE((*r)->write(step(7, 3, 1, 2)));
  EXPECT_EQ(text("steps.csv"),
            "step,epoch,world,samples,t_begin,t_end\n7,3,2,60,1000000,2000000\n");
  EXPECT_EQ(text("ledger.csv"),
            "step,epoch,data_epoch,begin,end,offset,size\n7,3,1,120,180,30,30\n");
}

TEST_F(records, a_second_opening_appends_without_another_head) {
  for (std::uint64_t n : {1, 2}) {
    auto r = Records::open(dir_.string());
    ASSERT_TRUE(r);
    ASSERT_TRUE((*r)->write(step(n, 1, 1, 2)));
  }
  EXPECT_EQ(text("steps.csv"),
            "step,epoch,world,samples,t_begin,t_end\n1,1,2,60,1000000,2000000\n"
            "2,1,2,60,1000000,2000000\n");
}

TEST_F(records, a_missing_folder_is_named) {
  auto r = Records::open((dir_ / "none").string());
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().text.find("none/steps.csv"), std::string::npos);
}

TEST(pause_meter, is_the_gap_at_the_switch_less_the_median_gap_before) {
  PauseMeter meter;
  for (std::int64_t n = 0; n < 30; ++n) EXPECT_FALSE(meter.on_step(step(n, 1, n * 10, n * 10 + 8)));
  auto pause = meter.on_step(step(30, 2, 298 + 7, 310));
  ASSERT_TRUE(pause);
  EXPECT_EQ(*pause, 5000000);
}

TEST(pause_meter, is_never_negative_and_only_at_a_switch) {
  PauseMeter meter;
  EXPECT_FALSE(meter.on_step(step(1, 1, 0, 5)));
  EXPECT_FALSE(meter.on_step(step(2, 1, 9, 15)));
  EXPECT_EQ(meter.on_step(step(3, 2, 16, 20)), 0);
  EXPECT_FALSE(meter.on_step(step(4, 2, 24, 30)));
}

}  // namespace
}  // namespace wm::trainer
