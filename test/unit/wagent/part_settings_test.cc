// What an agent does with the settings of its part of the job.
#include "daemons/wagent/launch/part_settings.h"

#include <gtest/gtest.h>

#include <map>

namespace wm::wagent {
namespace {

using List = std::vector<std::string>;

PartSettings part(const char* container) {
  char* none[] = {nullptr};
  return read_part_settings(
      [=](const char* name) {
        return std::string_view(name) == "WM_AGENT_CONTAINER" ? container : nullptr;
      },
      none);
}

TEST(part_settings, a_command_goes_where_its_caller_is) {
  const List argv{"orted", "-x"}, inside{"A=1", "WM_CONTAINER=charliecloud"};
  auto in_container = part("ch-run\n--cd\n/my home\n/images/x\n--");
  EXPECT_EQ(placed_like_caller(argv, "/work", {"A=1"}, in_container), argv);
  EXPECT_EQ(placed_like_caller(argv, "/work", inside, part("")), argv);
  auto placed = placed_like_caller(argv, "/work", inside, in_container);
  ASSERT_EQ(placed.size(), 12u);
  EXPECT_EQ(List(placed.begin(), placed.begin() + 7),
            (List{"ch-run", "--cd", "/my home", "/images/x", "--", "/bin/sh", "-c"}));
  EXPECT_EQ(List(placed.begin() + 8, placed.end()), (List{"sh", "/work", "orted", "-x"}));
}

TEST(part_settings, what_says_where_a_command_is_comes_from_its_own_host) {
  std::string of_env[] = {"PRTE_MCA_prte_tmpdir_base=/run/b",    "OMPI_MCA_orte_tmpdir_base=/run/b",
                          "PRTE_MCA_prte_default_hostfile=/b/h", "PRTE_MCA_plm_ssh_agent=/bin/ssh",
                          "OMPI_MCA_orte_default_hostfile=/b/h", "WM_HOST=b"};
  std::vector<char*> environment;
  for (auto& entry : of_env) environment.push_back(entry.data());
  environment.push_back(nullptr);
  auto own = read_part_settings([](const char*) { return nullptr; }, environment.data()).own_env;
  EXPECT_EQ(own, (List{of_env[0], of_env[1], of_env[2], of_env[4], of_env[5]}));
}

TEST(part_settings, whose_output_is_passed_on_and_where_it_goes) {
  const std::map<std::string, std::string> vars{{"WM_AGENT_OUTPUT_SOCKET", "/run/output"},
                                                {"WM_AGENT_OUTPUT_OTHERS", "3"},
                                                {"WM_AGENT_OUTPUT_FILE", "/o"},
                                                {"WM_AGENT_OUTPUT_NAME", "12.out"},
                                                {"WM_AGENT_OUTPUT_LIMIT", "67108864"},
                                                {"WM_AGENT_ERRORS_FILE", "/e"}};
  char* none[] = {nullptr};
  auto output = read_part_settings(
                    [&](const char* name) {
                      auto at = vars.find(name);
                      return at == vars.end() ? nullptr : at->second.c_str();
                    },
                    none)
                    .output;
  EXPECT_EQ(output.socket, "/run/output");
  EXPECT_EQ(output.others, 3u);
  EXPECT_EQ(output.out,
            (launch::OutputFile{.path = "/o", .name = "12.out", .limit_bytes = 64 << 20}));
  EXPECT_EQ(output.err, (launch::OutputFile{.path = "/e", .name = {}}));
}

}  // namespace
}  // namespace wm::wagent
