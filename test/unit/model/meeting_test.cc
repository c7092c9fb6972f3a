#include "libwm/model/meeting.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

using std::chrono::seconds;

const std::vector<Expected> kFour = {{"node1", "10.0.0.1", 2}, {"node2", "10.0.0.2", 2}};

std::string text_of(std::vector<Callers> callers, const std::vector<Expected>& expected = kFour,
                    const std::string& what = "tasks") {
  return meeting_text(expected, {28001, seconds(60), std::move(callers)}, what);
}

TEST(meeting, who_is_missing_is_told_by_host) {
  EXPECT_EQ(text_of({{"10.0.0.1", 2}, {"10.0.0.2", 1}}),
            "3 of 4 tasks have met at node1:28001 after 1m; not connected: 1 of node2");
  EXPECT_EQ(text_of({}),
            "0 of 4 tasks have met at node1:28001 after 1m; not connected: 2 of "
            "node1, 2 of node2");
  EXPECT_EQ(
      text_of({{"10.0.0.1", 1}}, {{"node1", "10.0.0.1", 1}, {"node2", "10.0.0.2", 1}}, "hosts"),
      "1 of 2 hosts have met at node1:28001 after 1m; not connected: node2");
}

TEST(meeting, nobody_is_missing_once_all_are_there_or_nobody_waits) {
  EXPECT_EQ(text_of({{"10.0.0.1", 2}, {"10.0.0.2", 2}}), "");
  EXPECT_EQ(meeting_text(kFour, {}, "tasks"), "");
  EXPECT_EQ(text_of({}, {}), "");
}

TEST(meeting, a_host_with_more_connections_than_processes_stands_for_no_other) {
  EXPECT_EQ(text_of({{"10.0.0.1", 9}}),
            "2 of 4 tasks have met at node1:28001 after 1m; not connected: 2 of node2");
}

TEST(meeting, callers_from_an_address_of_no_host_may_be_anybody) {
  EXPECT_EQ(text_of({{"10.0.0.1", 2}, {"192.168.0.2", 2}}), "");
  EXPECT_EQ(text_of({{"10.0.0.1", 2}, {"192.168.0.2", 1}}),
            "3 of 4 tasks have met at node1:28001 after 1m");
}

TEST(meeting, what_calls_by_the_loopback_is_on_the_first_host_unless_hosts_share_it) {
  EXPECT_EQ(text_of({{"127.0.0.1", 1}, {"::1", 3}}),
            "2 of 4 tasks have met at node1:28001 after 1m; not connected: 2 of node2");
  std::vector<Expected> shared = {{"node1", "127.3.1.1", 2}, {"node2", "127.3.1.2", 2}};
  EXPECT_EQ(text_of({{"127.0.0.1", 4}}, shared), "");
  EXPECT_EQ(text_of({{"127.0.0.1", 3}}, shared), "3 of 4 tasks have met at node1:28001 after 1m");
}

TEST(meeting, few_of_many_missing_hosts_are_named_and_those_without_a_name_are_counted) {
  std::vector<Expected> many = {{"node1", "10.0.0.1", 1}};
  for (int i = 2; i <= 9; ++i)
    many.push_back({"node" + std::to_string(i), "10.0.0." + std::to_string(i), 1});
  many.push_back({"", "", 2});
  EXPECT_EQ(text_of({{"10.0.0.1", 1}}, many, "hosts"),
            "1 of 11 hosts have met at node1:28001 after 1m; not connected: node2, node3, node4, "
            "node5, node6 and 3 hosts more");
  EXPECT_EQ(text_of({{"10.0.0.1", 1}}, {many.front(), many.back()}, "hosts"),
            "1 of 3 hosts have met at node1:28001 after 1m");
}

}  // namespace
}  // namespace wm
