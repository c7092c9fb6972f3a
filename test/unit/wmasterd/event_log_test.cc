// What the master's log says of events, and which of its lines are written.
#include "daemons/wmasterd/state/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using testing::HasSubstr;

std::string words(const EventBody& body, const Cluster& after) {
  std::string text;
  for (const auto& field : event_fields({Seq{5}, {}, body}, after))
    text += (text.empty() ? "" : " ") + std::string(field.key) + "=" + field.value;
  return text;
}

Cluster one_host() {
  Cluster state;
  Host host;
  host.name = "node1";
  state.hosts.set(1, host);
  return state;
}

TEST(event_log, says_which_host_or_queue_who_and_why) {
  auto state = one_host();
  EXPECT_EQ(words(HostClosed{HostId{1}, "ann", "new disk"}, state),
            "seq=5 host=node1 by=ann why=new disk");
  EXPECT_EQ(words(HostOpened{HostId{1}, "ann"}, state), "seq=5 host=node1 by=ann");
  EXPECT_EQ(words(HostSilent{HostId{2}}, state), "seq=5 host=#2");
  EXPECT_EQ(words(QueueChanged{"night", QueueStandingChange::Close, "ann", ""}, state),
            "seq=5 queue=night by=ann");
  EXPECT_EQ(words(ConfigLoaded{}, state), "seq=5");
}

TEST(event_log, says_which_gpu_is_set_aside_and_why) {
  GpuMark mark{.closed = true, .closed_by = "ann", .closed_why = "hot"};
  EXPECT_EQ(words(GpuMarked{HostId{1}, "GPU-1", mark}, one_host()),
            "seq=5 host=node1 gpu=GPU-1 mark=closed by=ann why=hot");
  EXPECT_EQ(words(GpuMarked{HostId{1}, "GPU-1", {.sick = true, .sick_why = "XID 79"}}, one_host()),
            "seq=5 host=node1 gpu=GPU-1 mark=sick why=XID 79");
}

TEST(event_log, of_a_job_names_the_job) {
  EXPECT_EQ(words(JobPurged{JobId{7, 0}}, one_host()), "seq=5 job=7");
}

TEST(event_log, what_costs_work_or_hosts_is_more_than_information) {
  using log::Level;
  EXPECT_EQ(event_level(JobPurged{}), Level::Info);
  EXPECT_EQ(event_level(HostSilent{}), Level::Warn);
  EXPECT_EQ(event_level(HostDied{}), Level::Error);
  EXPECT_EQ(event_level(HostFenceFailed{}), Level::Error);
  EXPECT_EQ(event_level(TaskStuck{}), Level::Warn);
  EXPECT_EQ(event_level(ClockStepped{}), Level::Warn);
  TaskEnded ended;
  EXPECT_EQ(event_level(ended), Level::Info);
  ended.term = Term::HostLost;
  EXPECT_EQ(event_level(ended), Level::Warn);
  EXPECT_EQ(words(ClockStepped{std::chrono::hours(-1), true}, one_host()),
            "seq=5 by_s=-3600 waits=yes");
}

TEST(event_log, its_level_follows_the_configuration) {
  auto path = testing::TempDir() + "wm_event_log_" + std::to_string(::getpid());
  Desk desk;
  desk.start();
  desk.settle();
  log::open("event_log_test", path, log::Level::Info);
  log::debug("not_yet");
  desk.past.config.cluster.log_level = "debug";  // found changed by the next start
  desk.restart();
  desk.settle();
  log::debug("from_now_on");
  log::info("so_that_it_is_flushed");
  log::set_level(log::Level::Error);
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, testing::Not(HasSubstr("not_yet")));
  EXPECT_THAT(text, HasSubstr("config_loaded seq="));
  EXPECT_THAT(text, HasSubstr("from_now_on"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace wm::master
