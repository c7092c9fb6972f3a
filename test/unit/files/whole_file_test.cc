// Files as a whole: what is read has a limit and a kind, what is replaced is there in full or as it
// was.
#include "libwm/files/whole_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libwm/files/temp_folder.h"
#include "test/support/folder.h"

namespace wm {
namespace {

namespace fs = std::filesystem;

class whole_file : public ::testing::Test {
 protected:
  whole_file() : folder_(test::made_folder()) {}
  ~whole_file() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string folder_;
};

TEST_F(whole_file, what_was_written_is_read_again_with_its_mode) {
  std::string text = "a\0b\n" + std::string(100'000, 'x');
  ASSERT_TRUE(replace_file(at("f"), text, 0640));
  EXPECT_EQ(*read_file(at("f")), text);
  struct stat is {};
  ASSERT_EQ(::stat(at("f").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0640u);
  ASSERT_TRUE(replace_file(at("f"), "", 0600));
  EXPECT_EQ(*read_file(at("f")), "");
  EXPECT_EQ(entries(), 1u) << "nothing beside it";
}

TEST_F(whole_file, only_regular_files_within_the_limit_are_read) {
  ASSERT_TRUE(replace_file(at("f"), "12345", 0600));
  EXPECT_TRUE(read_file(at("f"), Bytes{5}));
  EXPECT_EQ(read_file(at("f"), Bytes{4}).error().code, Code::Limit);
  fs::create_symlink("f", at("link"));
  EXPECT_EQ(read_file(at("link")).error().code, Code::Denied);
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_file(at("fifo")).error().code, Code::Denied) << "and nobody waits for a writer";
  EXPECT_EQ(read_file(folder_).error().code, Code::Denied);
  EXPECT_EQ(read_file("/dev/zero").error().code, Code::Denied);
  EXPECT_EQ(read_file(at("none")).error().code, Code::NotFound);
}

TEST_F(whole_file, a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else) {
  ASSERT_TRUE(replace_file(at("f"), "old", 0600));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  auto old_action = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small{4096, before.rlim_max};  // as a full disk: some bytes go in, then none
  ::setrlimit(RLIMIT_FSIZE, &small);
  auto done = replace_file(at("f"), std::string(10'000, 'x'), 0600);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old_action);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::System);
  EXPECT_NE(done.error().text.find(at("f")), std::string::npos) << done.error().text;
  EXPECT_EQ(*read_file(at("f")), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(whole_file, a_link_in_its_place_is_replaced_and_not_followed) {
  ASSERT_TRUE(replace_file(at("victim"), "kept", 0600));
  fs::create_symlink("victim", at("f"));
  ASSERT_TRUE(replace_file(at("f"), "new", 0600));
  EXPECT_EQ(*read_file(at("victim")), "kept");
  EXPECT_EQ(*read_file(at("f")), "new");
}

TEST_F(whole_file, a_draft_of_a_process_that_died_is_in_nobodys_way) {
  // Whatever number the next draft has, its name is taken.
  for (unsigned n = 0; n < 100; ++n)
    std::ofstream(at(".f.new." + std::to_string(::getpid()) + "." + std::to_string(n))) << "stale";
  ASSERT_TRUE(replace_file(at("f"), "new", 0600));
  EXPECT_EQ(*read_file(at("f")), "new");
}

TEST_F(whole_file, without_its_folder_it_cannot_be_written) {
  auto done = replace_file(at("none/f"), "x", 0600);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text.find("No such file"), std::string::npos) << done.error().text;
}

TEST_F(whole_file, a_temporary_folder_goes_with_all_that_is_in_it_unless_it_is_kept) {
  std::string gone, kept;
  {
    auto one = TempFolder::make(folder_, "t."), two = TempFolder::make(folder_, "t.");
    ASSERT_TRUE(one && two);
    EXPECT_NE(one->path(), two->path());
    fs::create_directories(one->path() + "/a/b");
    struct stat is {};
    ASSERT_EQ(::stat(one->path().c_str(), &is), 0);
    EXPECT_EQ(is.st_mode & 0777, 0700u);
    gone = one->path();
    kept = two->keep();
  }
  EXPECT_FALSE(fs::exists(gone));
  EXPECT_TRUE(fs::exists(kept));
  EXPECT_FALSE(TempFolder::make(at("none"), "t."));
}

}  // namespace
}  // namespace wm
