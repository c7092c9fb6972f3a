// Role: the lock and the sockets of a user's wuserd, as far as they are decided before it starts.
#include "daemons/wlogind/agents.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libwm/files/fd.h"
#include "libwm/files/whole_file.h"
#include "libwm/proc/accounts.h"
#include "test/support/folder.h"

namespace wm::login {
namespace {

namespace fs = std::filesystem;

class login_agents : public ::testing::Test {
 protected:
  test::OwnFolder own_;
  proc::Account me_{"me", "/", "/bin/sh", ::getuid(), ::getgid()};
  AgentPlan plan_{"/bin/false", "/etc/wm", own_.path(), "wm-web", ::getuid(), own_.path(), {}};
  std::string lock_ = own_.path() + "/" + std::to_string(::getuid()) + ".lock";
};

TEST_F(login_agents, a_lock_that_is_a_link_or_no_file_is_refused) {
  auto other = own_.path() + "/other";
  ASSERT_TRUE(replace_file(other, "x", 0600));
  fs::create_symlink(other, lock_);
  EXPECT_FALSE(agent_of(me_, plan_));
  fs::remove(lock_);
  ASSERT_EQ(::mkfifo(lock_.c_str(), 0600), 0);
  auto made = agent_of(me_, plan_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::Denied);
}

TEST_F(login_agents, while_its_lock_is_held_none_is_started) {
  Fd held(::open(lock_.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  auto socket = agent_of(me_, plan_);
  ASSERT_TRUE(socket);
  EXPECT_EQ(*socket, own_.path() + "/" + std::to_string(::getuid()) + ".sock");
  EXPECT_FALSE(fs::exists(*socket)) << "nothing was put in the place of what it listens on";
}

constexpr const char* kTellingAgent = R"sh(#!/bin/sh
echo "on stdout"; echo "on stderr" >&2
sh -c "ls -l /proc/$$/fd >$SAID"  # it is another shell that redirects
echo "uid $(id -u)
gid $(id -g)
at $(pwd)
whole" >"$SAID"
read -r nothing <"$END"
exit 7  # a test that became it does not pass
)sh";

/// A wuserd that tells what it was started with, then waits until the test lets it end.
class StartedAgent {
 public:
  StartedAgent() {
    for (const auto& pipe : {said_, end_}) {
      EXPECT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
      EXPECT_EQ(::chmod(pipe.c_str(), 0666), 0);
    }
    EXPECT_EQ(::chmod(own_.path().c_str(), 0755), 0);
    plan.program = own_.path() + "/agent";
    plan.logs = plan.folder = own_.path();
    plan.web_user = "wm-web";
    plan.web_uid = 65534;
    plan.passed = {"SAID=" + said_, "END=" + end_};
    std::ofstream(plan.program) << kTellingAgent;
    EXPECT_EQ(::chmod(plan.program.c_str(), 0755), 0);
  }
  ~StartedAgent() { finish(); }
  /// What it says, once it has said all; after ten seconds of silence what there is.
  std::string said() {
    Fd pipe(::open(said_.c_str(), O_RDWR | O_CLOEXEC));  // it has a writer: no end before its words
    std::string text;
    for (pollfd one{pipe.get(), POLLIN, 0}; text.find("whole\n") == std::string::npos;) {
      char bytes[4096];
      if (::poll(&one, 1, 10'000) <= 0) return text + "and no more";
      auto n = ::read(pipe.get(), bytes, sizeof bytes);
      if (n > 0) text.append(bytes, static_cast<std::size_t>(n));
    }
    return text;
  }
  /// It ends, and is awaited.
  void finish() {
    Fd pipe(::open(end_.c_str(), O_RDWR | O_CLOEXEC));
    if (pipe) (void)!::write(pipe.get(), "\n", 1);
    Fd unheard(::open(said_.c_str(), O_RDWR | O_CLOEXEC));
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
  }

 private:
  test::OwnFolder own_;
  std::string said_ = own_.path() + "/said", end_ = own_.path() + "/end";

 public:
  AgentPlan plan;
  proc::Account account = proc::account("daemon").value();
  std::string base = own_.path() + "/" + std::to_string(account.uid);
};

TEST(started_agent, is_its_users_with_its_sockets_its_log_and_nothing_else_of_wlogind) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  StartedAgent agent;
  EXPECT_FALSE(agent_runs(agent.account, agent.plan));
  auto socket = agent_of(agent.account, agent.plan);
  ASSERT_TRUE(socket);
  EXPECT_EQ(*socket, agent.base + ".sock");
  auto said = agent.said();
  auto has = [&](const std::string& line) { return said.find(line + "\n") != std::string::npos; };
  EXPECT_TRUE(has("uid " + std::to_string(agent.account.uid))) << said;
  EXPECT_TRUE(has("gid " + std::to_string(agent.account.gid))) << said;
  EXPECT_TRUE(has("at /") && has(" 0 -> /dev/null") && has(" 1 -> " + agent.base + ".log") &&
              has(" 2 -> " + agent.base + ".log") && has(" 4 -> " + agent.base + ".lock"))
      << said;
  for (const char* open : {" 3 -> socket:", " 5 -> socket:"})
    EXPECT_NE(said.find(open), std::string::npos) << said;
  for (const char* closed : {" 6 -> ", " 7 -> ", " 8 -> ", " 9 -> "})
    EXPECT_EQ(said.find(closed), std::string::npos) << said;
  EXPECT_TRUE(agent_runs(agent.account, agent.plan));
  EXPECT_EQ(read_file(agent.base + ".log", Bytes{1000}).value(), "on stdout\non stderr\n");
  agent.finish();
  EXPECT_FALSE(agent_runs(agent.account, agent.plan)) << "its lock goes with it";
}

TEST(started_agent, what_it_listens_on_is_nginxs_alone_and_the_guests_is_everybodys) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  StartedAgent agent;
  ASSERT_TRUE(agent_of(agent.account, agent.plan));
  struct stat own {
  }, guests{}, log{};
  ASSERT_EQ(::stat((agent.base + ".sock").c_str(), &own), 0);
  EXPECT_EQ(own.st_uid, agent.plan.web_uid);
  EXPECT_EQ(own.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat((agent.base + ".guests.sock").c_str(), &guests), 0);
  EXPECT_EQ(guests.st_mode & 0777, 0666u);
  agent.said();
  ASSERT_EQ(::stat((agent.base + ".log").c_str(), &log), 0);
  EXPECT_EQ(log.st_uid, 0u) << "root's: the user cannot forge what came before";
  EXPECT_EQ(log.st_mode & 0777, 0600u);
}

TEST(started_agent, without_a_folder_of_logs_it_speaks_to_the_journal_or_to_nobody) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  StartedAgent agent;
  agent.plan.logs.clear();
  ASSERT_TRUE(agent_of(agent.account, agent.plan));
  auto said = agent.said();
  bool journal = fs::exists("/run/systemd/journal/stdout");
  for (const char* fd : {" 1 -> ", " 2 -> "})
    EXPECT_NE(said.find(std::string(fd) + (journal ? "socket:" : "/dev/null")), std::string::npos)
        << said;
}

}  // namespace
}  // namespace wm::login
