// Whatever a job puts in place of its shepherd's logs.
#include "daemons/wshepherd/user/log_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"

namespace wm::shepherd {
namespace {

class log_file : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = wm::test::made_folder(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& text) const {
    auto fd = open_log(path("log"));
    ASSERT_TRUE(fd);
    ASSERT_EQ(::write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string folder_;
};

TEST_F(log_file, is_made_for_its_owner_only_and_appended_to) {
  write("one\n");
  write("two\n");
  std::ifstream file(path("log"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "one\ntwo\n");
  struct stat made {};
  ASSERT_EQ(::stat(path("log").c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0600u);
}

TEST_F(log_file, a_fifo_is_not_waited_for_nor_written_to) {
  ASSERT_EQ(::mkfifo(path("log").c_str(), 0600), 0);
  EXPECT_FALSE(open_log(path("log")));
  Fd reader(::open(path("log").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader);
  EXPECT_FALSE(open_log(path("log"))) << "somebody reads it";
}

TEST_F(log_file, links_lead_nowhere) {
  std::ofstream(path("other")) << "other";
  ASSERT_EQ(::symlink(path("other").c_str(), path("log").c_str()), 0);
  EXPECT_FALSE(open_log(path("log")));
  ::unlink(path("log").c_str());
  ASSERT_EQ(::link(path("other").c_str(), path("log").c_str()), 0);
  EXPECT_FALSE(open_log(path("log"))) << "another's file by a second name";
}

}  // namespace
}  // namespace wm::shepherd
