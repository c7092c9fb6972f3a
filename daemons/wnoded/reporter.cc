#include "daemons/wnoded/reporter.h"

#include <utility>

#include "daemons/wnoded/gpu_needs.h"

namespace wm::node {

void Reporter::say(LocalAttempt& attempt, Fact fact) {
  if (auto* ended = std::get_if<FactEnded>(&fact)) {
    if (ended->term == Term::LaunchFailed) probe_.note_fault();
    // Its GPUs may have kept this end back for longer than the delivery took.
    ended->delivers = ended->delivers && attempt.delivers;
    ended->usage.gpu_energy_mj =
        energy_.close(hold_of(attempt, ended->task), gpus_of(attempt.order, ended->task));
  }
  if (!attempt.forgotten) session_.tell(std::move(fact));
}

}  // namespace wm::node
