// Role: what bqueues shows of a queue: the fields of -o and -json, the table and the long
// form. Pure. @source LSF bqueues (lsf-surface 4): headings, widths, words
#pragma once

#include <span>
#include <string>

#include "libwm/model/verbs.h"
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

/// -l: everything about one queue. @cost O(text)
std::string queue_long_text(const QueueView& view);

}  // namespace wm::view
