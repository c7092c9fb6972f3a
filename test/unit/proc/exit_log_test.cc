#include "libwm/proc/exit_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/support/folder.h"

namespace wm::proc {
namespace {

/// A folder of its own for every test.
class exit_log : public ::testing::Test {
 protected:
  exit_log() {
    folder_ = wm::test::made_folder();
    path_ = folder_ + "/exits";
  }
  ~exit_log() override { std::filesystem::remove_all(folder_); }

  static launch::ExitRecord record(std::uint32_t job, int status = 0) {
    launch::ExitRecord r;
    r.key = {{job, 0}, {1}};
    r.task = {1};
    r.status = status;
    r.text = "job " + std::to_string(job);
    return r;
  }
  std::string bytes() const {
    std::ifstream file(path_);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void put(const std::string& bytes) { std::ofstream(path_) << bytes; }
  std::vector<std::uint32_t> jobs() {
    std::vector<std::uint32_t> found;
    damage_.clear();
    auto records = read_exits(path_, note_);
    EXPECT_TRUE(records);
    for (const auto& r : *records) found.push_back(r.key.job.job);
    return found;
  }

  using Stretches = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  std::string folder_, path_;
  Stretches damage_;  // of the last look
  OnDamage note_ = [this](auto at, auto bytes) { damage_.emplace_back(at, bytes); };
};

TEST_F(exit_log, a_missing_file_holds_nothing) { EXPECT_TRUE(jobs().empty()); }

TEST_F(exit_log, records_come_back_whole_and_in_order) {
  ASSERT_TRUE(append_exits(path_, {record(1, 256), record(2)}));
  ASSERT_TRUE(append_exits(path_, {record(3)}));
  auto records = read_exits(path_);
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 3u);
  EXPECT_EQ((*records)[0], record(1, 256));
  EXPECT_EQ((*records)[2], record(3));
}

TEST_F(exit_log, every_torn_tail_leaves_the_records_before_it) {
  ASSERT_TRUE(append_exits(path_, {record(1)}));
  auto first = bytes().size();
  ASSERT_TRUE(append_exits(path_, {record(2)}));
  auto whole = bytes();
  for (auto size = first; size < whole.size(); ++size) {
    put(whole.substr(0, size));
    EXPECT_EQ(jobs(), (std::vector<std::uint32_t>{1})) << "cut at " << size;
    EXPECT_TRUE(damage_.empty()) << "a torn end is no damage, cut at " << size;
  }
}

TEST_F(exit_log, what_follows_a_torn_record_is_still_read) {
  ASSERT_TRUE(append_exits(path_, {record(1)}));
  auto whole = bytes();
  put(whole + whole.substr(0, whole.size() / 2));
  ASSERT_TRUE(append_exits(path_, {record(2)}));
  EXPECT_EQ(jobs(), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(damage_, (Stretches{{whole.size(), whole.size() / 2}}));
}

TEST_F(exit_log, a_flipped_byte_loses_that_record_only) {
  ASSERT_TRUE(append_exits(path_, {record(1), record(2)}));
  auto damaged = bytes();
  damaged[30] = static_cast<char>(damaged[30] ^ 1);
  put(damaged);
  EXPECT_EQ(jobs(), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(damage_, (Stretches{{0, damaged.size() / 2}}));
}

TEST_F(exit_log, damage_at_the_end_is_told_and_gone_once_the_file_is_shrunk) {
  ASSERT_TRUE(append_exits(path_, {record(1), record(2)}));
  auto damaged = bytes();
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  put(damaged);
  EXPECT_EQ(jobs(), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(damage_, (Stretches{{damaged.size() / 2, damaged.size() / 2}}));
  damage_.clear();
  ASSERT_TRUE(shrink_exits(
      path_, [](const launch::ExitRecord&) { return true; }, note_));
  EXPECT_EQ(damage_.size(), 1u);
  EXPECT_EQ(jobs(), (std::vector<std::uint32_t>{1}));
  EXPECT_TRUE(damage_.empty());
}

TEST_F(exit_log, shrinking_keeps_what_is_wanted_and_later_records) {
  ASSERT_TRUE(append_exits(path_, {record(1), record(2), record(3)}));
  ASSERT_TRUE(shrink_exits(path_, [](const launch::ExitRecord& r) { return r.key.job.job == 2; }));
  ASSERT_TRUE(append_exits(path_, {record(4)}));
  EXPECT_EQ(jobs(), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_LT(exits_size(path_), 1000u);
}

TEST(crc32c, gives_the_published_value) { EXPECT_EQ(crc32c("123456789"), 0xe3069283u); }

}  // namespace
}  // namespace wm::proc
