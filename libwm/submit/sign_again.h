// Role: submissions as clients make them where the site has a policy (submit_policy of wm.conf):
// signed, sent and, where the answer is "these options instead", changed, signed and sent once
// more. The one way in for commands and the web door.
#pragma once

#include <string>
#include <vector>

#include "libwm/client/master.h"
#include "libwm/submit/submission.h"

namespace wm::cmd {

/// The most times that one submission is signed and sent: a master that wants other options each
/// time is left.
inline constexpr PolicyRound kMostRounds = 3;

/// As client::Master::submit; the warnings say what the policy has changed. `here`: for units.
/// @errors as there; Denied: other options each time, or one that a policy cannot change
Result<SubmitReply> submit_signed(client::Master& to, JobSpec spec, const std::string& script,
                                  const std::string& env, const Surroundings& here);

/// As client::Master::pack: of a pack those that are to have other options are sent again, with a
/// result each in the first order. @errors as there; Denied as submit_signed, of an item
Result<PackReply> pack_signed(client::Master& to, std::vector<client::PackJob> jobs,
                              const std::string& env, const Surroundings& here);

/// What the master answered, and what the policy had changed of it, in words; empty: nothing.
struct Modified {
  OutcomeReply reply;
  std::string changed;
};
/// As client::Master::modify. @errors as there; Denied as submit_signed
Result<Modified> modify_signed(client::Master& to, JobId job, std::uint32_t revision, JobSpec spec,
                               const Surroundings& here);

}  // namespace wm::cmd
