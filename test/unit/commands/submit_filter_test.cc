#include "commands/common/submit_filter.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"

namespace wm::cmd {
namespace {

Parsed some() {
  Parsed options;
  options.options = {{"q", {"night"}}, {"n", {"4"}}, {"x", {""}}, {"J", {"a \"b\" $c"}}};
  return options;
}

// A filter made of these lines of shell.
struct Filter {
  std::string folder = wm::test::made_folder();
  SiteScripts site;
  explicit Filter(const std::string& lines, const std::string& name = "esub") {
    site.submit_filter = folder + "/esub";
    add(name, lines);
  }
  ~Filter() { std::filesystem::remove_all(folder); }
  void add(const std::string& name, const std::string& lines) const {
    std::ofstream(folder + "/" + name) << "#!/bin/sh\n" << lines;
    ::chmod((folder + "/" + name).c_str(), 0755);
  }
};

TEST(filter_parameters, are_variables_that_a_shell_reads) {
  EXPECT_EQ(filter_parameters(some(), "sleep 1"),
            "LSB_SUB_COMMAND_LINE=\"sleep 1\"\nLSB_SUB_QUEUE=\"night\"\n"
            "LSB_SUB_JOB_NAME=\"a \\\"b\\\" \\$c\"\nLSB_SUB_NUM_PROCESSORS=\"4\"\n"
            "LSB_SUB_EXCLUSIVE=\"Y\"\n");
}

TEST(take_modifications, changes_adds_and_takes_away) {
  auto options = some();
  ASSERT_TRUE(take_modifications(
      "# ours\nLSB_SUB_QUEUE=\"day\"\nLSB_SUB_EXCLUSIVE=N\nLSB_SUB_PROJECT_NAME='p q'\n\n"
      "LSB_SUB_NUM_PROCESSORS=\nLSB_SUB_HOLD=Y\n",
      options));
  EXPECT_EQ(options.first("q"), "day");
  EXPECT_EQ(options.first("P"), "p q");
  EXPECT_FALSE(options.has("x"));
  EXPECT_FALSE(options.has("n"));
  EXPECT_TRUE(options.has("H"));
}

TEST(take_modifications, what_it_does_not_know_is_an_error) {
  auto options = some();
  EXPECT_FALSE(take_modifications("LSB_SUB_NONSENSE=1\n", options));
  EXPECT_FALSE(take_modifications("nonsense\n", options));
}

TEST(filter_submission, reads_what_it_is_given_and_changes_it) {
  Filter filter(
      ". \"$LSB_SUB_PARM_FILE\"\n"
      "echo LSB_SUB_PROJECT_NAME=\\\"$LSB_SUB_QUEUE$LSB_SUB_NUM_PROCESSORS\\\" "
      ">\"$LSB_SUB_MODIFY_FILE\"\n");
  auto options = some();
  ASSERT_TRUE(filter_submission(filter.site, "true", options));
  EXPECT_EQ(options.first("P"), "night4");
}

TEST(filter_submission, refuses_fails_and_is_ended_in_time) {
  auto code_of = [](const std::string& lines, Duration limit) {
    Filter filter(lines);
    filter.site.submit_filter_time = limit;
    auto options = some();
    return filter_submission(filter.site, "true", options).error().code;
  };
  const auto long_enough = std::chrono::seconds(60);
  EXPECT_EQ(code_of("exit $LSB_SUB_ABORT_VALUE\n", long_enough), Code::Denied);
  EXPECT_EQ(code_of("exit 3\n", long_enough), Code::System);
  EXPECT_EQ(code_of("sleep 600\n", std::chrono::milliseconds(20)), Code::Timeout);
  SiteScripts site;
  site.submit_filter = "/nonexistent/esub";
  auto options = some();
  EXPECT_EQ(filter_submission(site, "true", options).error().code, Code::NotFound);
}

TEST(filter_submission, those_of_the_application_come_after_it) {
  Filter filter("echo LSB_SUB_QUEUE=one >$LSB_SUB_MODIFY_FILE\n");
  filter.add(
      "esub.mpi",
      ". $LSB_SUB_PARM_FILE\necho LSB_SUB_QUEUE=${LSB_SUB_QUEUE}two >$LSB_SUB_MODIFY_FILE\n");
  auto options = some();
  options.options["a"] = {"mpi(4, fast) unknown"};
  ASSERT_TRUE(filter_submission(filter.site, "true", options));
  EXPECT_EQ(options.first("q"), "onetwo");
}

}  // namespace
}  // namespace wm::cmd
