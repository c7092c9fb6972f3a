// Role: what an agent reads of its environment, and which variable it misses.
#include "daemons/wagent/settings.h"

#include <gtest/gtest.h>

#include <map>

namespace wm::wagent {
namespace {

using Variables = std::map<std::string, std::string>;

Variables whole() {
  return {{"WM_NODE_SOCKET", "/run/node.sock"},
          {"WM_AGENT_ADDRESS", "10.0.0.1"},
          {"WM_AGENT_JOB", "12[3]"},
          {"WM_AGENT_ATTEMPT", "2"},
          {"WM_AGENT_HOST", "7"},
          {"WM_AGENT_KEY", std::string(62, '0') + "fF"}};
}

Result<Settings> read(const Variables& variables) {
  return read_settings([&](const char* name) {
    auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

TEST(settings, say_where_the_agent_is) {
  auto settings = read(whole());
  ASSERT_TRUE(settings) << settings.error().text;
  EXPECT_EQ(settings->node_socket, "/run/node.sock");
  EXPECT_EQ(settings->job, (JobId{12, 3}));
  EXPECT_EQ(settings->attempt, Attempt{2});
  EXPECT_EQ(settings->host, HostId{7});
  EXPECT_EQ(settings->key[0], 0);
  EXPECT_EQ(settings->key[31], 0xff);
  EXPECT_EQ(settings->elastic_socket, "");
  EXPECT_EQ(settings->results, "");
}

TEST(settings, an_elastic_job_and_a_trial_have_more) {
  auto more = whole();
  more["WM_ELASTIC_SOCKET"] = "/run/elastic";
  more["WM_AGENT_RESULTS"] = "/home/ann/12";
  auto settings = read(more);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->elastic_socket, "/run/elastic");
  EXPECT_EQ(settings->results, "/home/ann/12");
}

TEST(settings, each_that_is_missing_is_named) {
  for (const auto& [name, value] : whole()) {
    auto without = whole();
    without.erase(name);
    auto settings = read(without);
    ASSERT_FALSE(settings) << name;
    EXPECT_NE(settings.error().text.find(name), std::string::npos) << settings.error().text;
    without[name] = "";
    EXPECT_FALSE(read(without)) << name << " is empty";
  }
}

TEST(settings, what_does_not_read_is_refused_with_its_value) {
  auto refused = [](const std::string& name, const std::string& value) {
    auto variables = whole();
    variables[name] = value;
    auto settings = read(variables);
    return settings ? "read" : settings.error().text;
  };
  for (const char* bad : {"0", "-1", "2x", "x", "99999999999"}) {
    EXPECT_EQ(refused("WM_AGENT_ATTEMPT", bad),
              "WM_AGENT_ATTEMPT '" + std::string(bad) + "': not a number from 1");
    EXPECT_NE(refused("WM_AGENT_HOST", bad), "read") << bad;
  }
  EXPECT_NE(refused("WM_AGENT_JOB", "twelve").find("WM_AGENT_JOB"), std::string::npos);
  for (auto key : {std::string(63, '0'), std::string(66, '0'), std::string(62, '0') + "0g"})
    EXPECT_EQ(refused("WM_AGENT_KEY", key), "WM_AGENT_KEY: not 64 hexadecimal digits");
}

}  // namespace
}  // namespace wm::wagent
