// The runner of the site's policy against commands that mean ill or are ill: none of them gets more
// than its time and its bytes, and one that others can change is not run.
#include "libwm/proc/policy_command.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "libwm/frames/blocking.h"
#include "libwm/proc/channel.h"
#include "test/support/folder.h"

namespace wm::proc {
namespace {

using namespace std::chrono_literals;

/// A folder with one command in it.
struct Site {
  Site() { ::chmod(folder.path().c_str(), 0755); }
  std::string command(const std::string& text, mode_t mode = 0755) {
    auto path = folder.path() + "/policy";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    ::chmod(path.c_str(), mode);
    return path;
  }
  Result<std::string> said(const std::string& text, Duration limit = 20s,
                           const std::string& lines = "{}\n") {
    return run_policy({command(text), limit, lines});
  }
  test::OwnFolder folder;
};

Result<void> checked(const std::string& path) { return check_policy_command(path, ::geteuid()); }

TEST(policy_command, gets_the_lines_and_gives_what_it_wrote) {
  Site site;
  auto said = site.said("cat; echo done; echo to nobody >&2", 20s, "{\"a\":1}\n{\"b\":2}\n");
  ASSERT_TRUE(said) << said.error().text;
  EXPECT_EQ(*said, "{\"a\":1}\n{\"b\":2}\ndone\n");
}

TEST(policy_command, one_that_reads_nothing_is_no_failure) {
  Site site;
  std::string much(4 << 20, 'x');
  EXPECT_EQ(site.said("echo fine", 20s, much).value(), "fine\n");
}

TEST(policy_command, has_nothing_of_the_daemons_environment) {
  ::setenv("SECRET_OF_THE_DAEMON", "1", 1);
  Site site;
  EXPECT_EQ(site.said("env | grep -c SECRET; true").value(), "0\n");
  ::unsetenv("SECRET_OF_THE_DAEMON");
}

TEST(policy_command, root_is_somebody_who_owns_nothing_there) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  Site site;
  EXPECT_NE(site.said("id -u").value(), "0\n");
  EXPECT_EQ(site.said("id -G").value(), site.said("id -g").value());
  auto store = site.folder.path() + "/store";
  std::ofstream(store) << "jobs";
  ::chmod(store.c_str(), 0600);
  EXPECT_EQ(site.said("cat " + store).error().code, Code::System);
}

TEST(policy_command, one_that_never_ends_is_killed_with_what_it_started) {
  Site site;
  auto said = site.said("sleep 31622 & exec sleep 31622", 200ms);
  EXPECT_EQ(said.error(),
            (Error{Code::Timeout, site.folder.path() + "/policy was killed after 200ms"}));
}

TEST(policy_command, one_that_leaves_a_child_with_its_output_is_not_waited_for) {
  Site site;
  EXPECT_EQ(site.said("sleep 31623 & echo fine").value(), "fine\n");
}

TEST(policy_command, one_that_floods_is_killed) {
  Site site;
  EXPECT_EQ(site.said("exec yes").error().code, Code::Limit);
  EXPECT_EQ(site.said("exec yes >&2").error().code, Code::Limit);
}

TEST(policy_command, one_that_crashes_or_fails_says_how) {
  Site site;
  EXPECT_EQ(site.said("kill -SEGV $$").error().code, Code::System);
  auto path = site.folder.path() + "/policy";
  EXPECT_EQ(site.said("echo '{\"acc'; echo no such people >&2; exit 3").error().text,
            path + " ended with status 3: no such people");
}

TEST(policy_command, half_an_answer_is_given_as_it_is) {
  Site site;
  EXPECT_EQ(site.said("printf '{\"acc'").value(), "{\"acc");
}

TEST(policy_command, that_others_can_change_is_not_run) {
  Site site;
  EXPECT_TRUE(checked(site.command("true")));
  EXPECT_EQ(checked(site.command("true", 0775)).error().code, Code::Denied);
  EXPECT_EQ(checked(site.command("true", 0757)).error().code, Code::Denied);
  EXPECT_EQ(checked(site.command("true", 0644)).error().code, Code::Denied);
  EXPECT_EQ(run_policy({site.command("true", 0777), 5s, ""}).error().code, Code::Denied);
  auto path = site.command("true");
  ::chmod(site.folder.path().c_str(), 0777);
  EXPECT_EQ(checked(path).error().code, Code::Denied) << "its folder may be written by others";
  ::chmod(site.folder.path().c_str(), 0755);
  auto link = site.folder.path() + "/link";
  ASSERT_EQ(::symlink(path.c_str(), link.c_str()), 0);
  EXPECT_EQ(checked(link).error().code, Code::Denied);
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_EQ(checked(path).error().code, Code::Denied) << "its owner is neither root nor ours";
}

TEST(policy_command, is_named_by_its_path) {
  for (const char* path : {"", "policy", "/", "/policy", "./policy"})
    EXPECT_EQ(checked(path).error().code, Code::BadArgument) << path;
  Site site;
  EXPECT_EQ(checked(site.folder.path() + "/none").error().code, Code::NotFound);
  EXPECT_EQ(checked("/nosuchfolder/policy").error().code, Code::NotFound);
  EXPECT_EQ(checked(site.folder.path()).error().code, Code::Denied) << "a folder";
}

/// wpolicyd's part of a connection, on a thread of its own.
struct Door {
  Door() {
    auto pair = socket_pair().value();
    ours = std::move(pair.first);
    served = std::thread([fd = std::move(pair.second)] { answer_policy(fd.get(), ::geteuid()); });
  }
  ~Door() {
    ours.reset();
    served.join();
  }
  void ask(const std::string& command, const std::string& limit, const std::string& lines) {
    for (const auto& part : {command, limit, lines})
      ASSERT_TRUE(frames::write_frame(ours.get(), part));
  }
  std::string next() {
    auto frame = frames::read_frame(ours.get());
    return frame && *frame ? **frame : "none";
  }
  Fd ours;
  std::thread served;
};

TEST(policy_door, answers_a_question_and_is_done) {
  Site site;
  Door door;
  door.ask(site.command("cat"), "20000", "lines\n");
  EXPECT_EQ(door.next(), std::string(1, '\0'));
  EXPECT_EQ(door.next(), "lines\n");
  EXPECT_EQ(door.next(), "none");
}

TEST(policy_door, tells_why_there_is_no_answer) {
  Site site;
  Door door;
  door.ask(site.command("exit 2"), "20000", "");
  EXPECT_EQ(door.next(), std::string(1, static_cast<char>(Code::System)));
  EXPECT_EQ(door.next(), site.folder.path() + "/policy ended with status 2");
}

TEST(policy_door, takes_no_limit_that_is_none) {
  Site site;
  for (const char* limit : {"", "0", "-1", "x", "99999999999999999999", "60001"}) {
    Door door;
    door.ask(site.command("cat"), limit, "");
    EXPECT_EQ(door.next(), std::string(1, static_cast<char>(Code::BadArgument))) << limit;
  }
}

TEST(policy_door, half_a_question_has_no_command_run) {
  Site site;
  auto mark = site.folder.path() + "/ran";
  {
    Door door;
    ASSERT_TRUE(frames::write_frame(door.ours.get(), site.command("touch " + mark)));
  }
  EXPECT_NE(::access(mark.c_str(), F_OK), 0);
}

TEST(policy_door, another_than_wpolicyd_is_not_believed) {
  test::OwnFolder folder;
  auto path = folder.path() + "/socket";
  EXPECT_EQ(ask_policy_at(path, {"/bin/true", 1s, ""}).error().code, Code::Unavailable);
  auto listening = listen_unix(path);  // by us, who are not wm-policy
  ASSERT_TRUE(listening);
  auto asked = ask_policy_at(path, {"/bin/true", 1s, ""});
  bool known = asked.error().code == Code::Denied || asked.error().code == Code::NotFound;
  EXPECT_TRUE(known) << asked.error().text;
}

}  // namespace
}  // namespace wm::proc
