#include "daemons/wnoded/reporter.h"

#include <utility>

namespace wm::node {

void Reporter::say(LocalAttempt& attempt, Fact fact) {
  if (auto* ended = std::get_if<FactEnded>(&fact)) {
    if (ended->term == Term::LaunchFailed) probe_.note_fault();
    // Its GPUs may have kept this end back for longer than the delivery took.
    ended->delivers = ended->delivers && attempt.delivers;
  }
  if (!attempt.forgotten) session_.tell(std::move(fact));
}

}  // namespace wm::node
