// Files that travel with a job.
#include "libwm/submit/file_copies.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "test/support/folder.h"

namespace wm::cmd {
namespace {

namespace fs = std::filesystem;

std::string copy_refusal(const std::string& text) {
  auto copy = parse_file_copy(text);
  return copy ? "accepted" : copy.error().text;
}

TEST(file_copies, the_operator_says_which_way_and_when) {
  EXPECT_EQ(parse_file_copy("a > b").value(), (FileCopy{"a", "b", true, false, false}));
  EXPECT_EQ(parse_file_copy(" a  < b ").value(), (FileCopy{"a", "b", false, true, false}));
  EXPECT_EQ(parse_file_copy("a << b").value(), (FileCopy{"a", "b", false, true, true}));
  for (const char* both : {"a >< b", "a <> b"})
    EXPECT_EQ(parse_file_copy(both).value(), (FileCopy{"a", "b", true, true, false}));
}

TEST(file_copies, without_a_remote_file_the_path_is_the_same) {
  EXPECT_EQ(parse_file_copy("/x/a >").value().remote, "/x/a");
}

TEST(file_copies, anything_else_is_refused_by_name) {
  EXPECT_EQ(copy_refusal("a = b"), "-f \"a = b\": Bad argument, the operator is one of > < << ><");
  for (const char* text : {"", "a", "a > b c"})
    EXPECT_NE(copy_refusal(text).find("\"local_file operator [remote_file]\" is wanted"),
              std::string::npos);
}

class Spool : public testing::Test {
 protected:
  Spool() {
    home_ = wm::test::made_folder();
    std::ofstream(home_ + "/input") << "some text";
  }
  ~Spool() override { fs::remove_all(home_); }
  std::string home_;
};

TEST_F(Spool, a_copy_is_made_that_only_its_owner_reads) {
  auto path = spool_input("input", home_, home_);
  ASSERT_TRUE(path);
  EXPECT_TRUE(path->starts_with(home_ + "/.lsbatch/"));
  std::ifstream file(*path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "some text");
  EXPECT_EQ(fs::status(*path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_NE(spool_input("input", home_, home_).value(), *path);
}

TEST_F(Spool, a_missing_file_is_named) {
  auto path = spool_input("nothing", home_, home_);
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().text, "-is nothing: No such file or directory");
}

}  // namespace
}  // namespace wm::cmd
