// Role: all workers' output at once: lines that are looked for, and what is new to a page of files
// that grow, are replaced, or are no files.
#include "daemons/wuserd/jobs/log_views.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "daemons/wuserd/jobs/checkpoints.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "test/support/folder.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class log_views : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    auto path = fs::path(folder.path() + "/" + name);
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  Json found(const std::string& word, TimePoint until = steady_now() + 1h) const {
    return json_or_null(found_lines_json(folder.path(), {word, 200}, until));
  }
  /// The first worker's stdout, as a page sees it that has so much of it.
  Json part(const std::string& have, const std::string& tail = "") const {
    return json_or_null(merged_json(folder.path(), merged_wish(tail, have).value()))["parts"][0];
  }
  test::OwnFolder folder;
};

TEST_F(log_views, lines_are_found_in_the_files_of_all_workers) {
  write("log/1/stdout", "one\nloss 1\ntwo\nLOSS 2");
  write("log/2/stderr", "loss 3\n");
  auto json = found("loss");
  EXPECT_EQ(json["count"], 3);
  EXPECT_EQ(json["complete"], true);
  ASSERT_EQ(json["matches"].size(), 3u);
  EXPECT_EQ(json["matches"][1]["text"], "LOSS 2");
  EXPECT_EQ(json["matches"][1]["line"], 4);
  EXPECT_EQ(json["matches"][2]["task"], 2);
  EXPECT_EQ(json["matches"][2]["stream"], "stderr");
}

TEST_F(log_views, a_look_that_has_no_time_left_says_that_it_did_not_come_to_the_end) {
  write("log/1/stdout", "loss 1\n");
  auto json = found("loss", steady_now());
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["count"], 0);
}

TEST_F(log_views, a_page_gets_what_is_new_to_it_in_whole_lines) {
  write("log/1/stdout", "one\ntwo\nhal");
  auto all = part("");
  EXPECT_EQ(all["text"], "one\ntwo\n");
  EXPECT_EQ(all["from"], 0);
  EXPECT_EQ(all["to"], 8);
  EXPECT_EQ(part("4")["text"], "two\n");
  EXPECT_EQ(part("4")["from"], 4);
}

TEST_F(log_views, a_page_that_has_all_of_a_file_gets_nothing) {
  write("log/1/stdout", "one\ntwo\n");
  auto part_now = part("8");
  EXPECT_EQ(part_now["text"], "");
  EXPECT_EQ(part_now["from"], 8);
  EXPECT_EQ(part_now["to"], 8);
}

TEST_F(log_views, a_file_that_is_shorter_than_it_was_begins_anew) {
  write("log/1/stdout", "one\ntwo\n");
  auto anew = part("9");
  EXPECT_EQ(anew["text"], "one\ntwo\n");
  EXPECT_EQ(anew["from"], 0);
}

TEST_F(log_views, a_page_that_begins_near_the_end_begins_with_a_whole_line) {
  write("log/1/stdout", "one\ntwo\nthree\n");
  auto end = part("", "8");
  EXPECT_EQ(end["text"], "three\n");
  EXPECT_EQ(end["from"], 8);
}

TEST_F(log_views, what_is_no_plain_file_is_empty) {
  fs::create_directories(folder.path() + "/log/1");
  fs::create_symlink("/dev/zero", folder.path() + "/log/1/stdout");
  EXPECT_EQ(part("")["text"], "");
  EXPECT_EQ(found("x")["count"], 0);
}

TEST_F(log_views, wishes_that_are_no_numbers_are_refused) {
  EXPECT_TRUE(merged_wish("1048576", "1,2,3"));
  EXPECT_EQ(merged_wish("", "1,2,3")->have, (std::vector<std::uint64_t>{1, 2, 3}));
  for (auto [tail, have] : {std::pair("x", ""), std::pair("1048577", ""), std::pair("-1", ""),
                            std::pair("", "1,x"), std::pair("", "1,,2")})
    EXPECT_EQ(merged_wish(tail, have).error().code, Code::BadArgument) << tail << "|" << have;
}

TEST_F(log_views, checkpoints_are_the_newest_first_and_a_trainers_before_others_of_its_second) {
  for (const char* name : {"b.pt", "checkpoint.pt", "a.pt", "old.pt", "x.tmp", ".hidden"})
    write(std::string("checkpoint/") + name, "123");
  auto then = fs::file_time_type::clock::now();
  for (const char* name : {"b.pt", "checkpoint.pt", "a.pt"})
    fs::last_write_time(folder.path() + "/checkpoint/" + name, then);
  fs::last_write_time(folder.path() + "/checkpoint/old.pt", then - 1h);
  std::string names;
  for (const auto& file : checkpoints_of(folder.path())) names += file.name + " ";
  EXPECT_EQ(names, "checkpoint.pt a.pt b.pt old.pt ");
  EXPECT_EQ(checkpoints_of(folder.path())[0].size, 3u);
  EXPECT_TRUE(checkpoints_of("").empty());
}

TEST_F(log_views, checkpoints_of_a_job_with_groups_are_those_of_its_first) {
  fs::create_directories(folder.path() + ".1/checkpoint/deep/er");
  std::ofstream(folder.path() + ".1/checkpoint/deep/er/f") << "12345";
  auto all = checkpoints_of(folder.path());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].size, 5u) << "of a folder what is in it";
  fs::remove_all(folder.path() + ".1");
}

}  // namespace
}  // namespace wm::user
