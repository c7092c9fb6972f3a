// Role: how verbs ask the site's policy of submissions (submit_policy of wm.conf): after the
// signature and a first admission, before the event; a request that waits for it has begun, so that
// repeats of it wait too.
#pragma once

#include <string>
#include <vector>

#include "daemons/wmasterd/verbs/service.h"

namespace wm::master::verbs {

/// Has the site one? @cost O(1)
bool has_policy(const Service& service);

/// The write that asks, and what it holds while it waits. @units bytes
struct PolicyRequest {
  const std::string& key;
  std::size_t bytes;
};
/// Asks about these jobs, a line each; then `then`, with a verdict each. A request that cannot wait
/// is refused.
void ask_policy(Service& service, const Call& call, PolicyRequest request,
                std::vector<std::string> lines, PolicyDesk::Then then);

/// settled() by the newest configuration; options that cannot be taken are logged as the policy's
/// error. @errors as settled
Result<std::vector<OptionChange>> settled_by(Service& service, const Verdict& verdict,
                                             const JobSpec& stated, PolicyRound round);

}  // namespace wm::master::verbs
