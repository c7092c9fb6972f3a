#include "libwm/proc/port_guard.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wm::proc {
namespace {

/// A packet filter: what iptables is told, as lines; -S shows them as it does.
struct Filter {
  Result<std::string> run(const std::vector<std::string>& words) {
    if (words[0] == broken) return fail(Code::System, words[0] + ": refused");
    auto& rules = tables[words[0]];
    if (words[3] == "-S") {
      std::string shown = "-P INPUT ACCEPT\n";
      for (const auto& rule : rules) shown += "-A " + rule + "\n";
      return shown;
    }
    std::string rule;
    for (auto word = words.begin() + 4; word != words.end(); ++word)
      rule += (rule.empty() ? "" : " ") +
              (word->find(' ') == std::string::npos ? *word : '"' + *word + '"');
    auto at = std::ranges::find(rules, rule);
    if (words[3] == "-I") rules.insert(rules.begin(), rule);
    else if (at == rules.end()) return fail(Code::System, "no such rule");
    else if (words[3] == "-D") rules.erase(at);
    return std::string();
  }
  PortGuard guard(const std::string& owner, bool with_v6 = true) {
    return {owner, with_v6, [this](const auto& words) { return run(words); }};
  }
  std::map<std::string, std::vector<std::string>> tables;
  std::string broken;
};

TEST(port_guard, keeps_a_port_for_one_account_from_here_and_from_everybody_elsewhere) {
  Filter filter;
  auto guard = filter.guard("wm c/n1");
  ASSERT_TRUE(guard.keep(7001, 1000));
  ASSERT_TRUE(guard.keep(7001, 1000));
  for (const char* tool : {"iptables", "ip6tables"}) {
    const auto& rules = filter.tables[tool];
    ASSERT_EQ(rules.size(), 2u);
    EXPECT_EQ(rules[1],
              "OUTPUT -o lo -p tcp -m tcp --dport 7001 -m owner ! --uid-owner 1000 -m comment "
              "--comment \"wm c/n1\" -j REJECT --reject-with tcp-reset");
    EXPECT_EQ(rules[0],
              "INPUT ! -i lo -p tcp -m tcp --dport 7001 -m comment --comment \"wm c/n1\" -j REJECT "
              "--reject-with tcp-reset");
  }
  ASSERT_TRUE(guard.keep(7001, 1001)) << "the port is another's now";
  EXPECT_EQ(filter.tables["iptables"].size(), 2u);
  EXPECT_NE(filter.tables["iptables"][1].find("--uid-owner 1001"), std::string::npos);
  guard.open(7001);
  guard.open(7002);
  EXPECT_TRUE(filter.tables["iptables"].empty());
  EXPECT_TRUE(filter.tables["ip6tables"].empty());
}

TEST(port_guard, a_filter_that_refuses_leaves_nothing_half_done) {
  Filter filter;
  filter.broken = "ip6tables";
  auto guard = filter.guard("wm c/n1");
  auto kept = guard.keep(7001, 1000);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().text, "ip6tables: refused");
  EXPECT_TRUE(filter.tables["iptables"].empty());
  EXPECT_TRUE(filter.guard("wm c/n1", false).keep(7001, 1000)) << "a machine without IPv6";
}

TEST(port_guard, what_a_daemon_of_before_left_goes_and_strangers_rules_stay) {
  Filter filter;
  auto before = filter.guard("wm c/n1"), other = filter.guard("wm c/n12");
  ASSERT_TRUE(before.keep(7001, 1000));
  ASSERT_TRUE(before.keep(7002, 1000));
  ASSERT_TRUE(other.keep(7003, 1001));
  auto now = filter.guard("wm c/n1");
  ASSERT_TRUE(now.keep(7002, 1000)) << "an attempt that still runs";
  EXPECT_EQ(filter.tables["iptables"].size(), 6u) << "what is there is not made again";
  now.drop_others({7001});
  std::vector<std::string> ports;
  for (const auto& rule : filter.tables["iptables"])
    ports.push_back(rule.substr(rule.find("--dport") + 8, 4));
  EXPECT_EQ(ports, (std::vector<std::string>{"7003", "7003", "7002", "7002", "7001", "7001"}));
  now.drop_others({});
  EXPECT_EQ(filter.tables["iptables"].size(), 4u) << "the attempt at 7001 has ended";
}

}  // namespace
}  // namespace wm::proc
