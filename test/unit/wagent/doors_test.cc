// The ways in to a host's part of a job, and the way to its other agents.
#include "daemons/wagent/launch/doors.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "libwm/wire/shared_key.h"
#include "test/unit/wagent/launch_rig.h"

namespace wm::wagent {
namespace {

class doors : public ::testing::Test {
 protected:
  test::ScratchDir dir_;
  test::Loop loop_;
  Settings settings_ = Part::settings_with('k');
  PartSettings part_ = Part::part_of(dir_.path() + "/launch", "h1");
  Doors doors_{loop_.context, settings_, part_};
};

TEST_F(doors, agents_and_the_owner_have_a_door_of_their_own_and_tasks_a_socket) {
  auto open = doors_.open([](auto) {});
  ASSERT_TRUE(open) << open.error().text;
  EXPECT_TRUE(open->launch.starts_with("127.0.0.1:"));
  EXPECT_NE(open->launch, open->owner);
  EXPECT_TRUE(std::filesystem::is_socket(part_.launch_socket));
}

TEST_F(doors, the_socket_of_a_former_agent_is_replaced) {
  Doors former(loop_.context, settings_, part_);
  ASSERT_TRUE(former.open([](auto) {}));
  EXPECT_TRUE(doors_.open([](auto) {}));
}

TEST_F(doors, a_socket_that_cannot_be_made_is_said) {
  part_.launch_socket = dir_.path() + "/none/launch";
  EXPECT_FALSE(doors_.open([](auto) {}));
}

TEST_F(doors, where_no_task_starts_commands_there_is_no_socket) {
  part_.launch_socket.clear();
  EXPECT_TRUE(doors_.open([](auto) {}));
}

TEST_F(doors, agents_of_another_group_are_reached_by_their_groups_key) {
  AgentAt own, other;
  other.key = std::string(sizeof(wire::SharedKey), 'x');
  auto by_own = doors_.link_to(own), by_other = doors_.link_to(other);
  ASSERT_TRUE(by_own && by_other);
  EXPECT_EQ(by_own->credentials, doors_.by_key().credentials);
  EXPECT_NE(by_other->credentials, doors_.by_key().credentials);
  other.key = "short";
  auto wrong = doors_.link_to(other);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::Damaged);
}

}  // namespace
}  // namespace wm::wagent
