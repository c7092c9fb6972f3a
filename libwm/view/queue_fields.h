// Role: what bqueues shows of a queue: the fields of -o and -json, the table and the long
// form. Pure. @source LSF bqueues (lsf-surface 4): headings, widths, words
#pragma once

#include <span>
#include <string>

#include "libwm/model/config/config.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/view/format.h"

namespace wm::view {

/// "Open:Active", "Closed:Inact": does it take jobs, does it start them. @cost O(1)
std::string queue_status(const QueueView& view);

/// Every field, in the order of `-o all`. @cost O(1)
std::span<const Field<QueueView>> queue_fields();
/// What LSF has no column for: in JSON only. @cost O(1)
std::span<const Field<QueueView>> more_queue_fields();

/// The default table; with `wide` no name is cut. @cost O(queues)
std::string queue_table(std::span<const QueueView> queues, bool wide, bool with_header);

/// Of -l: the heads and the numbers of the moment. @cost O(1)
std::string queue_statistics(const QueueView& view);
/// -l: everything about one queue, limits as LSF lays them out. @cost O(text)
std::string queue_long_text(const QueueView& view);

/// Its lists of users and hosts as people read them: names of groups end with '/'.
/// @cost O(names times hosts and users)   @source LSF bqueues -l: USERS, HOSTS
QueueView with_slashes(QueueView view, const Config& config);

/// -r: "SHARE_INFO_FOR: queue/", then that of each plan that has others below it. All queues share
/// one tree. PRIORITY: shares bent by history; STARTED: slots (GPUs where these are short);
/// RUN_TIME: the decayed share of the cluster, seconds. @cost O(plans)
std::string share_info(const std::string& queue, std::span<const PlanView> plans);

}  // namespace wm::view
