// What a job writes into its own folder on the host: when it is looked at, and what is too much.
#include "daemons/wshepherd/folder_watch.h"

#include <signal.h>

#include "daemons/wshepherd/suspension.h"
#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using More = proc::FolderUse::More;

class folder_watch : public BehaviourTest {
 protected:
  folder_watch() {
    attempt_.spec.folder_limit = Bytes{100 << 20};
    attempt_.spec.folder_spool = Bytes{28 << 20};
  }
  void look() {
    watch_.fire();
    env_.pass(seconds(1));
    watch_.fire();
  }
  Folder folder_{attempt_};
  Strays strays_{attempt_};
  Enders enders_{attempt_, strays_};
  SideCommands sides_{attempt_};
  FolderWatch watch_{attempt_, folder_, enders_, sides_};
};

TEST_F(folder_watch, a_job_that_has_no_folder_is_not_looked_at) {
  running(1);
  EXPECT_EQ(watch_.next(), std::nullopt);
  look();
  EXPECT_TRUE(env_.meter.looked_at.empty());
  folder_.ensure();
  look();
  EXPECT_EQ(env_.meter.looked_at.size(), 1u);
  EXPECT_EQ(env_.meter.looked_at.back(), std::pair(folder_.path(), Bytes{128 << 20}));
}

TEST_F(folder_watch, it_is_looked_at_each_second_while_something_runs_that_is_not_suspended) {
  folder_.ensure();
  EXPECT_EQ(watch_.next(), std::nullopt) << "nothing runs";
  running(1);
  look();
  EXPECT_EQ(watch_.next(), env_.now() + seconds(1));
  watch_.fire();
  EXPECT_EQ(env_.meter.looked_at.size(), 1u);
  set_suspended(attempt_, true);
  EXPECT_EQ(watch_.next(), std::nullopt);
}

TEST_F(folder_watch, a_look_that_takes_long_puts_off_the_next) {
  folder_.ensure();
  running(1);
  env_.meter.on_look = [this] { env_.pass(milliseconds(100)); };
  look();
  EXPECT_EQ(watch_.next(), env_.now() + seconds(5));
}

TEST_F(folder_watch, who_has_written_too_much_is_ended_with_folder_size_and_limit) {
  folder_.ensure();
  auto& task = running(1);
  env_.meter.now = {Bytes{127 << 20}, 3, More::None};
  look();
  EXPECT_FALSE(task.ending);
  env_.meter.now = {Bytes{129 << 20}, 3, More::Size};
  look();
  ASSERT_TRUE(task.ending);
  EXPECT_EQ(task.ending->signals.front(), SIGKILL);
  EXPECT_EQ(task.record.cause, EndCause::FolderLimit);
  EXPECT_THAT(task.record.text, StartsWith("TERM_FOLDERLIMIT: "));
  EXPECT_THAT(task.record.text, HasSubstr(": " + folder_.path() + " has 129M of 128M"));
}

TEST_F(folder_watch, more_names_or_folders_than_can_be_looked_at_are_too_many) {
  folder_.ensure();
  auto& first = running(1);
  env_.meter.now = {Bytes{1}, 100'001, More::Names};
  look();
  EXPECT_THAT(first.record.text, HasSubstr(" has more than 100000 files"));
  auto& second = running(2);
  env_.meter.now = {Bytes{1}, 7, More::Depth};
  look();
  EXPECT_THAT(second.record.text, HasSubstr(" is more than 100 folders deep"));
}

TEST_F(folder_watch, each_task_adds_its_part_also_after_it_has_left) {
  folder_.ensure();
  running(1);
  running(2);
  look();
  EXPECT_EQ(env_.meter.looked_at.back().second, Bytes{256 << 20});
  attempt_.tasks.erase(TaskNumber{2});
  look();
  EXPECT_EQ(env_.meter.looked_at.back().second, Bytes{256 << 20});
}

TEST_F(folder_watch, without_a_limit_nothing_is_looked_at) {
  attempt_.spec.folder_limit = Bytes{0};
  folder_.ensure();
  running(1);
  look();
  EXPECT_TRUE(env_.meter.looked_at.empty());
  EXPECT_EQ(watch_.next(), std::nullopt);
}

}  // namespace
}  // namespace wm::shepherd
