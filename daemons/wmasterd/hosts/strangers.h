// Role: hosts that want to join and are not in hosts.conf: commands that show the cluster list them
// and what to do, instead of a line a second in a log on the host. Pure: now comes in.
// Used by hosts.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libwm/base/units.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::master {

/// @thread one at a time   @cost a line: O(log strangers); at most kMostStrangers are kept
class Strangers {
 public:
  /// One knocked. True: for the first time, or again after kStrangerKept. Of too many the one that
  /// was heard longest ago gives way.
  bool knocked(const std::string& name, const std::string& address, TimePoint now);
  /// It is one of the cluster's now.
  void joined(const std::string& name) { heard_.erase(name); }
  /// Those that still knock, by name.
  std::vector<Stranger> present(TimePoint now) const;

 private:
  struct Heard {
    std::string address;
    TimePoint last{};
  };
  std::map<std::string, Heard> heard_;
};

/// How long after its last word one is shown: hosts try again every few seconds.
inline constexpr Duration kStrangerKept = std::chrono::minutes(1);
/// Names are the peers' own words: a bound on what they can make us keep.
inline constexpr std::size_t kMostStrangers = 1000;

}  // namespace wm::master
