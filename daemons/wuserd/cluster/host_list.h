// Role: hosts in parts, so that a page of a cluster of 10,000 gets no answer of tens of megabytes,
// and what all of them have in sum. Pure, but for what is remembered between two parts.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/model/verbs/host_verbs.h"
#include "libwm/rest/url.h"

namespace wm::user {

inline constexpr std::size_t kMostHostsInPart = 2000;

/// ?limit=N&after=NAME&out=yes. limit 0: all.
struct HostPart {
  std::size_t limit = 0;
  std::string after;
  bool out = false;  ///< only those that take no jobs: closed, silent
};
/// @errors BadArgument: the limit is no number from 1 to kMostHostsInPart; out is no word of it
Result<HostPart> host_part(const rest::Target& target);

/// Those of a part, of hosts by name. @cost O(hosts)
std::vector<HostView> hosts_of(std::span<const HostView> all, const HostPart& part);

/// {"hosts":…,"slots":…}: what there is, what is in use, what is out of use. @cost O(hosts)
std::string capacity_json(std::span<const HostView> all);

/// The hosts as the master told them last: parts after the first are cut from the same list.
/// @thread any
class HostList {
 public:
  using Hosts = std::shared_ptr<const std::vector<HostView>>;
  /// Nothing: none, or it is older than a reader takes for its parts. @cost O(1)
  Hosts recent(TimePoint now) const;
  Hosts keep(std::vector<HostView> hosts, TimePoint now);

 private:
  mutable std::mutex mutex_;
  Hosts hosts_;     // Guarded by mutex_.
  TimePoint told_;  // Guarded by mutex_.
};

}  // namespace wm::user
