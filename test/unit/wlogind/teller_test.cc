// Role: lines for the record of acts leave the process that answers questions without a wait.
#include "daemons/wlogind/teller.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace wm::login {
namespace {

TEST(teller, is_a_process_of_its_own_and_keeps_nobody_waiting_while_the_master_is_away) {
  ClusterConf nowhere;
  nowhere.master_host = "127.0.0.1";
  nowhere.master_port = 1;
  auto teller = Teller::start(nowhere);
  ASSERT_TRUE(teller);
  EXPECT_GT(teller->pid(), 1);
  EXPECT_NE(teller->pid(), ::getpid());
  EXPECT_EQ(::kill(teller->pid(), 0), 0);
  DoorLine line;
  for (int i = 0; i < 500; ++i) teller->tell(line);  // more than any buffer holds
  EXPECT_EQ(::kill(teller->pid(), 0), 0);
}

}  // namespace
}  // namespace wm::login
