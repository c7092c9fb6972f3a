#include "libwm/fsm/fault.h"

#include <algorithm>

namespace wm::fsm {
namespace {

constexpr bool kLimit = true, kLoss = true, kResumed = true, kGap = true;

constexpr Cause kCauses[] = {
    {Term::None, Fault::User, Again::IfAsked},
    // People and the scheduler: the job knows what it was asked.
    {Term::Owner, Fault::None, Again::Never},
    {Term::Admin, Fault::None, Again::Never},
    {Term::ForceOwner, Fault::None, Again::Never},
    {Term::ForceAdmin, Fault::None, Again::Never},
    {Term::RequeueOwner, Fault::None, Again::Never},
    {Term::RequeueAdmin, Fault::None, Again::Never},
    {Term::Preempt, Fault::None, Again::Never},
    {Term::Left, Fault::None, Again::Never},
    {Term::ReclaimGrace, Fault::None, Again::Never},
    {Term::GroupEnded, Fault::None, Again::Never},
    {Term::PendLimit, Fault::None, Again::Never},
    {Term::TaskFailed, Fault::None, Again::Never},
    {Term::ExternalSignal, Fault::None, Again::Never},
    {Term::Other, Fault::None, Again::Never},
    // Limits.
    {Term::RunLimit, Fault::User, Again::Never},
    {Term::Deadline, Fault::User, Again::Never},
    {Term::MemLimit, Fault::User, Again::Never, kLimit},
    {Term::CpuLimit, Fault::User, Again::Never, kLimit},
    {Term::Swap, Fault::User, Again::Never, kLimit},
    {Term::ProcessLimit, Fault::User, Again::Never, kLimit},
    {Term::ThreadLimit, Fault::User, Again::Never, kLimit},
    {Term::GpuMemLimit, Fault::User, Again::Never, kLimit},
    {Term::FolderLimit, Fault::User, Again::Never, kLimit},
    // Hosts.
    {Term::PrologFailed, Fault::Host, Again::Always},
    {Term::HostLost, Fault::Host, Again::IfRerunnable, !kLimit, kLoss, kResumed},
    {Term::ShepherdLost, Fault::Host, Again::IfRerunnable, !kLimit, kLoss, kResumed},
    {Term::LaunchFailed, Fault::Host, Again::Elsewhere},
    {Term::ConfigGap, Fault::Host, Again::Elsewhere, !kLimit, !kLoss, !kResumed, kGap},
    {Term::Denied, Fault::None, Again::Never},
    {Term::NotSigned, Fault::None, Again::OnceSigned},
    // What the job brings with it.
    {Term::CwdNotExist, Fault::User, Again::Never},
    {Term::OwnFault, Fault::User, Again::Never},
    {Term::OutputLost, Fault::User, Again::Never},
    {Term::PreExecFail, Fault::User, Again::UnlessItAborts},
    {Term::Hung, Fault::User, Again::IfTrained, !kLimit, !kLoss, kResumed},
};

}  // namespace

std::span<const Cause> causes() { return kCauses; }

// A newer host may name one that is not known here.
const Cause& cause_of(Term term) {
  static constexpr Cause kUnknown{Term::Other, Fault::None, Again::Never};
  const auto* row = std::ranges::find(kCauses, term, &Cause::term);
  return row == std::end(kCauses) ? kUnknown : *row;
}

}  // namespace wm::fsm
