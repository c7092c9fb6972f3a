// Role: the lock and the sockets of a user's wuserd, as far as they are decided before it starts.
#include "daemons/wlogind/agents.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "libwm/files/whole_file.h"
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

}  // namespace
}  // namespace wm::login
