#include "libwm/rest/exec_outcome.h"

namespace wm::rest {
namespace {

constexpr std::string_view kMaster = "wm";

// The master's wishes bear its own name.
bool is_ended_by_wm(const Job& job) {
  return job.state == JobState::Killed && job.kill && job.kill->by == kMaster;
}

bool is_error(const Job& job) {
  return job.state == JobState::Failed || job.state == JobState::Error || is_ended_by_wm(job);
}

// @source waitpid(2): the low seven bits are a signal, the next eight an exit code
std::string status_text(std::int32_t status) {
  auto bits = static_cast<std::uint32_t>(status);
  if (auto signal = bits & 0x7f) return "ended by signal " + std::to_string(signal);
  return "exit code " + std::to_string(bits >> 8 & 0xff);
}

}  // namespace

std::string_view exec_state(const Job& job) {
  if (is_error(job)) return "ERROR";
  switch (job.state) {
    case JobState::Held: return "SUBMITTED";
    case JobState::Pending:
    case JobState::Launching: return "PENDING_CRD_SCHEDULER";
    case JobState::Running:
    case JobState::Unknown:
    case JobState::Array:
    case JobState::Suspended: return "RUNNING";
    case JobState::Finished: return "FINISHED";
    default: return "KILLED";
  }
}

std::string_view app_state(const Job& job) {
  return is_error(job) ? "ERROR" : wmla_state(job.state);
}

std::string error_of(const Job& job) {
  if (!is_error(job)) return "";
  if (is_ended_by_wm(job)) return job.kill->text;
  const auto& outcome = job.outcome;
  std::string text;
  auto add = [&](std::string_view part) {
    if (!part.empty()) text.append(text.empty() ? "" : ": ").append(part);
  };
  if (outcome.status != 0) add(status_text(outcome.status));
  if (outcome.term != Term::None) add(term_text(outcome.term));
  add(outcome.text);
  return text.empty() ? "it could not be run" : text;
}

}  // namespace wm::rest
