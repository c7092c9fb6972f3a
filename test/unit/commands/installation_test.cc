// Role: what badmin ckconfig finds beside the files of configuration.
#include "commands/common/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace wm::cmd {
namespace {

using ::testing::HasSubstr;

// A machine on which all is as it should be; a test spoils one thing.
struct Sound {
  ClusterConf conf;
  std::map<std::string, std::uint32_t> accounts{{"root", 0}, {"wm", 990}};
  std::map<std::string, FileFacts> files{{"/var/lib/wm/master", {990, 0750, true}},
                                         {"/var/log/wm/master", {990, 0750, true}},
                                         {"/var/lib/wm/node/h1", {0, 0700, true}},
                                         {"/etc/munge/munge.key", {105, 0400, false}},
                                         {"/run/munge/munge.socket.2", {105, 0777, false}}};
  Findings check() const {
    auto in = [](const auto& map) {
      return [&map](const std::string& name) {
        auto at = map.find(name);
        return at == map.end() ? std::nullopt : std::optional(at->second);
      };
    };
    return check_machine(conf, {in(accounts), in(files), "h1", policy_command});
  }
  std::function<Result<void>(const std::string&, std::uint32_t)> policy_command;
  // The one thing that is wrong.
  Finding only() const {
    auto found = check();
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? Finding{} : found[0];
  }
};

TEST(installation, nothing_is_found_where_all_is_well) { EXPECT_TRUE(Sound().check().empty()); }

TEST(installation, an_account_that_is_missing_stops_the_daemons) {
  Sound machine;
  machine.accounts.erase("wm");
  auto found = machine.only();
  EXPECT_TRUE(found.stops);
  EXPECT_THAT(found.text, HasSubstr("master_user: no account 'wm'"));
}

TEST(installation, what_would_keep_a_submit_policy_from_running_stops) {
  Sound machine;
  machine.conf.submit_policy.command = "/usr/local/sbin/policy";
  EXPECT_THAT(machine.only().text, HasSubstr("no account 'wm-policy'"));
  machine.accounts["wm-policy"] = 991;
  EXPECT_FALSE(machine.only().stops);
  EXPECT_THAT(machine.only().text, HasSubstr("wpolicyd does not listen on /run/wm/policy/socket"));
  machine.files["/run/wm/policy/socket"] = {991, 0666, false};
  EXPECT_TRUE(machine.check().empty());
  std::uint32_t owner = 1;
  Result<void> may = fail(Code::Denied, "it may be written by others");
  machine.policy_command = [&](const std::string&, std::uint32_t of) { return owner = of, may; };
  EXPECT_TRUE(machine.only().stops);
  EXPECT_EQ(owner, 0u);
  may = fail(Code::NotFound, "it is not there");
  EXPECT_FALSE(machine.only().stops) << "the master's host may be another";
}

TEST(installation, a_private_cluster_says_as_whom_its_submit_policy_runs) {
  Sound machine;
  machine.accounts["ann"] = 1000;
  machine.conf.master_user = machine.conf.host_user = "ann";
  machine.files.clear();
  machine.files["/etc/munge/munge.key"] = {105, 0400, false};
  machine.files["/run/munge/munge.socket.2"] = {105, 0777, false};
  machine.conf.submit_policy.command = "/home/ann/policy";
  auto found = machine.only();
  EXPECT_FALSE(found.stops);
  EXPECT_THAT(found.text, HasSubstr("runs as 'ann', which can read the store"));
}

TEST(installation, a_results_folder_that_users_jobs_refuse_is_told_with_the_remedy) {
  Sound machine;
  machine.conf.dirs.results = "/shared/results";
  auto& folder = machine.files["/shared/results"];
  for (auto mode : {0755u, 01777u, 01775u, 0700u}) {
    folder = {0, mode, true};
    EXPECT_TRUE(machine.check().empty()) << mode;
  }
  for (auto mode : {0777u, 0775u, 0757u}) {
    folder = {0, mode, true};
    EXPECT_FALSE(machine.only().stops);
    EXPECT_THAT(machine.only().text, HasSubstr("badmin mkresults"));
  }
  folder = {1000, 0755, true};
  EXPECT_THAT(machine.only().text, HasSubstr("chown root /shared/results"));
  machine.conf.host_user = "ann";  // a private cluster: all of it is ann's
  machine.accounts["ann"] = 1000;
  machine.files["/var/lib/wm/node/h1"].uid = 1000;
  EXPECT_TRUE(machine.check().empty());
}

TEST(installation, a_folder_of_the_wrong_account_is_told_with_the_remedy) {
  Sound machine;
  machine.files["/var/lib/wm/master"].uid = 0;
  auto found = machine.only();
  EXPECT_TRUE(found.stops);
  EXPECT_THAT(found.text, HasSubstr("chown -R wm /var/lib/wm/master"));
  machine = {};
  machine.files["/var/lib/wm/node/h1"].uid = 990;
  EXPECT_THAT(machine.only().text, HasSubstr("not to root"));
}

TEST(installation, folders_of_jobs_that_are_missing_are_a_warning) {
  Sound machine;
  machine.conf.dirs.results = "/shared/results";
  auto found = machine.only();
  EXPECT_FALSE(found.stops);
  EXPECT_THAT(found.text, HasSubstr("results_dir: no folder /shared/results"));
  machine.files["/shared/results"] = {0, 01777, true};
  EXPECT_TRUE(machine.check().empty());
}

TEST(installation, a_key_that_others_can_read_is_told) {
  Sound machine;
  machine.files["/etc/munge/munge.key"].mode = 0440;
  auto found = machine.only();
  EXPECT_TRUE(found.stops);
  EXPECT_THAT(found.text, HasSubstr("mode 0440"));
}

TEST(installation, of_another_munged_only_the_socket_is_looked_at) {
  Sound machine;
  machine.files["/etc/munge/munge.key"].mode = 0644;
  machine.conf.munge_socket = "/own/socket";
  EXPECT_THAT(machine.only().text, HasSubstr("does not listen on /own/socket"));
}

TEST(installation, an_lsf_conf_that_was_made_of_another_wm_conf_is_named) {
  const std::string made = "# Made by badmin\nA=1\n";
  EXPECT_TRUE(check_lsf_conf("lsf.conf", std::nullopt, made).empty());
  EXPECT_TRUE(check_lsf_conf("lsf.conf", made, made).empty());
  EXPECT_TRUE(check_lsf_conf("lsf.conf", "# mine\nA=2\n", made).empty());
  auto found = check_lsf_conf("lsf.conf", "# Made by badmin\nA=2\n", made);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].stops);
}

}  // namespace
}  // namespace wm::cmd
