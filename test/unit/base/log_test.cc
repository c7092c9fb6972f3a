#include "libwm/base/log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "test/support/folder.h"

namespace wm::log {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Folder {
  fs::path path = wm::test::made_folder();
  ~Folder() {
    open("log_test", "", Level::Info);
    fs::remove_all(path);
  }
};

TEST(reopen, lines_go_to_the_file_of_that_name_and_the_one_moved_away_stays) {
  Folder folder;
  auto path = folder.path / "x.log";
  open("log_test", path, Level::Info);
  info("first");
  fs::rename(path, folder.path / "x.log.1");
  info("second");
  reopen();
  info("third");
  EXPECT_NE(text_of(folder.path / "x.log.1").find("second"), std::string::npos);
  EXPECT_EQ(text_of(folder.path / "x.log.1").find("third"), std::string::npos);
  EXPECT_NE(text_of(path).find("third"), std::string::npos);
}

TEST(write, no_text_moves_a_terminal_or_looks_like_another_line) {
  Folder folder;
  auto path = folder.path / "x.log";
  open("log_test", path, Level::Info);
  info("refused", {{"user", std::string_view("a\x1b[2J\r\nb\0c\x7f", 11)}, {"plain", "ann"}});
  EXPECT_NE(text_of(path).find("user=\"a\\x1b[2J\\r\\nb\\x00c\\x7f\" plain=ann\n"),
            std::string::npos)
      << text_of(path);
}

TEST(set_level, holds_from_then_on) {
  Folder folder;
  open("log_test", folder.path / "x.log", Level::Warn);
  info("quiet");
  set_level(Level::Info);
  info("loud", {{"key", "a b"}});
  auto text = text_of(folder.path / "x.log");
  EXPECT_EQ(text.find("quiet"), std::string::npos);
  EXPECT_NE(text.find("loud key=\"a b\""), std::string::npos);
}

TEST(write, a_value_from_a_user_makes_no_line_of_its_own_and_steers_no_terminal) {
  testing::internal::CaptureStderr();
  open("log_test", "", Level::Info, To::Journal);
  warn("refused", {{"user", "x\n<4>forged by=y\x1b[2J"}});
  open("log_test", "", Level::Info);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "<4>refused user=\"x\\n<4>forged by=y\\x1b[2J\"\n");
}

TEST(open, the_journal_gets_priorities_and_no_times) {
  testing::internal::CaptureStderr();
  open("log_test", "", Level::Info, To::Journal);
  warn("hot", {{"celsius", 90}});
  open("log_test", "", Level::Info);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "<4>hot celsius=90\n");
}

TEST(to_named, knows_the_words_of_wm_conf) {
  EXPECT_EQ(to_named("syslog"), To::Syslog);
  EXPECT_EQ(to_named("journald"), To::Journal);
  EXPECT_EQ(to_named("file"), To::File);
  EXPECT_EQ(to_named("else"), To::File);
}

}  // namespace
}  // namespace wm::log
