// Role: badmin's views of the cluster as a whole: counts, a text for who is to help, what
// administrators did.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/audit.h"
#include "libwm/model/verbs.h"

namespace wm::cmd {

/// badmin showstatus. @errors as Master's   @source LSF badmin showstatus
Result<int> show_status();
/// badmin diagnose: versions, files that are not as shipped, hosts, queues, plans, why jobs wait.
/// What may hold a secret is left out: commands of the configuration, and all that users wrote.
/// @errors none: what is missing is said in the text
Result<int> diagnose();
/// Which acts a word of badmin is about: qhist, hhist, mbdhist, doorhist, hist; empty: any.
/// @cost O(1)
std::vector<std::string> acts_of(std::string_view word);

/// Is it hist, mbdhist, qhist, hhist, doorhist or audit? @cost O(1)
bool is_history_word(std::string_view word);
/// The acts that one of these is about, of the objects named.
/// @errors as AuditRequest
Result<int> show_acts(std::string_view word, std::vector<std::string> objects);

/// The text of showstatus. @cost O(jobs + hosts)
std::string status_text(std::span<const JobView> jobs, std::span<const HostView> hosts);
/// "Wed Nov 25 19:11:27 2026: hclose <h1> by ann: broken fan". @cost O(text)
std::string act_line(const AuditEntry& entry);

}  // namespace wm::cmd
