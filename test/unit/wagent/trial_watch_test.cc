// Role: what of a trial's files is said while it runs, and again to a host that came back.
#include "daemons/wagent/trials/trial_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "daemons/wagent/trials/trial_files.h"
#include "test/support/store_files.h"

namespace wm::wagent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class trial_watch : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    auto path = std::filesystem::path(dir_.path()) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void writes_loss(const std::string& losses) { write("val_dict_list.json", "[" + losses + "]"); }

  test::ScratchDir dir_;
  boost::asio::io_context loop_;
  std::uint64_t connection_ = 1;
  bool heard_ = true;
  std::vector<std::string> said_;
  TrialWatch watch_{loop_,
                    dir_.path(),
                    {[this] { return connection_; },
                     [this](const std::string& report) {
                       if (heard_) said_.push_back(report);
                       return heard_;
                     }}};
};

TEST_F(trial_watch, says_what_is_new_once) {
  watch_.look();
  EXPECT_THAT(said_, IsEmpty()) << "nothing is written yet";
  writes_loss(R"({"loss":2})");
  watch_.look();
  watch_.look();
  ASSERT_THAT(said_, SizeIs(1));
  EXPECT_THAT(said_[0], HasSubstr("\"latest\":2.0"));
  writes_loss(R"({"loss":2},{"loss":1})");
  watch_.look();
  ASSERT_THAT(said_, SizeIs(2));
  EXPECT_THAT(said_[1], HasSubstr("\"latest\":1.0"));
}

TEST_F(trial_watch, a_file_that_changes_without_news_is_no_news) {
  writes_loss(R"({"loss":2})");
  watch_.look();
  writes_loss(R"( {"loss":2} )");
  watch_.look();
  EXPECT_THAT(said_, SizeIs(1));
}

TEST_F(trial_watch, what_nobody_heard_is_said_again) {
  writes_loss(R"({"loss":2})");
  heard_ = false;
  watch_.look();
  heard_ = true;
  watch_.look();
  EXPECT_THAT(said_, SizeIs(1));
}

// The host's daemon was killed: what it had not passed on is lost.
TEST_F(trial_watch, a_host_that_came_back_hears_what_holds) {
  writes_loss(R"({"loss":2})");
  watch_.look();
  connection_ = 0;
  writes_loss(R"({"loss":3},{"loss":4})");
  watch_.look();
  EXPECT_THAT(said_, SizeIs(1)) << "nobody is there";
  connection_ = 2;
  watch_.look();
  ASSERT_THAT(said_, SizeIs(2));
  connection_ = 3;
  watch_.look();
  ASSERT_THAT(said_, SizeIs(3));
  EXPECT_EQ(said_[2], said_[1]);
}

TEST_F(trial_watch, looks_by_itself_every_second) {
  writes_loss(R"({"loss":2})");
  watch_.start();
  while (said_.empty()) ASSERT_GT(loop_.run_one_for(std::chrono::seconds(20)), 0u);
  EXPECT_THAT(said_, SizeIs(1));
}

TEST_F(trial_watch, reads_both_files_and_of_a_long_one_its_end) {
  std::string line = R"({"values":{"acc":{"type":3,"value":"0.5"}}})";
  write("log/1/evaluation-metrics.txt", line + "\n");
  auto stamp = stamp_in(dir_.path());
  EXPECT_THAT(report_in(dir_.path()), HasSubstr("\"acc\""));
  std::string old = R"({"values":{"old":{"type":3,"value":"1"}}})";
  write("log/1/evaluation-metrics.txt",
        old + "\n" + std::string(4u << 20, ' ') + "\n" + line + "\n");
  EXPECT_NE(stamp_in(dir_.path()), stamp);
  auto report = report_in(dir_.path());
  EXPECT_THAT(report, HasSubstr("\"acc\""));
  EXPECT_EQ(report.find("\"old\""), std::string::npos);
}

}  // namespace
}  // namespace wm::wagent
