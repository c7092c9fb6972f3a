// Role: the site's filter of submissions (submit_filter of wm.conf), a process of its own with a
// time limit, run by bsub as the user. It sees options in a file and may change them in another.
// @source LSF esub: LSB_SUB_PARM_FILE, LSB_SUB_MODIFY_FILE, LSB_SUB_ABORT_VALUE
#pragma once

#include <string>
#include <string_view>

#include "libwm/model/config/config.h"
#include "libwm/submit/options.h"

namespace wm::cmd {

/// Runs the filter, then "FILTER.NAME" for each NAME of -a "NAME(…) …" that is there, and changes
/// `options` as they say; nothing where none is configured.
/// @errors Denied: it refused; Timeout; NotFound, System: it cannot be run, or ended otherwise
/// @thread main   @cost until the filter ends
Result<void> filter_submission(const SiteScripts& site, const std::string& command,
                               Parsed& options);

/// The lines of LSB_SUB_PARM_FILE: LSB_SUB_QUEUE="night" … @cost O(text)
std::string filter_parameters(const Parsed& options, const std::string& command);
/// Takes what LSB_SUB_MODIFY_FILE says into `options`; an empty value takes an option away.
/// @errors BadArgument: a line that is none, or a variable that cannot be changed   @cost O(text)
Result<void> take_modifications(std::string_view text, Parsed& options);

}  // namespace wm::cmd
