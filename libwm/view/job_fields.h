// Role: what bjobs shows of a job: the table of -o and -json fields, LSF's and ours, and the
// texts they are made of. Pure; "now" comes in. @source LSF bjobs -o (lsf-surface 3.4),
// DESIGN 8 for the fields beyond LSF
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/model/verbs/verbs.h"
#include "libwm/view/format.h"
#include "libwm/view/times.h"

namespace wm::view {

/// A job and the time at which it is looked at.
struct ShownJob {
  const JobView* view;
  WallTime now;
  bool short_hosts = false;  ///< "4*hostA" for hosts that come again: LSB_SHORT_HOSTLIST=1
};

/// Every field, in the order of `-o all`: those that say something here, and behind them what else
/// LSF has (lsf_job_fields.cc). @cost O(1)
std::span<const Field<ShownJob>> job_fields();
/// What LSF has no column for: in JSON only. @cost O(1)
std::span<const Field<ShownJob>> more_job_fields();

/// A task of a job and the name of its host.
struct ShownTask {
  const JobView* view;
  const Task* task;
  std::string_view host;
};
/// Every task of the newest attempt, in order. @owns borrows the view   @cost O(tasks)
std::vector<ShownTask> shown_tasks(const JobView& view);
/// Fields of a task. @cost O(1)
std::span<const Field<ShownTask>> task_fields();

/// Is it what the master sends of a job if the viewer may only see a summary? Its owner's words are
/// not there, not even the command, which every job has. @cost O(1)
bool is_summary(const JobView& view);

/// "123" or "123[4]". @cost O(1)
std::string job_id_text(const JobView& view);
/// The job's name; an element's with its index. @cost O(name)
std::string job_name_text(const JobView& view);
/// Does something keep it that is no matter of who goes first where? @source LSF bjobs -pi
bool is_ineligible(const JobView& view);
/// One host per task that counts: holding a slot now or, of a job that is over, used by its
/// last attempt. @cost O(tasks)
std::vector<std::string> exec_hosts(const JobView& view);
/// The same, joined by ':'. @cost O(tasks)
std::string exec_hosts_text(const JobView& view);
/// "4*hostA", "hostB": hosts that follow each other as LSF shortens them. @cost O(hosts)
std::vector<std::string> shortened(const std::vector<std::string>& hosts);
/// "TERM_OWNER: job killed by owner"; empty for a job that ended by itself. @cost O(1)
std::string exit_reason_text(const JobView& view);
/// The exit code; empty while there is none or it is 0. @cost O(1)
std::string exit_code_text(const JobView& view);
/// Why it waits, or does not grow; empty when nothing keeps it. @cost O(reasons)
std::string pend_reason_text(const JobView& view);

}  // namespace wm::view
