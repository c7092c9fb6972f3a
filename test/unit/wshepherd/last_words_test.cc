// Role: what is read of a failed task: its error file, if that is one, or the end of its stderr.
#include "daemons/wshepherd/user/last_words.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libwm/launch/last_words.h"
#include "test/support/folder.h"

namespace wm::shepherd {
namespace {

class last_words_of : public testing::Test {
 protected:
  last_words_of() {
    task.err.push_back({.path = dir.path() + "/err", .name = {}});
    task.env = {"A=1", "TORCHELASTIC_ERROR_FILE=" + error_file()};
    record.status = 256;
    put(dir.path() + "/err", "ValueError: on stderr\n");
  }
  std::string error_file() const { return dir.path() + "/error.json"; }
  static void put(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::string reason() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(tell_last_words(task, record, "n1", ends[1], false), 0);
    ::close(ends[1]);
    std::string text(1000, 0);
    auto n = ::read(ends[0], text.data(), text.size());
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    ::close(ends[0]);
    return text;
  }

  test::OwnFolder dir;
  launch::TaskSpec task;
  launch::ExitRecord record;
};

TEST_F(last_words_of, an_error_file_goes_before_stderr) {
  put(error_file(), R"({"message": {"message": "ValueError: in the file\n  x"}})");
  EXPECT_EQ(reason(), "its error file says: ValueError: in the file");
}

TEST_F(last_words_of, without_one_stderr_says_it) {
  EXPECT_EQ(reason(), "its stderr ended: ValueError: on stderr");
  task.env.clear();
  EXPECT_EQ(reason(), "its stderr ended: ValueError: on stderr");
}

TEST_F(last_words_of, where_both_streams_go_to_one_file_that_says_it) {
  task.out.swap(task.err);
  EXPECT_EQ(reason(), "its output ended: ValueError: on stderr");
}

TEST_F(last_words_of, whatever_else_lies_there_is_not_read_and_not_waited_for) {
  auto at = error_file(), other = dir.path() + "/other";
  put(other, R"({"message": "of another file"})");
  ::symlink(other.c_str(), at.c_str());
  EXPECT_EQ(reason(), "its stderr ended: ValueError: on stderr") << "a link";
  ::unlink(at.c_str());
  ASSERT_EQ(::mkfifo(at.c_str(), 0600), 0);
  EXPECT_EQ(reason(), "its stderr ended: ValueError: on stderr") << "a FIFO";
  ::unlink(at.c_str());
  std::filesystem::create_directory(at);
  EXPECT_EQ(reason(), "its stderr ended: ValueError: on stderr") << "a folder";
  std::filesystem::remove(at);
  put(at, "{\"message\": \"" + std::string(launch::kReasonBytes, 'x') + "\"}");
  EXPECT_EQ(reason(), "its stderr ended: ValueError: on stderr") << "a huge one";
  put(at, "no json");
  EXPECT_EQ(reason(), "its stderr ended: ValueError: on stderr");
}

TEST_F(last_words_of, a_file_of_another_user_is_not_read) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  put(error_file(), R"({"message": "of another user"})");
  ASSERT_EQ(::chown(error_file().c_str(), 65534, 65534), 0);
  EXPECT_EQ(reason(), "its stderr ended: ValueError: on stderr");
}

TEST_F(last_words_of, a_file_from_before_the_task_says_nothing_of_it) {
  put(error_file(), R"({"message": "long ago"})");
  record.started = std::chrono::time_point_cast<WallTime::duration>(
      std::chrono::system_clock::now() + std::chrono::hours(1));
  EXPECT_EQ(reason(), "");
}

}  // namespace
}  // namespace wm::shepherd
