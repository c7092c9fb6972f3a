// Real agents over real sockets; what the pure machines decide is tested elsewhere.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libwm/codec/codec.h"
#include "test/support/elastic_rig.h"

namespace wm::test {
namespace {

using Tasks = std::vector<std::uint32_t>;
using std::chrono::seconds;

bool formed_of(const ElasticRig& rig, std::size_t world, std::uint32_t above = 0) {
  return rig.formed().members.size() == world && rig.formed().epoch.value > above;
}

/// Tasks 1 and 2 on two hosts train in epoch 1, host 1 leads.
void train_two(ElasticRig& rig) {
  ASSERT_TRUE(rig.run_until([&] { return rig.agents_up(); }));
  rig.order(1, 1, {1, 2});
  rig.start_worker(1);
  rig.start_worker(2);
  ASSERT_TRUE(rig.run_until([&] { return formed_of(rig, 2); }));
}

TEST(elastic_agents, a_job_starts_grows_and_shrinks) {
  ElasticRig rig(2);
  train_two(rig);

  rig.order(1, 1, {1, 2, 3});
  rig.start_worker(3);
  EXPECT_TRUE(rig.run_until([&] { return formed_of(rig, 3); }));

  rig.order(1, 1, {1, 2, 3}, {2});
  EXPECT_TRUE(rig.run_until([&] { return formed_of(rig, 2, rig.epoch_of(2).value); }));
}

TEST(elastic_agents, all_workers_are_given_one_key_that_is_not_the_agents) {
  ElasticRig rig(2);
  train_two(rig);
  EXPECT_EQ(rig.key_of(1).size(), 32u);
  EXPECT_EQ(rig.key_of(1), rig.key_of(2));
  EXPECT_NE(rig.key_of(1), std::string(32, '\xaa'));  // WM_AGENT_KEY of the rig
}

TEST(elastic_agents, survivors_form_an_epoch_when_a_worker_dies) {
  ElasticRig rig(2);
  train_two(rig);
  rig.kill_worker(2);
  EXPECT_TRUE(rig.run_until([&] { return formed_of(rig, 1); }));
  EXPECT_EQ(rig.formed().reason, "lost task 2: signal 9");
}

TEST(elastic_agents, broken_connections_change_nothing) {
  ElasticRig rig(2);
  train_two(rig);
  rig.break_worker_link(2);
  rig.break_node_link(1);
  rig.break_node_link(2);
  EXPECT_FALSE(rig.run_until([&] { return formed_of(rig, 1); }, std::chrono::milliseconds(1500)));
  EXPECT_EQ(rig.epoch_of(2), EpochNumber{1});
}

TEST(elastic_agents, another_host_takes_the_lead_over_without_disturbing_the_training) {
  ElasticRig rig(2);
  train_two(rig);
  rig.order(2, 2, {1, 2});
  EXPECT_FALSE(rig.run_until([&] { return rig.formed().epoch.value > 1; }, seconds(2)));

  rig.order(2, 2, {1, 2, 3});
  rig.start_worker(3);
  EXPECT_TRUE(rig.run_until([&] { return formed_of(rig, 3, 10); }));
}

TEST(elastic_agents, the_lead_agents_death_is_survived) {
  ElasticRig rig(2);
  train_two(rig);
  rig.kill_agent(1);
  rig.kill_worker(1);
  rig.order(2, 2, {1, 2});
  EXPECT_TRUE(rig.run_until([&] { return formed_of(rig, 1); }));
  EXPECT_EQ(rig.formed().members, (std::vector<TaskNumber>{TaskNumber{2}}));
}

TEST(elastic_agents, a_restarted_agent_finds_its_workers_again) {
  ElasticRig rig(2);
  train_two(rig);
  rig.kill_agent(2);
  rig.start_agent(2);
  ASSERT_TRUE(rig.run_until([&] { return rig.agents_up(); }));
  rig.order(1, 1, {1, 2, 4});
  rig.start_worker(4);
  EXPECT_TRUE(rig.run_until([&] { return formed_of(rig, 3); }));
}

/// A process that says hello as task 2 and then waits to be killed.
pid_t worker_process(const std::string& path) {
  pid_t child = ::fork();
  if (child != 0) return child;
  int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  path.copy(at.sun_path, sizeof at.sun_path - 1);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) ::_exit(1);
  for (const FromWorker& words : {FromWorker{WorkerHello{1, TaskNumber{2}, ::getpid(), 0}},
                                  FromWorker{WorkerReady{"127.0.0.1:9"}}}) {
    std::string bytes = codec::encode(words);
    std::string frame = std::string(1, static_cast<char>(bytes.size())) + std::string(3, '\0');
    frame += bytes;
    if (::write(fd, frame.data(), frame.size()) < 0) ::_exit(1);
  }
  ::pause();
  ::_exit(0);
}

TEST(elastic_agents, a_dead_worker_process_is_seen_without_wnoded) {
  ElasticRig rig(2);
  ASSERT_TRUE(rig.run_until([&] { return rig.agents_up(); }));
  rig.order(1, 1, {1, 2});
  rig.start_worker(1);
  pid_t worker = worker_process(rig.socket_of(2));
  ASSERT_GT(worker, 0);
  ASSERT_TRUE(rig.run_until([&] { return rig.planned_for(1) == EpochNumber{1}; }));
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  EXPECT_TRUE(rig.run_until([&] { return formed_of(rig, 1); })) << "nobody told its agent";
}

}  // namespace
}  // namespace wm::test
