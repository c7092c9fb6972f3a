#include "libwm/fsm/fault.h"

#include <gtest/gtest.h>

#include <set>

#include "libwm/model/credit.h"

namespace wm::fsm {
namespace {

TEST(fault, every_term_that_has_a_name_is_there_once) {
  std::set<Term> there;
  for (const Cause& cause : causes())
    EXPECT_TRUE(there.insert(cause.term).second) << term_name(cause.term);
  for (int number = 1; number < 256; ++number) {
    if (number == 2 || number == 3) continue;  // LSF's for windows and load, which WM never says
    auto term = static_cast<Term>(number);
    bool named = term_name(term) != term_name(Term::Other) || term == Term::Other;
    if (!named) continue;
    EXPECT_TRUE(there.contains(term)) << term_name(term);
  }
}

TEST(fault, a_term_of_a_newer_host_ends_the_job_at_nobodys_fault) {
  const Cause& cause = cause_of(static_cast<Term>(250));
  EXPECT_EQ(cause.fault, Fault::None);
  EXPECT_EQ(cause.again, Again::Never);
  EXPECT_FALSE(cause.is_limit || cause.is_loss || cause.is_resumed);
}

TEST(fault, without_a_fault_a_job_waits_again_only_once_signed_and_always_for_its_hosts) {
  for (const Cause& cause : causes()) {
    bool again = cause.again != Again::Never && cause.again != Again::OnceSigned;
    EXPECT_TRUE(!again || cause.fault != Fault::None) << term_name(cause.term);
    EXPECT_TRUE(again || cause.fault != Fault::Host) << term_name(cause.term);
    EXPECT_TRUE(!cause.is_limit || cause.again == Again::Never) << term_name(cause.term);
    EXPECT_TRUE(!cause.is_loss || cause.fault == Fault::Host) << term_name(cause.term);
  }
}

TEST(fault, what_keeps_a_host_from_starting_a_job_is_no_try_of_the_jobs) {
  EXPECT_EQ(cause_of(Term::LaunchFailed).again, Again::Elsewhere);
  EXPECT_FALSE(cause_of(Term::LaunchFailed).is_gap);
  EXPECT_TRUE(cause_of(Term::ConfigGap).is_gap);
  for (Term term : {Term::OwnFault, Term::CwdNotExist, Term::OutputLost, Term::RunLimit}) {
    EXPECT_EQ(cause_of(term).fault, Fault::User) << term_name(term);
    EXPECT_EQ(cause_of(term).again, Again::Never) << term_name(term);
    EXPECT_FALSE(is_credited(term)) << term_name(term);
  }
}

// Who pays is told by model/credit.h, to accounting as well: a host's fault is never the owner's.
TEST(fault, what_a_host_did_is_not_the_owners_to_pay) {
  for (const Cause& cause : causes()) {
    bool not_started = cause.term == Term::LaunchFailed || cause.term == Term::NotSigned;
    EXPECT_EQ(is_credited(cause.term), cause.fault == Fault::Host || not_started)
        << term_name(cause.term);
  }
}

}  // namespace
}  // namespace wm::fsm
