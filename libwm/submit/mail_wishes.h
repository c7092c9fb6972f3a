// Role: what a job's owner wants to be told, and how: the options -B, -N, -u and -notify of bsub
// and bmod. Pure.
#pragma once

#include "libwm/base/result.h"
#include "libwm/model/job_parts.h"
#include "libwm/submit/options.h"

namespace wm::cmd {

/// What these options say, and of `mail` the rest.
/// @errors BadArgument: as parse_recipients; a word of -notify that is no state
Result<void> read_mail(const Parsed& options, MailWish& mail);

}  // namespace wm::cmd
