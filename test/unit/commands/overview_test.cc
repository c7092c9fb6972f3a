#include "commands/common/overview.h"

#include <gtest/gtest.h>

#include <sstream>

namespace wm::cmd {
namespace {

JobView job(std::string user, JobState state) {
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.owner.user = std::move(user);
  auto made = std::make_shared<Job>();
  made->sealed = sealed;
  made->state = state;
  JobView view;
  view.job = made;
  return view;
}

HostView host(HostState state, bool closed) {
  HostView view;
  view.host.state = state;
  view.host.registered = WallTime{Duration{1}};
  view.host.capacity.milli_cpus = 8000;
  view.host.closed = closed;
  view.host.capacity.slots = 4;
  return view;
}

TEST(status_text, counts_hosts_jobs_and_users) {
  std::vector<JobView> jobs = {job("ann", JobState::Running), job("ann", JobState::Finished),
                               job("bob", JobState::Failed), job("carol", JobState::Held)};
  std::vector<HostView> hosts = {host(HostState::Ok, false), host(HostState::Ok, true),
                                 host(HostState::Silent, true), host(HostState::Dead, false)};
  auto text = status_text(jobs, hosts, 2);
  for (const char* line :
       {"    Number of servers:            4\n", "        Ok:                       1\n",
        "        Closed:                   1\n", "        Unreachable:              1\n",
        "        Slots:                    16/16\n", "        Running:                  1\n",
        "        CPUs:                     32/32\n", "        Servers:                  2/2\n",
        "    Number of user groups:        2\n", "        Suspended:                1\n",
        "        Finished:                 2\n", "    Number of users:              3\n",
        "    Number of active users:       2\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

// As programs do that count words: IBM's exporter.
TEST(status_text, words_stand_where_programs_count_them) {
  std::istringstream text(status_text({}, std::vector{host(HostState::Ok, false)}, 3));
  std::vector<std::string> words(1);
  for (std::string word; text >> word;) words.push_back(word);
  EXPECT_EQ(words.at(18), "4/4");  // slots
  EXPECT_EQ(words.at(22), "1");    // servers
  EXPECT_EQ(words.at(34), "0");    // jobs
  EXPECT_EQ(words.at(51), "3");    // user groups
  EXPECT_EQ(words.at(56), "0");    // active users
}

TEST(perfmon_json, has_the_names_that_programs_look_for) {
  PerfmonReply reply;
  reply.on = true;
  reply.period = std::chrono::seconds(60);
  reply.metrics = {{"Job information queries", 1, 3, 0, 2, 9}};
  reply.fds_used = 20, reply.fds = 1024;
  auto text = perfmon_json(reply);
  for (const char* part : {"\"period\": 60", "\"name\": \"Job information queries\"",
                           "\"current\": 1", "\"total\": 9", "\"used\": 20", "\"free\": 1004"})
    EXPECT_NE(text.find(part), text.npos) << part << text;
}

}  // namespace
}  // namespace wm::cmd
