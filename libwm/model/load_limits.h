// Role: load thresholds of queues as they are written, and what they are measured by: the indices
// of lsload. Pure.
//
// @source LSF: lsb.queues, "r1m = 0.7/2.0": beyond 0.7 nothing is started, beyond 2.0 what runs is
// stopped
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/config/run_rules.h"
#include "libwm/model/host.h"

namespace wm {

/// What a host that is heard measures of itself.
struct Measured {
  double r1m = 0;  ///< load average of one minute
  HostLoad more;
  std::uint32_t milli_cpus = 0;
};

/// "r1m=0.7/2.0 ut=90% mem=500M/200M it=10": INDEX=SCHED/STOP, either of which may be left out or
/// "-". Indices: r15s r1m r15m ut it tmp swp mem; ut is a part of 1 or percent, it minutes.
/// @errors BadArgument: names the word and what is wrong with it
Result<std::vector<LoadLimit>> parse_load_limits(std::string_view text);
/// The same again, as parse_load_limits reads it. @cost O(limits)
std::string show_load_limits(const std::vector<LoadLimit>& limits);

/// What lsload shows under that name. None: not measured. @units bytes, minutes, a part of 1
/// @cost O(1)
std::optional<double> load_value(std::string_view index, const Measured& host);
/// The value as it is written in a limit. @cost O(1)
std::string show_load(std::string_view index, double value);
/// Is a host with this value worse off than the limit says? @cost O(1)
bool is_beyond(std::string_view index, double value, double limit);

}  // namespace wm
