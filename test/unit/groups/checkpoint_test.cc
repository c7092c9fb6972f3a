// Checkpoints: whole or absent, refused when damaged.
#include "libwm/trainer/groups/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"

namespace wm::groups {
namespace {

namespace fs = std::filesystem;

class Checkpoint : public testing::Test {
 protected:
  Checkpoint() { dir_ = wm::test::made_folder(); }
  ~Checkpoint() override { fs::remove_all(dir_); }
  std::string path() const { return dir_ + "/checkpoint/checkpoint.wm"; }

  std::string dir_, why_;
  const Parcel parcel_{
      {.round = 12, .step = 9, .cursor = 77}, std::string("state\0with zeros", 16), "c:1:5"};
};

TEST_F(Checkpoint, what_is_saved_is_loaded) {
  ASSERT_TRUE(save(dir_, parcel_, why_)) << why_;
  EXPECT_EQ(load(dir_, why_), parcel_);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_ + "/checkpoint"), {}), 1)
      << "a temporary file is left";
}

TEST_F(Checkpoint, none_is_no_error) {
  EXPECT_FALSE(load(dir_, why_));
  EXPECT_EQ(why_, "");
}

TEST_F(Checkpoint, a_damaged_one_is_refused_by_name) {
  ASSERT_TRUE(save(dir_, parcel_, why_));
  fs::resize_file(path(), fs::file_size(path()) - 1);
  EXPECT_FALSE(load(dir_, why_));
  EXPECT_EQ(why_, path() + ": not a checkpoint of this version");
}

TEST_F(Checkpoint, a_failed_save_leaves_the_one_before) {
  ASSERT_TRUE(save(dir_, parcel_, why_));
  fs::create_directory(path() + "." + std::to_string(::getpid()) +
                       ".tmp");  // cannot be opened for writing
  EXPECT_FALSE(save(dir_, {{}, "other", ""}, why_));
  EXPECT_NE(why_.find("Is a directory"), std::string::npos) << why_;
  why_.clear();
  EXPECT_EQ(load(dir_, why_), parcel_);
}

TEST_F(Checkpoint, of_another_job_with_the_same_number_is_kept_and_not_gone_on_from) {
  ASSERT_TRUE(save(dir_, parcel_, why_));
  EXPECT_EQ(begin_with(dir_, "c:1:5", "", why_), parcel_);
  EXPECT_EQ(begin_with(dir_, "c:1:9", dir_, why_), parcel_) << "asked for";
  EXPECT_FALSE(begin_with(dir_, "c:1:9", "", why_));
  EXPECT_EQ(why_, "");
  EXPECT_TRUE(fs::exists(path() + ".c:1:5"));
  ASSERT_TRUE(save(dir_, {{}, "mine", "c:1:9"}, why_));
  EXPECT_EQ(begin_with(dir_, "c:1:9", "", why_)->state, "mine");
}

TEST_F(Checkpoint, of_the_job_to_resume_is_begun_with_until_there_is_an_own_one) {
  auto mine = dir_ + "/mine";
  fs::create_directory(mine);
  EXPECT_FALSE(begin_with(mine, "c:2:7", dir_, why_));
  EXPECT_EQ(why_, path() + ": there is no checkpoint to go on from");
  why_.clear();
  ASSERT_TRUE(save(dir_, parcel_, why_));
  EXPECT_EQ(begin_with(mine, "c:2:7", dir_, why_), parcel_);
  ASSERT_TRUE(save(mine, {{}, "own", "c:2:7"}, why_));
  EXPECT_EQ(begin_with(mine, "c:2:7", dir_, why_)->state, "own");
}

TEST_F(Checkpoint, whose_owner_nobody_knows_is_gone_on_from) {
  ASSERT_TRUE(save(dir_, {{}, "old", ""}, why_));
  EXPECT_EQ(begin_with(dir_, "c:1:5", "", why_)->state, "old");
}

TEST(parcel, any_cut_of_its_bytes_is_refused) {
  auto bytes = pack(Parcel{{.step = 3}, "abc", ""});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpack(std::string_view(bytes).substr(0, size))) << size;
  bytes[0] = 'X';
  EXPECT_FALSE(unpack(bytes));
}

}  // namespace
}  // namespace wm::groups
