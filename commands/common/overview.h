// Role: badmin's views of the cluster as a whole: counts, a text for who is to help, what
// administrators did.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/verbs/group_verbs.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::cmd {

/// badmin showstatus. @errors as Master's   @source LSF badmin showstatus
Result<int> show_status();
/// badmin diagnose: versions, files that are not as shipped, hosts, queues, plans, why jobs wait.
/// What may hold a secret is left out: commands of the configuration, and all that users wrote.
/// @errors none: what is missing is said in the text
Result<int> diagnose();
/// The acts that a word is about (libwm/view/acts.h), of the objects named.
/// @errors as AuditRequest
Result<int> show_acts(std::string_view word, std::vector<std::string> objects);

/// The text of showstatus: LSF's lines in LSF's order, by which programs read it. `groups`: of
/// users, in users.conf. What has been there at once and what is there now are the same: nothing
/// keeps peaks. @cost O(jobs + hosts)   @source LSF badmin showstatus
std::string status_text(std::span<const JobView> jobs, std::span<const HostView> hosts,
                        std::size_t groups);

/// badmin perfmon view -json: period and metrics by LSF's names, descriptors. @cost O(metrics)
std::string perfmon_json(const PerfmonReply& reply);

}  // namespace wm::cmd
