// Role: MPS daemons come before the tasks that need them and go after the last.
#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

using launch::AttemptKey;
using std::chrono::seconds;

class mps : public test::NodeCore {
 protected:
  mps() : NodeCore(card(), host()) {}
  static HostRegister card() {
    HostRegister words = test::node_card();
    Gpu gpu{"GPU-a", "H200", Bytes{80LL << 30}};
    gpu.pci = "00000000:17:00.0";
    words.capacity.gpus = {gpu};
    return words;
  }
  static launch::HostFacts host() {
    launch::HostFacts facts = test::node_facts();
    facts.mps_program = "mps-control";
    return facts;
  }
  // A job of one task on GPU-a that shares it through MPS.
  void order(std::uint32_t job, const std::string& uuid = "GPU-a") {
    HostOrder o;
    o.job = {job, 0};
    o.attempt = {1};
    o.generation = 1;
    o.resolved.task.gpu_shared = true;
    o.resolved.task.gpu_mem = Bytes{8LL << 30};
    o.resolved.task.mps_uid = 1000;
    OrderedTask task;
    task.task = {1};
    task.gpu_uuids = {uuid};
    o.tasks.push_back(task);
    o.all.push_back({{1}, "n", "10.0.0.1"});
    hear(NodeVerb::Order, o);
    env_.authorise_next();
  }
  void tick(seconds by = seconds(0)) {
    env_.now += by;
    node_.on_tick(0, Bytes{0});
  }
  void daemon_ready() { env_.files.insert("/run/n/0-1.1.d/control"); }
  void end(AttemptKey key, launch::EndCause cause = launch::EndCause::Exited) {
    launch::ExitRecord record;
    record.key = key;
    record.cause = cause;
    if (key.job.job != 0) {
      record.task = {1};
      node_.on_word(key, launch::TaskEnded{record});
      record.task = {};
    }
    node_.on_word(key, launch::AttemptEnded{record});
  }
  bool was_finished(const AttemptKey& key) {
    return std::any_of(env_.fake.told.begin(), env_.fake.told.end(), [&](auto& told) {
      return told.first == key && std::holds_alternative<launch::Finish>(told.second);
    });
  }
  static bool has(const std::vector<std::string>& env, const std::string& entry) {
    return std::find(env.begin(), env.end(), entry) != env.end();
  }

  const AttemptKey daemon_{{0, 1}, {1}};
};

TEST_F(mps, the_daemon_is_ready_before_the_task_starts) {
  order(7);
  ASSERT_EQ(env_.fake.started.size(), 1u);
  const auto& daemon = env_.fake.started[0];
  EXPECT_EQ(daemon.key, daemon_);
  EXPECT_EQ(daemon.account.uid, 1000u);
  EXPECT_EQ(daemon.tasks.at(0).argv, (std::vector<std::string>{"mps-control", "-f"}));
  EXPECT_TRUE(has(daemon.tasks[0].env, "CUDA_VISIBLE_DEVICES=GPU-a"));
  tick();
  EXPECT_EQ(env_.fake.started.size(), 1u);
  daemon_ready();
  tick();
  ASSERT_EQ(env_.fake.started.size(), 2u);
  const auto& env = env_.fake.started[1].tasks.at(0).env;
  EXPECT_TRUE(has(env, "CUDA_MPS_PIPE_DIRECTORY=/run/n/0-1.1.d"));
  EXPECT_TRUE(has(env, "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=8192M"));
}

TEST_F(mps, one_daemon_serves_all_of_an_owner_and_ends_after_the_last) {
  order(7);
  order(8);
  daemon_ready();
  tick();
  EXPECT_EQ(env_.fake.started.size(), 3u) << "one daemon, two jobs";
  end({{7, 0}, {1}});
  tick();
  EXPECT_FALSE(was_finished(daemon_));
  end({{8, 0}, {1}});
  tick();
  EXPECT_TRUE(was_finished(daemon_));
}

TEST_F(mps, a_job_that_comes_while_the_daemon_ends_gets_a_new_one) {
  order(7);
  daemon_ready();
  tick();
  end({{7, 0}, {1}});
  tick();
  order(8);
  EXPECT_EQ(env_.fake.started.size(), 2u) << "the old one holds the GPU still";
  end(daemon_);
  tick();
  ASSERT_EQ(env_.fake.started.size(), 3u);
  EXPECT_EQ(env_.fake.started[2].key, (AttemptKey{{0, 2}, {1}}));
}

TEST_F(mps, a_daemon_that_does_not_run_is_the_end_of_the_task) {
  order(7);
  env_.take_facts();
  end(daemon_, launch::EndCause::StartFailed);
  tick();
  auto facts = env_.take_facts();
  ASSERT_EQ(facts.size(), 1u);
  const auto& ended = std::get<FactEnded>(facts[0].fact);
  EXPECT_EQ(ended.term, Term::LaunchFailed);
  EXPECT_NE(ended.text.find("mps-control"), std::string::npos);
}

TEST_F(mps, a_daemon_that_never_gets_ready_is_given_up) {
  order(7);
  env_.take_facts();
  tick(seconds(21));
  EXPECT_TRUE(was_finished(daemon_));
  EXPECT_EQ(env_.take_facts().size(), 1u);
}

TEST_F(mps, counters_need_no_daemon) {
  order(7, "n-gpu0");
  ASSERT_EQ(env_.fake.started.size(), 1u);
  EXPECT_EQ(env_.fake.started[0].key.job.job, 7u);
}

TEST_F(mps, a_daemon_of_a_former_wnoded_is_found_again_and_ended) {
  launch::ShepherdUp up;
  up.key = daemon_;
  up.memo = "1000 GPU-a";
  node_.adopt({up}, {});
  EXPECT_EQ(node_.attempts(), 0u);
  tick();
  EXPECT_TRUE(was_finished(daemon_));
}

TEST_F(mps, the_master_hears_nothing_of_daemons) {
  order(7);
  env_.sent.clear();
  node_.on_session();
  auto words = *codec::decode<HostRegister>(env_.sent.at(0).second);
  for (const auto& attempt : words.attempts) EXPECT_NE(attempt.job.job, 0u);
}

}  // namespace
}  // namespace wm::node
