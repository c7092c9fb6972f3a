// Which address a host is reached by when its configuration gives a name or nothing.
#include "daemons/wnoded/rim/own_address.h"

#include <gtest/gtest.h>

namespace wm::node {
namespace {

TEST(own_address, the_name_decides_where_it_means_a_network) {
  EXPECT_EQ(choose_address({{"10.0.0.7"}, "192.168.1.7"}, ""), "10.0.0.7");
  EXPECT_EQ(choose_address({{"127.0.1.1", "10.0.0.7"}, "127.0.0.1"}, ""), "10.0.0.7");
}

TEST(own_address, a_name_that_means_loopback_gives_the_way_to_a_master_elsewhere) {
  EXPECT_EQ(choose_address({{"127.0.1.1"}, "192.168.1.7"}, ""), "192.168.1.7");
  EXPECT_EQ(choose_address({{"127.0.1.1"}, "127.0.0.1"}, ""), "127.0.1.1") << "all on one machine";
  EXPECT_EQ(choose_address({{}, "192.168.1.7"}, ""), "192.168.1.7") << "a name nobody knows";
}

TEST(own_address, an_address_stays_while_the_name_means_it_and_changes_with_it) {
  EXPECT_EQ(choose_address({{"10.0.0.8", "10.0.0.7"}, ""}, "10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(choose_address({{"10.0.0.8"}, ""}, "10.0.0.7"), "10.0.0.8");
  EXPECT_EQ(choose_address({{"127.0.0.3", "127.0.0.2"}, "127.0.0.1"}, "127.0.0.2"), "127.0.0.2");
}

TEST(own_address, nothing_known_is_nothing_chosen) { EXPECT_EQ(choose_address({}, ""), ""); }

TEST(own_address, numbers_are_told_from_names) {
  EXPECT_TRUE(is_numeric("127.0.0.1"));
  EXPECT_FALSE(is_numeric("node1"));
  EXPECT_FALSE(is_numeric(""));
}

TEST(own_address, localhost_is_found_on_this_machine) {
  auto ways = look_for_ways("localhost", "127.0.0.1");
  EXPECT_EQ(choose_address(ways, ""), "127.0.0.1");
}

}  // namespace
}  // namespace wm::node
