// What a job leaves: output, copies and report in whole attempts, and when its end is told.
#include <cerrno>

#include "test/unit/wshepherd/shepherd_desk.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(shepherd, the_end_is_told_once_the_report_is_in_the_output_file) {
  spec_.report.file.path = "out";
  begin({a_task(1), a_task(2)});
  ends(0, 0);
  EXPECT_THAT(env_.words<launch::TaskEnded>(), SizeIs(1)) << "others go by it";
  ends(1, 0);
  EXPECT_THAT(env_.records, SizeIs(1));
  EXPECT_LE(shepherd_->next(), env_.now() + std::chrono::milliseconds(200));
  ASSERT_THAT(env_.parts_forked, SizeIs(1));
  env_.exit(env_.parts_forked[0], 0);
  turn();
  EXPECT_THAT(env_.words<launch::TaskEnded>(), SizeIs(2));
  EXPECT_TRUE(shepherd_->over());
  EXPECT_THAT(env_.parts_forked, SizeIs(1));
}

class shepherd_delivers : public shepherd {
 protected:
  using Ended = launch::TaskEnded;
  using Delivered = launch::Delivered;
  launch::SideCommand command(const std::string& what) {
    launch::SideCommand made;
    made.what = what;
    made.argv = {what};
    return made;
  }
  void begin_job() {
    spec_.report.file.path = "out";
    spec_.copies = {command("copy 1"), command("copy 2")};
    spec_.copy_limit = seconds(60);
    spec_.after = {command("post")};
    begin();
  }
  void report_written(int status = 0) {
    env_.exit(env_.parts_forked.back(), status);
    turn();
  }
  std::vector<std::string> started() const {
    std::vector<std::string> names;
    for (const auto& spawned : env_.spawned) names.push_back(spawned.argv.front());
    return names;
  }
};

TEST_F(shepherd_delivers, copies_then_the_report_then_the_end_then_post_execution) {
  begin_job();
  ends(0, 0);
  EXPECT_THAT(started(), ElementsAre("work", "copy 1"));
  ends(1, 0);
  EXPECT_THAT(started(), ElementsAre("work", "copy 1", "copy 2"));
  EXPECT_THAT(env_.parts_forked, IsEmpty());
  ends(2, 0);
  ASSERT_THAT(env_.parts_forked, SizeIs(1));
  EXPECT_THAT(env_.words<Ended>(), IsEmpty());
  report_written();
  ASSERT_THAT(env_.words<Ended>(), SizeIs(1));
  EXPECT_FALSE(env_.words<Ended>()[0].delivers) << "all is there";
  EXPECT_THAT(env_.words<Delivered>(), IsEmpty());
  EXPECT_THAT(started(), ElementsAre("work", "copy 1", "copy 2", "post"));
  ends(3, 0);
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd_delivers, what_takes_more_than_a_moment_does_not_keep_the_slot) {
  begin_job();
  ends(0, 0);
  EXPECT_EQ(shepherd_->next(), env_.now() + std::chrono::milliseconds(50));
  env_.pass(std::chrono::milliseconds(50));
  turn();
  ASSERT_THAT(env_.words<Ended>(), SizeIs(1));
  EXPECT_TRUE(env_.words<Ended>()[0].delivers);
  EXPECT_THAT(env_.words<Delivered>(), IsEmpty());
  EXPECT_TRUE(shepherd_->who_i_am().delivers) << "a wnoded that is started again hears of it";
  ends(1, 0);
  ends(2, 0);
  EXPECT_THAT(env_.words<Delivered>(), IsEmpty());
  EXPECT_THAT(started(), ElementsAre("work", "copy 1", "copy 2")) << "post-execution comes after";
  report_written();
  EXPECT_THAT(env_.words<Delivered>(), ElementsAre(Delivered{}));
  EXPECT_FALSE(shepherd_->who_i_am().delivers);
  ends(3, 0);
  EXPECT_TRUE(shepherd_->over());
  EXPECT_THAT(env_.words<Delivered>(), SizeIs(1));
}

TEST_F(shepherd_delivers, a_copy_that_hangs_is_late_and_the_report_says_so) {
  begin_job();
  ends(0, 0);
  env_.pass(seconds(60));
  turn();
  EXPECT_FALSE(env_.lives(pid(1)));
  turn();
  EXPECT_THAT(started(), ElementsAre("work", "copy 1")) << "no time is left for the second";
  report_written();
  ASSERT_THAT(env_.words<Delivered>(), SizeIs(1));
  EXPECT_THAT(env_.words<Delivered>()[0].text, ::testing::HasSubstr("copy late"));
}

