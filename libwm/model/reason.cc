#include "libwm/model/reason.h"

#include <algorithm>
#include <array>

#include "libwm/model/stoppers.h"

namespace wm {
namespace {

struct TermRow {
  Term term;
  std::string_view name, text;
};

constexpr std::array<TermRow, 38> kTerms = {{
    {Term::None, "", ""},
    {Term::Preempt, "TERM_PREEMPT", "job killed after preemption"},
    {Term::Other, "TERM_OTHER", "job killed for a reason not listed"},
    {kTermWindow, "TERM_WINDOW", "job killed after queue run window closed"},
    {kTermLoad, "TERM_LOAD", "job killed after load exceeds threshold"},
    {Term::RunLimit, "TERM_RUNLIMIT", "job killed after reaching its run time limit"},
    {Term::Deadline, "TERM_DEADLINE", "job killed after reaching its termination time"},
    {Term::ProcessLimit, "TERM_PROCESSLIMIT", "job killed after reaching its process limit"},
    {Term::ForceOwner, "TERM_FORCE_OWNER", "job killed by owner without time for cleanup"},
    {Term::ForceAdmin, "TERM_FORCE_ADMIN", "job killed by administrator without time for cleanup"},
    {Term::RequeueOwner, "TERM_REQUEUE_OWNER", "job killed and requeued by owner"},
    {Term::RequeueAdmin, "TERM_REQUEUE_ADMIN", "job killed and requeued by administrator"},
    {Term::CpuLimit, "TERM_CPULIMIT", "job killed after reaching its CPU usage limit"},
    {Term::Owner, "TERM_OWNER", "job killed by owner"},
    {Term::Admin, "TERM_ADMIN", "job killed by administrator"},
    {Term::MemLimit, "TERM_MEMLIMIT", "job killed after reaching its memory usage limit"},
    {Term::ExternalSignal, "TERM_EXTERNAL_SIGNAL", "job killed by a signal from outside"},
    {Term::Swap, "TERM_SWAP", "job killed after reaching its virtual memory limit"},
    {Term::ThreadLimit, "TERM_THREADLIMIT", "job killed after reaching its thread limit"},
    {Term::CwdNotExist, "TERM_CWD_NOTEXIST", "working directory does not exist on the host"},
    {Term::PreExecFail, "TERM_PRE_EXEC_FAIL", "pre-execution command failed"},
    {Term::HostLost, "TERM_HOST_LOST", "its host was lost"},
    {Term::ShepherdLost, "TERM_SHEPHERD_LOST", "the process watching it was killed"},
    {Term::LaunchFailed, "TERM_LAUNCH_FAILED", "a task could not be started"},
    {Term::TaskFailed, "TERM_TASK_FAILED", "ended because another task of the job failed"},
    {Term::ReclaimGrace, "TERM_RECLAIM_GRACE", "did not release its slot within the grace time"},
    {Term::Hung, "TERM_HUNG", "missed a collective longer than the hang limit"},
    {Term::Left, "TERM_LEFT", "left the job on request"},
    {Term::PrologFailed, "TERM_PROLOG_FAILED", "the site's prolog failed on its host"},
    {Term::GroupEnded, "TERM_GROUP_ENDED", "ended because another group of the job has ended"},
    {Term::PendLimit, "TERM_PENDLIMIT", "job killed after waiting for its pending time limit"},
    {Term::NotSigned, "TERM_NOT_SIGNED", "its host could not prove its signature"},
    {Term::OwnFault, "TERM_OWN_FAULT", "one of the job's own files or its agent failed"},
    {Term::OutputLost, "TERM_OUTPUT_LOST", "not all of the job's output could be written"},
    {Term::ConfigGap, "TERM_CONFIG_GAP", "its host's configuration lacks its profile or queue"},
    {Term::Denied, "TERM_DENIED", "its host may not run it as it was ordered"},
    {Term::GpuMemLimit, "TERM_GPU_MEMLIMIT", "job killed after reaching its GPU memory limit"},
    {Term::FolderLimit, "TERM_FOLDERLIMIT", "job killed for what it wrote into its folder"},
}};

const TermRow& row(Term term) {
  auto it = std::find_if(kTerms.begin(), kTerms.end(), [&](auto& r) { return r.term == term; });
  return it == kTerms.end() ? kTerms[2] : *it;
}

}  // namespace

std::string_view term_name(Term term) { return row(term).name; }
std::string_view term_text(Term term) { return row(term).text; }

std::string_view pend_code_name(PendCode code) {
  static constexpr std::array<std::string_view, 17> kNames = {
      "new",          "held",        "slots",      "resources",    "requirement",    "queue_closed",
      "queue_limit",  "user_limit",  "plan_limit", "array_limit",  "being_released", "hosts_closed",
      "hosts_silent", "stuck_slots", "priority",   "start_failed", "hosts_excluded"};
  if (code == PendCode::Dependency) return "dependency";
  if (code == PendCode::NeverMet) return "dependency_never_met";
  if (code == PendCode::BeginTime) return "begin_time";
  if (code == PendCode::Groups) return "groups";
  if (code == PendCode::Budget) return "budget";
  if (code == PendCode::NoneWanted) return "none_wanted";
  if (code == PendCode::GroupLimit) return "job_group_limit";
  if (code == PendCode::Reserved) return "advance_reservation";
  if (code == PendCode::Window) return "window_closed";
  if (code == PendCode::Limit) return "limit";
  auto i = static_cast<std::size_t>(code);
  return i < kNames.size() ? kNames[i] : "unknown";
}

}  // namespace wm
