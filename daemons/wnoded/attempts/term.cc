#include "daemons/wnoded/attempts/term.h"

#include <sys/wait.h>

#include <algorithm>

#include "daemons/wnoded/attempts/local_attempt.h"

namespace wm::node {

Term term_of(const launch::ExitRecord& record, const HostOrder& order) {
  const auto* task = ordered(order, record.task);
  switch (record.cause) {
    case launch::EndCause::Exited: return Term::None;
    case launch::EndCause::RunLimit: return Term::RunLimit;
    case launch::EndCause::ShepherdLost: return Term::ShepherdLost;
    case launch::EndCause::MemLimit: return Term::MemLimit;
    case launch::EndCause::CpuLimit: return Term::CpuLimit;
    case launch::EndCause::ProcessLimit: return Term::ProcessLimit;
    case launch::EndCause::ThreadLimit: return Term::ThreadLimit;
    case launch::EndCause::SwapLimit: return Term::Swap;
    case launch::EndCause::PreExecFailed: return Term::PreExecFail;
    case launch::EndCause::PrologFailed: return Term::PrologFailed;
    case launch::EndCause::NoFolder: return Term::CwdNotExist;
    case launch::EndCause::OwnFault: return Term::OwnFault;
    case launch::EndCause::OutputLost: return Term::OutputLost;
    case launch::EndCause::FolderLimit: return Term::FolderLimit;
    case launch::EndCause::StartFailed: return Term::LaunchFailed;
    case launch::EndCause::Ordered: break;
  }
  if (task && task->kill && task->term != Term::None) return task->term;
  if (order.control.end && order.control.end_term != Term::None) return order.control.end_term;
  if (task && task->leave) return Term::Left;
  return Term::Other;
}

Term term_of(const Error& refusal) {
  switch (refusal.code) {
    case Code::Stale: return Term::NotSigned;
    case Code::Version: return Term::ConfigGap;
    case Code::Denied:
    case Code::Damaged: return Term::Denied;
    default: return Term::LaunchFailed;
  }
}

std::string term_words(Term term) {
  if (term == Term::None) return "";
  return std::string(term_name(term)) + ": " + std::string(term_text(term)) + ".";
}

std::string end_words(const launch::ExitRecord& record) {
  if (WIFSIGNALED(record.status)) return "signal " + std::to_string(WTERMSIG(record.status));
  return "exit " + std::to_string(WEXITSTATUS(record.status));
}

bool ended_well(const launch::ExitRecord& record, const HostOrder& order) {
  if (record.cause != launch::EndCause::Exited || !WIFEXITED(record.status)) return false;
  auto code = static_cast<std::uint32_t>(WEXITSTATUS(record.status));
  const auto& well = order.app.success_exits;
  return code == 0 || std::find(well.begin(), well.end(), code) != well.end();
}

}  // namespace wm::node
