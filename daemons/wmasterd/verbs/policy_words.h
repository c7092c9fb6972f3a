// Role: what the master and the site's policy of submissions say to each other: a line of JSON for
// each job that is asked about, a line of JSON for each answer. Pure.
//
//   {"version":1,"verb":"submit","user":"ann","queue":"normal","options":{"n":"4","gpu":"num=1"}…}
//   {"accept":true}   {"refuse":"words"}   {"options":{"q":"night","W":60,"gpu":null}}
//
// The man page wpolicyd(8) has every member.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/verbs/job_verbs.h"

namespace wm::master {

/// One job as the policy is asked about it. Borrows what it refers to.
struct PolicySubject {
  std::string_view verb;  ///< submit, pack, modify, switch, limit
  const Identity& by;     ///< who asks; the job's owner but for administrators
  const JobSpec& stated;  ///< as its owner signed it, or as it is to be
  const JobSpec& filled;  ///< with the master's defaults
  JobId job{};            ///< of a change
  PolicyRound round = 0;
};

/// A job without -n states the number that it is given, before a policy is asked about it: what the
/// policy says of that number is about what it was told. @cost O(1)
void state_tasks(JobSpec& stated, const JobSpec& filled);

/// The question, with its line feed. @cost O(specification)
std::string policy_line(const Config& config, const PolicySubject& subject);

/// What the policy says of one job.
struct Verdict {
  enum class Kind : std::uint8_t { Accept, Refuse, Instead, Failed };
  Kind kind = Kind::Accept;
  std::string words;                  ///< of a refusal; why it failed
  std::vector<OptionChange> instead;  ///< at least one
  bool operator==(const Verdict&) const = default;
};

/// The longest words of a refusal that are passed on. @units bytes
inline constexpr std::size_t kMostWords = 1000;

/// One answer. Words that would steer a terminal are shown as \x1b. Failed: no JSON, none or
/// several of the three members, an option that is not the policy's or has no such value.
/// @cost O(line)
Verdict read_verdict(std::string_view line);

/// `wanted` answers, blank lines apart; one that is missing has failed, as have all where there are
/// more. @cost O(text)
std::vector<Verdict> read_verdicts(std::string_view text, std::size_t wanted);

/// What is to be done after a verdict about `stated`: nothing to say: it is accepted; else the
/// options that the client is to sign instead. What it states already is accepted. `now`: of dates.
/// @errors Denied: refused, with the policy's words; it wants other options of a client that takes
/// none, or the second time; Unavailable: it failed   @cost O(specification)
Result<std::vector<OptionChange>> settled(const Config& config, const Verdict& verdict,
                                          const JobSpec& stated, PolicyRound round, WallTime now);

}  // namespace wm::master
