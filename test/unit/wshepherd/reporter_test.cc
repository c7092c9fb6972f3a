// The report of a job, and the mail that it has started.
#include "daemons/wshepherd/reporter.h"

#include <signal.h>

#include <cerrno>

#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class reporter : public BehaviourTest {
 protected:
  void SetUp() override { attempt_.spec.report.file.path = "out"; }
  Strays strays_{attempt_};
  Enders enders_{attempt_, strays_};
  SideCommands sides_{attempt_};
  UseWatch use_{attempt_, enders_, strays_, sides_};
  Reporter reporter_{attempt_, use_};
};

TEST_F(reporter, the_attempt_waits_till_it_is_written) {
  exited(1);
  EXPECT_FALSE(reporter_.is_written());
  EXPECT_TRUE(reporter_.runs());
  ASSERT_THAT(env_.parts_forked, SizeIs(1));
  EXPECT_TRUE(attempt_.own.contains(env_.parts_forked[0]));
  EXPECT_FALSE(reporter_.is_written());
  reporter_.on_exit({4711, 0, {}});
  EXPECT_FALSE(reporter_.is_written());
  reporter_.on_exit({env_.parts_forked[0], 0, {}});
  EXPECT_TRUE(reporter_.is_written());
  EXPECT_FALSE(reporter_.runs());
  EXPECT_THAT(env_.parts_forked, SizeIs(1));
  EXPECT_THAT(env_.complaints, IsEmpty());
}

TEST_F(reporter, none_is_written_where_nobody_wants_or_nothing_decides_one) {
  EXPECT_TRUE(Reporter(attempt_, use_).is_written());  // no task was here
  exited(1);
  attempt_.spec.report.file.path = "/dev/null";
  EXPECT_TRUE(Reporter(attempt_, use_).is_written());
  attempt_.spec.report.file.path = "";
  EXPECT_TRUE(Reporter(attempt_, use_).is_written());
  attempt_.spec.report.file.path = "out";
  env_.no_process = true;
  EXPECT_TRUE(Reporter(attempt_, use_).is_written());
  EXPECT_THAT(env_.parts_forked, IsEmpty());
}

TEST_F(reporter, a_file_that_cannot_be_written_does_not_keep_the_attempt) {
  exited(1);
  reporter_.is_written();
  env_.pass(seconds(59));
  EXPECT_FALSE(reporter_.is_written());
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  env_.pass(seconds(1));
  EXPECT_FALSE(reporter_.is_written());
  auto pid = env_.parts_forked[0];
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid, SIGKILL}));
  reporter_.on_exit({pid, SIGKILL, {}});
  EXPECT_TRUE(reporter_.is_written());
  EXPECT_THAT(env_.complaints, ElementsAre("report lost: its writer was ended by signal 9"));
}

TEST_F(reporter, what_kept_it_from_its_file_is_known) {
  exited(1);
  reporter_.is_written();
  reporter_.on_exit({env_.parts_forked[0], ENOSPC << 8, {}});
  EXPECT_TRUE(reporter_.is_written());
  EXPECT_EQ(reporter_.trouble(), "report lost: No space left on device");
}

TEST_F(reporter, a_mail_is_no_file_and_a_file_no_mail) {
  exited(1);
  EXPECT_TRUE(reporter_.is_mailed());
  attempt_.spec.report.mail_at_end = true;
  EXPECT_FALSE(reporter_.writes_file());
  EXPECT_TRUE(reporter_.is_written());
  EXPECT_THAT(env_.parts_forked, IsEmpty());
  EXPECT_FALSE(reporter_.is_mailed());
  EXPECT_THAT(env_.parts_forked, SizeIs(1));
}

TEST_F(reporter, the_start_is_mailed_once_and_only_if_asked) {
  reporter_.tell_start();
  EXPECT_THAT(env_.parts_forked, IsEmpty());
  attempt_.spec.report.mail_at_start = true;
  reporter_.tell_start();
  reporter_.tell_start();
  EXPECT_THAT(env_.parts_forked, SizeIs(1));
}

}  // namespace
}  // namespace wm::shepherd