TEST_F(shepherd_delivers, a_report_is_waited_for_five_seconds_and_written_on) {
  spec_.report.file.path = "out";
  begin();
  ends(0, 0);
  env_.pass(std::chrono::milliseconds(50));
  turn();
  EXPECT_THAT(env_.words<Delivered>(), IsEmpty());
  env_.pass(seconds(5));
  turn();
  EXPECT_THAT(env_.words<Delivered>(), ElementsAre(Delivered{"report late"}));
  EXPECT_TRUE(env_.lives(env_.parts_forked.at(0)));
  EXPECT_FALSE(shepherd_->over());
  report_written();
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd_delivers, what_cannot_be_written_is_said_with_the_end) {
  spec_.report.file.path = "out";
  begin();
  ends(0, 0);
  report_written(ENOSPC << 8);
  EXPECT_EQ(of(1).text, "report lost: No space left on device");
  EXPECT_EQ(of(1).cause, EndCause::Exited) << "its output is there";
}

TEST_F(shepherd_delivers, the_end_is_on_disk_and_told_before_the_delivery) {
  begin_job();
  env_.disk_full = true;
  ends(0, 0);
  env_.pass(seconds(1));
  ends(1, 0);
  ends(2, 0);
  report_written();
  EXPECT_THAT(env_.words<Delivered>(), IsEmpty());
  env_.disk_full = false;
  turn();
  turn();
  EXPECT_THAT(env_.words<Ended>(), SizeIs(1));
  EXPECT_THAT(env_.words<Delivered>(), SizeIs(1));
}

TEST_F(shepherd_delivers,
       of_a_job_that_changes_its_size_the_writer_owes_it_till_all_are_told_to_end) {
  spec_.report.file.path = "out";
  spec_.ends_with_last_task = false;
  auto writer = a_task(1);
  writer.writer = true;
  begin({writer, a_task(2)});
  ends(0, 0);
  ends(1, 0);
  ASSERT_THAT(env_.words<Ended>(), SizeIs(2));
  EXPECT_TRUE(env_.words<Ended>()[0].delivers);
  EXPECT_FALSE(env_.words<Ended>()[1].delivers);
  EXPECT_THAT(env_.parts_forked, IsEmpty()) << "another task may come";
  order(launch::EndTasks{});
  turn();
  report_written();
  EXPECT_THAT(env_.words<Delivered>(), ElementsAre(Delivered{}));
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd_delivers, without_files_nothing_is_waited_for) {
  spec_.after = {command("post")};
  begin();
  ends(0, 0);
  ASSERT_THAT(env_.words<Ended>(), SizeIs(1));
  EXPECT_FALSE(env_.words<Ended>()[0].delivers);
}

TEST_F(shepherd, commands_after_the_tasks_keep_neither_the_report_nor_the_end) {
  launch::SideCommand post;
  post.argv = {"post"};
  spec_.after = {post};
  spec_.report.file.path = "out";
  begin();
  ends(0, 0);
  ASSERT_THAT(env_.spawned, SizeIs(1));
  env_.exit(env_.parts_forked.at(0), 0);
  turn();
  EXPECT_THAT(env_.words<launch::TaskEnded>(), SizeIs(1));
  EXPECT_FALSE(shepherd_->over());
  ends(1, 0);
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, the_end_waits_for_no_report_that_only_another_end_or_a_mail_brings) {
  auto told_at_once = [this](auto change) {
    env_.said.clear();
    auto usual = spec_;
    spec_.report.file.path = "out";
    change(spec_);
    begin();
    ends(env_.spawned.size() - 1, 0);
    spec_ = usual;
    return env_.words<launch::TaskEnded>().size() == 1;
  };
  EXPECT_TRUE(told_at_once([](auto& spec) { spec.ends_with_last_task = false; }));
  EXPECT_TRUE(told_at_once([](auto& spec) { spec.out = {{.path = "out", .name = {}}}; }));
  EXPECT_TRUE(told_at_once([](auto& spec) { spec.report.mail_at_end = true; }));
  EXPECT_FALSE(told_at_once([](auto&) {}));
}

}  // namespace
}  // namespace wm::shepherd
