// Who is let into a running job, and where its door is: the real core on a simulated env.
#include <gtest/gtest.h>

#include "daemons/wmasterd/verbs/call.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

class attach : public ::testing::Test, protected Desk {
 protected:
  JobId running(Streams streams = Streams::Files) {
    SpecBuilder builder;
    builder.spec.owner = kUser;
    builder.spec.console.streams = streams;
    auto id = past.submit(builder);
    past.run(id, {host});
    return id;
  }
  void opens_door(JobId id, std::uint32_t attempt = 1) {
    std::string port = std::to_string(2 * attempt);
    past.step(AgentSeen{id, Attempt{attempt}, host, "a:1", {"10.0.0.1:1", "10.0.0.1:" + port}});
  }
  void ends(JobId id, std::int32_t code = 0) {
    past.step(TaskEnded{id, past.job(id).attempt, TaskNumber{1}, code << 8, Term::None, {}, ""});
  }

  AttachReply ask_console(JobId id, std::uint32_t attempt) { return ask(id, kUser, 0, attempt); }
  AttachReply ask(JobId id, const Identity& who = kUser, std::uint32_t task = 0,
                  std::uint32_t attempt = 0) {
    if (!core) start();
    Desk::ask(Verb::Attach, AttachRequest{id, TaskNumber{task}, Attempt{attempt}}, who);
    bool failed = first.frames.back().type == Verb::Failed;
    refusal = failed ? first.refusal() : VerbError{};
    return failed ? AttachReply{} : first.last<AttachReply>();
  }
  bool refused(Code code) const { return refusal.code == static_cast<std::uint8_t>(code); }

  HostId host = past.host(2);
  VerbError refusal;
};

TEST_F(attach, the_owner_is_told_the_door_of_the_task_s_host) {
  auto id = running();
  opens_door(id);
  auto reply = ask(id);
  EXPECT_EQ(reply.door, "10.0.0.1:2");
  EXPECT_EQ(reply.host, "h1");
  EXPECT_EQ(reply.task, TaskNumber{1});
  EXPECT_EQ(reply.pid, 1001);
}

TEST_F(attach, without_an_agent_there_is_no_door_yet) {
  EXPECT_EQ(ask(running()).door, "");
  EXPECT_EQ(refusal.text, "");
}

TEST_F(attach, nobody_else_gets_in_administrators_included) {
  auto id = running();
  opens_door(id);
  for (const auto& who : {kOther, kBoss, Identity{0, 0, "root"}}) {
    EXPECT_EQ(ask(id, who).door, "");
    EXPECT_TRUE(refused(Code::Denied)) << who.user;
  }
}

TEST_F(attach, a_job_that_is_over_is_refused_unless_its_console_may_be_unread) {
  auto plain = running(), interactive = running(Streams::Pipes);
  for (auto id : {plain, interactive}) {
    opens_door(id);
    ends(id);
  }
  for (auto id : {plain, interactive}) {
    ask(id);
    EXPECT_EQ(refusal.text, named(id) + ": Job has already finished");
  }
  ask_console(plain, 1);
  EXPECT_TRUE(refused(Code::Conflict));
  EXPECT_EQ(ask_console(interactive, 1).door, "10.0.0.1:2");
}

TEST_F(attach, a_console_that_no_agent_keeps_is_not_waited_for) {
  auto id = running(Streams::Pipes);
  ends(id);
  ask_console(id, 1);
  EXPECT_TRUE(refused(Code::NotFound)) << "bsub -I says nothing of a conflict";
  EXPECT_EQ(refusal.text, named(id) + ": host <h1> holds none of its output");
}

TEST_F(attach, the_consoles_of_attempts_that_went_back_to_the_queue_are_told) {
  past.config.queues[0].requeue_exits.codes = {7};
  past.reconfigure();
  auto id = running(Streams::Pipes), waits = running(Streams::Pipes);
  for (auto each : {id, waits}) {
    opens_door(each);
    ends(each, 7);
  }
  past.run(id, {host});
  opens_door(id, 2);
  running();  // in the other slot
  EXPECT_EQ(ask_console(id, 1).door, "10.0.0.1:2") << "run again";
  EXPECT_EQ(ask_console(id, 2).door, "10.0.0.1:4");
  EXPECT_EQ(ask(id).door, "10.0.0.1:4");
  EXPECT_EQ(ask_console(waits, 1).door, "10.0.0.1:2") << "waits again";
  ask(waits);
  EXPECT_EQ(refusal.text, named(waits) + ": Job has not started yet");
}

TEST_F(attach, the_consoles_of_the_newest_attempts_are_kept) {
  past.config.queues[0].requeue_exits.codes = {7};
  past.config.cluster.limits.max_user_requeue = 100;
  past.reconfigure();
  auto id = running(Streams::Pipes);
  for (std::uint32_t attempt = 1; attempt <= 17; ++attempt) {
    opens_door(id, attempt);
    ends(id, 7);
    past.run(id, {host});
  }
  ask_console(id, 1);
  EXPECT_EQ(refusal.text, named(id) + ": nothing is kept of attempt 1");
  EXPECT_EQ(ask_console(id, 2).door, "10.0.0.1:4");
}

TEST_F(attach, what_is_not_there_is_not_found) {
  auto id = running();
  ask(id, kUser, 7);
  EXPECT_TRUE(refused(Code::NotFound));
  ask({99, 0});
  EXPECT_TRUE(refused(Code::NotFound));
}

TEST_F(attach, a_pending_job_has_not_started) {
  SpecBuilder builder;
  builder.spec.owner = kUser;
  auto id = past.submit(builder.hold());
  ask(id);
  EXPECT_TRUE(refused(Code::Conflict));
}

}  // namespace
}  // namespace wm::master
