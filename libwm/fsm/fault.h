// Role: the one table of why a task or a job ended: at which fault, and what follows for its job.
// Empty-handed: values alone; task_fsm.cc asks it and decides what needs the job.
#pragma once

#include <cstdint>
#include <span>

#include "libwm/model/reason.h"

namespace wm::fsm {

/// At which fault it ended. Each has a budget of its own: a job that loses hosts often may still
/// retry by itself.
enum class Fault : std::uint8_t {
  None,  ///< it ended as it was asked to, or nothing is known
  Host,  ///< max_requeue; what kept it from starting counts against the host alone
  User,  ///< the job's own doing: its queue's budget of requeues, where it waits again at all
};

/// When the job waits again after such an end, rather than being over.
enum class Again : std::uint8_t {
  Never,
  Always,
  IfRerunnable,    ///< it may run twice, or has trained and can go on from its checkpoint
  IfTrained,       ///< it has trained: goes on from its newest checkpoint
  IfAsked,         ///< its exit code asks for it, or it was killed once it had trained
  UnlessItAborts,  ///< with LSF's code by which a pre-execution command ends its job
  OnceSigned,      ///< it is held until its owner has signed it anew
  Elsewhere,       ///< no try of the job's: on other hosts at once, there after a pause
};

/// A cause, and what follows.
struct Cause {
  Term term;
  Fault fault;
  Again again;
  /// The job as a whole may not exceed this, whichever of its tasks did: none is spared.
  bool is_limit = false;
  /// What ran there is lost: it did not end by itself, nor because it was asked to leave.
  bool is_loss = false;
  /// Members that it ends may go on from the newest checkpoint.
  bool is_resumed = false;
  /// The host lacks something for jobs of this profile only; it is not unwell.
  bool is_gap = false;
};

/// Each term once. @cost O(1)
std::span<const Cause> causes();
/// Of a term that is not known: nobody's fault, and the job is over. @cost O(terms)
const Cause& cause_of(Term term);

}  // namespace wm::fsm
