// The job's agent: when it is started, again, and ended; what was launched below it.
#include "daemons/wshepherd/agent.h"

#include <signal.h>

#include "daemons/wshepherd/launched_part.h"
#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class agent : public BehaviourTest {
 protected:
  void wanted() {
    attempt_.spec.agent_argv = {"wagent"};
    attempt_.ready = true;
    agent_.fire();
  }
  pid_t pid() const { return env_.spawned.back().pid; }
  void dies() {
    auto old = pid();
    env_.exit(old, 256);
    env_.reap();
    agent_.on_exit({old, 0, {}});
  }
  Folder folder_{attempt_};
  Agent agent_{attempt_, folder_};
  LaunchedPart launched_{attempt_, agent_};
};

TEST_F(agent, runs_as_the_user_and_knows_the_limits_of_what_it_starts) {
  attempt_.spec.caps = {{0, 3600}, {3, 8388608}};
  wanted();
  ASSERT_THAT(env_.spawned, SizeIs(1));
  const auto& run = env_.spawned[0];
  EXPECT_EQ(run.uid, 1000U);
  EXPECT_TRUE(run.hold_term);
  EXPECT_THAT(run.env, ElementsAre("WM_AGENT_CAPS=0=3600 3=8388608"));
  EXPECT_THAT(env_.logs, ElementsAre("/run/wm/7-0.1.d/agent.log"));
  EXPECT_TRUE(attempt_.own.contains(pid()));
}

TEST_F(agent, where_no_task_waits_it_comes_after_the_commands_before_them) {
  attempt_.spec.agent_argv = {"wagent"};
  agent_.fire();
  EXPECT_THAT(env_.spawned, IsEmpty());
  attempt_.spec.tasks = {a_task(1)};
  agent_.fire();
  EXPECT_THAT(env_.spawned, SizeIs(1));
}

TEST_F(agent, comes_back_after_200_ms_but_not_for_ever) {
  wanted();
  dies();
  agent_.fire();
  EXPECT_THAT(env_.spawned, SizeIs(1));
  EXPECT_EQ(agent_.next(), env_.now() + milliseconds(200));
  for (int i = 0; i < 40; ++i) {
    env_.pass(milliseconds(200));
    agent_.fire();
    if (!env_.table.empty()) dies();
  }
  EXPECT_THAT(env_.spawned, SizeIs(20));
  EXPECT_EQ(agent_.next(), std::nullopt);
}

TEST_F(agent, one_that_cannot_be_started_is_tried_again_a_second_later) {
  env_.no_process = true;
  wanted();
  EXPECT_EQ(agent_.next(), env_.now() + seconds(1));
}

TEST_F(agent, is_not_started_again_when_the_attempt_ends) {
  wanted();
  dies();
  attempt_.finishing = true;
  env_.pass(seconds(1));
  agent_.fire();
  EXPECT_THAT(env_.spawned, SizeIs(1));
  EXPECT_EQ(agent_.next(), std::nullopt);
}

TEST_F(agent, the_first_order_that_wants_one_counts) {
  agent_.want({{"wagent"}, {"A=1"}});
  agent_.want({{"other"}, {}});
  ASSERT_THAT(env_.spawned, SizeIs(1));
  EXPECT_THAT(env_.spawned[0].env, Contains("A=1"));
}

TEST_F(agent, writes_the_output_of_all_ranks_through_pipes_of_ours) {
  attempt_.spec.out = a_task(1).out;
  attempt_.spec.err = a_task(2).out;
  wanted();
  EXPECT_EQ(env_.spawned[0].out, agent_.output().out.get());
  EXPECT_TRUE(agent_.output().err);
  EXPECT_THAT(env_.spawned[0].env, Contains(StartsWith("WM_AGENT_ERR=")));
  EXPECT_EQ(agent_.output().spec.out, attempt_.spec.out);
}

TEST_F(agent, is_asked_to_end_then_killed) {
  wanted();
  agent_.finish();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(), SIGTERM}));
  agent_.finish();
  env_.pass(seconds(29));
  agent_.finish();
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  env_.pass(seconds(1));
  agent_.finish();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(), SIGKILL}));
}

TEST_F(agent, may_write_for_other_hosts_till_somebody_ends_the_job_by_force) {
  attempt_.spec.out = a_task(1).out;
  wanted();
  agent_.finish();
  env_.pass(seconds(100));
  env_.take_sent();
  agent_.finish();
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  attempt_.end.text = "bkill";
  agent_.finish();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(), SIGKILL}));
}

TEST_F(agent, may_write_beside_a_launcher_here_for_those_on_other_hosts) {
  wanted();
  EXPECT_FALSE(agent_.writes_beside_us());
  auto& task = exited(1);
  task.spec.tag = true;
  EXPECT_FALSE(agent_.writes_beside_us()) << "a launcher on another host";
  task.spec.writer = true;
  EXPECT_TRUE(agent_.writes_beside_us());
  agent_.finish();
  env_.pass(seconds(100));
  env_.take_sent();
  agent_.finish();
  attempt_.end.text = "bkill";
  env_.pass(seconds(29));
  agent_.finish();
  EXPECT_THAT(env_.take_sent(), IsEmpty()) << "those may have last words";
  env_.pass(seconds(1));
  agent_.finish();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(), SIGKILL}));
}

TEST_F(agent, one_that_was_asked_to_end_is_not_started_again) {
  wanted();
  agent_.finish();
  dies();
  env_.pass(seconds(1));
  agent_.fire();
  EXPECT_THAT(env_.spawned, SizeIs(1));
}

TEST_F(agent, what_it_launched_is_ended_step_by_step_then_the_attempt_finishes) {
  wanted();
  auto below = env_.add(pid());
  EXPECT_THAT(agent_.launched(), ElementsAre(below));
  launched_.end({{}, false, SIGTERM, "bkill"});
  launched_.end({{}, true, 0, "again"});  // the first counts
  launched_.fire();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{below, SIGTERM}));
  env_.pass(seconds(9));
  launched_.fire();
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  env_.pass(seconds(1));
  launched_.fire();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{below, SIGKILL}));
  EXPECT_FALSE(attempt_.finishing);
  launched_.fire();
  EXPECT_TRUE(attempt_.finishing);
}

TEST_F(agent, what_survives_all_signals_does_not_keep_the_attempt_from_finishing) {
  wanted();
  env_.immortal = {env_.add(pid())};
  launched_.end({{}, true, 0, "bkill"});
  EXPECT_EQ(launched_.next(), env_.now() + milliseconds(20));
  launched_.fire();
  EXPECT_FALSE(attempt_.finishing);
  env_.pass(seconds(10));
  launched_.fire();
  EXPECT_TRUE(attempt_.finishing);
}

TEST_F(agent, where_nothing_was_launched_the_end_comes_at_once) {
  launched_.fire();
  EXPECT_FALSE(attempt_.finishing);
  EXPECT_EQ(launched_.next(), std::nullopt);
  launched_.end({});
  launched_.fire();
  EXPECT_TRUE(attempt_.finishing);
}

}  // namespace
}  // namespace wm::shepherd
