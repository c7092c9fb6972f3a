// How the end of a task is called.
#include "daemons/wnoded/attempts/term.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace wm::node {
namespace {

using launch::EndCause;

HostOrder order_of_one(bool kill, bool leave) {
  HostOrder order;
  OrderedTask task;
  task.task = {1};
  task.kill = kill;
  task.leave = leave;
  if (kill) task.term = Term::Hung;
  order.tasks.push_back(task);
  return order;
}

TEST(term, limits_and_folders_have_names_of_their_own) {
  launch::ExitRecord r;
  r.cause = EndCause::RunLimit;
  EXPECT_EQ(term_of(r, {}), Term::RunLimit);
  r.cause = EndCause::StartFailed;
  r.text = "working directory /x: No such file or directory";
  EXPECT_EQ(term_of(r, {}), Term::LaunchFailed);  // not by its words
  r.cause = EndCause::NoFolder;
  EXPECT_EQ(term_of(r, {}), Term::CwdNotExist);
}

TEST(term, every_limit_has_its_own_term) {
  launch::ExitRecord r;
  for (auto [cause, term] : {std::pair(launch::EndCause::MemLimit, Term::MemLimit),
                             std::pair(launch::EndCause::CpuLimit, Term::CpuLimit),
                             std::pair(launch::EndCause::ProcessLimit, Term::ProcessLimit),
                             std::pair(launch::EndCause::ThreadLimit, Term::ThreadLimit),
                             std::pair(launch::EndCause::SwapLimit, Term::Swap),
                             std::pair(launch::EndCause::FolderLimit, Term::FolderLimit),
                             std::pair(launch::EndCause::PreExecFailed, Term::PreExecFail),
                             std::pair(launch::EndCause::PrologFailed, Term::PrologFailed)}) {
    r.cause = cause;
    EXPECT_EQ(term_of(r, {}), term);
  }
}

TEST(term, who_ordered_an_end_gives_its_name_the_task_before_the_attempt) {
  launch::ExitRecord ended;
  ended.task = {1};
  ended.cause = EndCause::Ordered;
  EXPECT_EQ(term_of(ended, {}), Term::Other);
  EXPECT_EQ(term_of(ended, order_of_one(false, true)), Term::Left);
  auto both = order_of_one(true, true);
  both.control.end = true;
  both.control.end_term = Term::Owner;
  EXPECT_EQ(term_of(ended, both), Term::Hung);
  ended.task = {2};
  EXPECT_EQ(term_of(ended, both), Term::Owner);
  ended.cause = EndCause::Exited;
  EXPECT_EQ(term_of(ended, both), Term::None);
}

TEST(term, why_an_order_cannot_be_followed_has_a_term) {
  EXPECT_EQ(term_of(Error{Code::Stale, "key"}), Term::NotSigned);
  EXPECT_EQ(term_of(Error{Code::Version, "profile"}), Term::ConfigGap);
  EXPECT_EQ(term_of(Error{Code::Damaged, "bytes"}), Term::Denied);
  EXPECT_EQ(term_of(Error{Code::Unavailable, "munged"}), Term::LaunchFailed);
}

TEST(term, an_end_is_good_by_exit_codes_of_its_profile_alone) {
  HostOrder order;
  order.app.success_exits = {3};
  launch::ExitRecord record;
  EXPECT_TRUE(ended_well(record, order));
  record.status = 3 << 8;
  EXPECT_TRUE(ended_well(record, order));
  EXPECT_EQ(end_words(record), "exit 3");
  record.status = 4 << 8;
  EXPECT_FALSE(ended_well(record, order));
  record.status = SIGKILL;
  EXPECT_FALSE(ended_well(record, order));
  EXPECT_EQ(end_words(record), "signal 9");
  record.status = 0;
  record.cause = EndCause::RunLimit;
  EXPECT_FALSE(ended_well(record, order));
}

}  // namespace
}  // namespace wm::node
