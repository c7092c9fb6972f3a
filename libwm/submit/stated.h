// Role: the other way round: from a job's specification to the options of bsub that state it, and
// the change of some of them that a site's policy wants. For the master, which shows a submission
// to the policy, and for clients, which sign anew. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/model/verbs/job_verbs.h"
#include "libwm/submit/submission.h"

namespace wm::cmd {

/// What is stated, in the order of bsub(1); amounts have their unit, times are [h:]m. What a
/// client has worked out (-nnodes, -spec, -env, -bundle) is there as what it came to, if at all.
/// @cost O(specification)
std::vector<OptionChange> stated_options(const JobSpec& spec);

/// May a policy want this option otherwise? What says how much, where, when and for which account
/// of the site: yes; what is run, read or written, or notified: no. @cost O(options)
bool is_policys(std::string_view option);

/// `changes` into `spec`; what they do not name stays. A client calls this with what a master
/// answered, so that nothing but what is_policys() allows is ever signed.
/// @errors Denied: an option that is not the policy's; BadArgument: a value that does not read, or
/// an option that cannot be taken away
Result<void> take_options(std::span<const OptionChange> changes, const Surroundings& here,
                          JobSpec& spec);

/// "-q night -W 60 -x, without -gpu". @cost O(text)
std::string change_text(std::span<const OptionChange> changes);

}  // namespace wm::cmd
