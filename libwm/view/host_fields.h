// Role: what bhosts shows of a host: its status in LSF's words, the fields of -o and -json,
// the tables and the long form. Pure. @source LSF bhosts (lsf-surface 4), DESIGN 8 for the
// GPU fields
#pragma once

#include <span>
#include <string>

#include "libwm/model/verbs/verbs.h"
#include "libwm/view/format.h"

namespace wm::view {

/// "ok", "unreach" (registered, not heard), "unavail" (never registered, or declared dead),
/// "closed_Adm" (by an administrator), "closed_Full" (no slot is free). @cost O(1)
std::string host_status(const HostView& view);

/// Every field, in the order of `-o all`. @cost O(1)
std::span<const Field<HostView>> host_fields();
/// What LSF has no column for: in JSON only. @cost O(1)
std::span<const Field<HostView>> more_host_fields();

/// The default table; with `wide`, nothing is cut and closed says why. @cost O(hosts)
std::string host_table(std::span<const HostView> hosts, bool wide, bool with_header);

/// -l: everything about one host. @cost O(GPUs)
std::string host_long_text(const HostView& view);

}  // namespace wm::view
