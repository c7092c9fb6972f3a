// When a shepherd looks for launchers, and what the report says of them.
#include "daemons/wshepherd/rank_watch.h"

#include <signal.h>

#include "daemons/wshepherd/suspension.h"
#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class rank_watch : public BehaviourTest {
 protected:
  void SetUp() override {
    attempt_.spec.report.file.path = "out";
    attempt_.spec.report.hosts = {"4*a", "4*b"};
    env_.run_parts = true;
  }
  /// A task with an mpirun that started a rank of a world of so many, in a job of eight slots.
  void start_ranks(int ranks) {
    auto mpirun = env_.add(running(1).pid);
    env_.table[mpirun].argv = {"mpirun", "./solve"};
    env_.table[mpirun].env = {"LSB_DJOB_NUMPROC=8"};
    auto rank = env_.add(mpirun);
    env_.table[rank].argv = {"./solve"};
    env_.table[rank].env = {"OMPI_COMM_WORLD_SIZE=" + std::to_string(ranks)};
  }
  /// The next look, at its time; it has ended. False: none was due.
  bool look() {
    auto looks = env_.parts_forked.size();
    watch_.fire();  // sees the task, or looks
    if (env_.parts_forked.size() == looks) {
      if (auto next = watch_.next()) env_.pass(*next - env_.now());
      watch_.fire();
    }
    if (env_.parts_forked.size() == looks) return false;
    watch_.on_exit({env_.parts_forked.back(), 0, {}});
    return true;
  }
  RankWatch watch_{attempt_};
};

TEST_F(rank_watch, fewer_ranks_than_slots_are_found_and_told_once) {
  start_ranks(2);
  watch_.fire();
  env_.pass(milliseconds(99));
  watch_.fire();
  EXPECT_THAT(env_.parts_forked, IsEmpty());
  env_.pass(milliseconds(1));
  watch_.fire();
  ASSERT_THAT(env_.parts_forked, SizeIs(1));
  EXPECT_TRUE(attempt_.own.contains(env_.parts_forked[0]));
  EXPECT_THAT(env_.written, HasSubstr("mpirun started 2 ranks in a job of 8 slots"));
}

TEST_F(rank_watch, the_line_of_a_look_is_the_reports_note) {
  running(1);
  watch_.fire();
  env_.pass(milliseconds(100));
  env_.next_pipe_has("WARNING: few\nand more");
  watch_.fire();
  watch_.on_exit({4711, 0, {}});
  EXPECT_EQ(attempt_.note, "");
  watch_.on_exit({env_.parts_forked.at(0), 0, {}});
  EXPECT_EQ(attempt_.note, "WARNING: few");
  EXPECT_EQ(watch_.next(), std::nullopt) << "one line is enough";
  EXPECT_FALSE(look());
}

TEST_F(rank_watch, as_many_as_slots_are_not_told) {
  start_ranks(8);
  EXPECT_TRUE(look());
  EXPECT_EQ(env_.written, "");
  EXPECT_EQ(attempt_.note, "");
  EXPECT_TRUE(look()) << "another may come";
}

TEST_F(rank_watch, pauses_grow_with_the_time_that_the_job_has_run) {
  running(1);
  auto pause_after = [&](Duration time) {
    env_.pass(time);
    EXPECT_TRUE(look());
    return *watch_.next() - env_.now();
  };
  EXPECT_EQ(pause_after({}), milliseconds(100));
  EXPECT_EQ(pause_after(milliseconds(7900)), seconds(1));
  EXPECT_EQ(pause_after(minutes(60)), minutes(1));
}

TEST_F(rank_watch, nobody_looks_where_there_is_nothing_to_find_or_to_tell) {
  start_ranks(1);
  attempt_.spec.report.hosts = {"a"};
  EXPECT_FALSE(look()) << "one slot";
  attempt_.spec.report.hosts = {"2*a"};
  attempt_.spec.report.file.path = "/dev/null";
  EXPECT_FALSE(look()) << "no report";
  attempt_.spec.report.mail_at_end = true;
  set_suspended(attempt_, true);
  EXPECT_FALSE(look()) << "stopped";
  set_suspended(attempt_, false);
  attempt_.tasks.at({1}).spec.rank_socket = "/ranks";
  EXPECT_FALSE(look()) << "hosts start the ranks themselves";
  attempt_.tasks.at({1}).spec.rank_socket = "";
  EXPECT_TRUE(look());
  attempt_.finishing = true;
  EXPECT_FALSE(look());
}

TEST_F(rank_watch, an_elastic_job_may_have_more_slots_later) {
  running(1);
  attempt_.spec.report.hosts = {"a"};
  attempt_.spec.ends_with_last_task = false;
  EXPECT_TRUE(look());
}

TEST_F(rank_watch, a_look_that_hangs_is_killed_and_says_nothing) {
  running(1);
  watch_.fire();
  env_.pass(milliseconds(100));
  env_.next_pipe_has("half");
  watch_.fire();
  auto pid = env_.parts_forked.at(0);
  env_.pass(seconds(9));
  watch_.fire();
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  EXPECT_EQ(watch_.next(), env_.now() + seconds(1));
  env_.pass(seconds(1));
  watch_.fire();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid, SIGKILL}));
  watch_.on_exit({pid, SIGKILL, {}});
  EXPECT_EQ(attempt_.note, "");
}

TEST_F(rank_watch, the_end_of_the_attempt_waits_for_no_look) {
  running(1);
  watch_.fire();
  env_.pass(milliseconds(100));
  watch_.fire();
  watch_.finish();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{env_.parts_forked.at(0), SIGKILL}));
}

TEST_F(rank_watch, where_no_look_can_be_made_the_next_is_tried) {
  running(1);
  env_.no_process = true;
  EXPECT_FALSE(look());
  env_.no_process = false;
  env_.no_pipe = true;
  EXPECT_FALSE(look());
  env_.no_pipe = false;
  EXPECT_TRUE(look());
}

}  // namespace
}  // namespace wm::shepherd
