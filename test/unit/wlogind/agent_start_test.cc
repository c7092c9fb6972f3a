// Role: what a user's wuserd is started with, and what of wlogind's it does not get.
#include "daemons/wlogind/agent_start.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace wm::login {
namespace {

const proc::Account kAnn{"ann", "/home/ann", "/bin/sh", 7, 7};

bool has(const std::vector<std::string>& list, const std::string& entry) {
  return std::ranges::find(list, entry) != list.end();
}

TEST(agent_start, nothing_of_roots_environment_goes_to_a_user) {
  ::setenv("LD_PRELOAD_OF_THE_TEST", "x", 1);
  AgentPlan plan;
  auto env = agent_environment(kAnn, plan);
  EXPECT_EQ(env, (std::vector<std::string>{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/ann",
                                           "USER=ann", "LOGNAME=ann", "LANG=C.UTF-8"}));
  plan.passed = {passed_variable("LD_PRELOAD_OF_THE_TEST")};
  EXPECT_TRUE(has(agent_environment(kAnn, plan), "LD_PRELOAD_OF_THE_TEST=x")) << "by --pass";
  ::unsetenv("LD_PRELOAD_OF_THE_TEST");
  EXPECT_EQ(passed_variable("LD_PRELOAD_OF_THE_TEST"), "");
}

TEST(agent_start, its_words_name_the_sockets_it_finds_open_and_the_account_it_admits) {
  AgentPlan plan;
  plan.program = "/usr/sbin/wuserd";
  plan.conf = "/etc/wm";
  plan.folder = "/run/wm-login";
  plan.web_user = "wm-web";
  EXPECT_EQ(agent_words(plan),
            (std::vector<std::string>{"/usr/sbin/wuserd", "--listen-fd", "3", "--guests-fd", "5",
                                      "--conf", "/etc/wm", "--token-key", "/run/wm-login/token.pub",
                                      "--web-user", "wm-web"}));
}

TEST(agent_start, its_scope_bounds_memory_and_processes) {
  auto words = scope_words(321, 7);
  EXPECT_EQ(words[0], "/usr/bin/busctl");
  EXPECT_TRUE(has(words, "wm-wuserd-7.scope"));
  auto value_of = [&](const char* name) {
    auto at = std::ranges::find(words, std::string(name));
    return at == words.end() ? "" : *(at + (std::string(name) == "PIDs" ? 3 : 2));
  };
  EXPECT_EQ(value_of("PIDs"), "321");
  EXPECT_EQ(value_of("MemoryMax"), "4294967296");
  EXPECT_EQ(value_of("TasksMax"), "4096");
}

TEST(agent_start, bound_down_it_gains_nothing_and_leaves_no_core_file) {
  pid_t child = ::fork();
  if (child == 0) {
    rlimit core{}, files{};
    bool fine = bind_down().has_value() && ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
                ::getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0 &&
                ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max <= 8192 &&
                files.rlim_cur > 0;
    ::_exit(fine ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace wm::login
