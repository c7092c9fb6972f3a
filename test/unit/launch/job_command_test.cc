// The command line of a job: through a starter, from a checkpoint.
#include "libwm/launch/job_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wm::launch {
namespace {

using ::testing::ElementsAre;

HostFacts bare_host() {
  HostFacts host;
  host.run = "/run/a";
  return host;
}

HostOrder command_order(const std::string& command) {
  HostOrder o;
  o.job = {12, 0};
  o.attempt = {1};
  o.resolved.program.command = command;
  return o;
}

TEST(job_command, without_a_starter_it_is_as_it_was_submitted) {
  EXPECT_THAT(command_of(command_order("/bin/true -x"), bare_host()),
              ElementsAre("/bin/true", "-x"));
  EXPECT_THAT(command_of(command_order("a; b"), bare_host()), ElementsAre("/bin/sh", "-c", "a; b"));
}

TEST(job_command, follows_a_starter_that_names_no_place_for_it) {
  EXPECT_EQ(started_by("nice -n 5", "work 'a b'"), "nice -n 5 work 'a b'");
}

TEST(job_command, stands_where_the_starter_says) {
  EXPECT_EQ(started_by("time %USRCMD >log; %USRCMD", "w 1"), "time w 1 >log; w 1");
}

TEST(job_command, is_one_word_inside_of_quotes_whatever_is_in_it) {
  EXPECT_EQ(started_by("csh -c \"%USRCMD; x\"", R"(echo "$HOME" \`)"),
            R"(csh -c "echo \"\$HOME\" \\\`; x")");
  EXPECT_EQ(started_by("csh -c '%USRCMD'", "echo 'a'"), R"(csh -c 'echo '\''a'\''')");
  EXPECT_EQ(started_by(R"(e \" %USRCMD "\"" %USRCMD)", "a\"b"), R"(e \" a"b "\"" a"b)");
}

TEST(job_command, a_profiles_starter_goes_before_the_queues) {
  auto o = command_order("/bin/true");
  o.queue_controls.starter = "nice";
  EXPECT_THAT(command_of(o, bare_host()), ElementsAre("/bin/sh", "-c", "nice /bin/true"));
  o.app.controls.starter = "time";
  EXPECT_THAT(command_of(o, bare_host()), ElementsAre("/bin/sh", "-c", "time /bin/true"));
}

TEST(job_command, a_script_is_started_by_its_file) {
  auto o = command_order("");
  o.blobs.script = "#!/bin/bash -e\ntrue\n";
  EXPECT_THAT(command_of(o, bare_host()), ElementsAre("/bin/bash", "-e", "/run/a/12-0.1.d/script"));
  o.queue_controls.starter = "nice %USRCMD";
  EXPECT_THAT(command_of(o, bare_host()),
              ElementsAre("/bin/sh", "-c", "nice '/bin/bash' '-e' '/run/a/12-0.1.d/script'"));
}

TEST(job_command, goes_on_from_a_sites_checkpoint_in_a_later_attempt) {
  auto o = command_order("/bin/work");
  o.resolved.checkpoint = {"/ckpt", {}, "site"};
  EXPECT_THAT(command_of(o, bare_host()), ElementsAre("/bin/work"));
  o.attempt = {2};
  auto argv = command_of(o, bare_host());
  ASSERT_EQ(argv.size(), 7u);
  EXPECT_THAT(std::vector(argv.begin() + 3, argv.end()),
              ElementsAre("erestart", "/ckpt/12", "site", "/bin/work"));
  o.resolved.checkpoint.method = "wm";  // the trainer finds its own
  EXPECT_THAT(command_of(o, bare_host()), ElementsAre("/bin/work"));
}

}  // namespace
}  // namespace wm::launch
