// Role: the versions of a deployed service, or of what a project keeps: which is the present one,
// which came before, which were gone back from. Pure; their folders are wuserd's.
//
//   next:      present ─► the newest of `earlier`;  the new one is present
//   roll back: present ─► the newest of `undone`;   the newest of `earlier` is present
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::serve {

/// Folders of versions; of both lists the newest stands last.
struct Versions {
  std::string present;  ///< empty: none yet
  std::vector<std::string> earlier, undone;
  bool operator==(const Versions&) const = default;
};

/// The name of a version that is made at that second ("ping-20260101-120000"), with a number behind
/// it where there are such already. @cost O(those)
std::string version_name(const std::string& at,
                         const std::function<bool(const std::string&)>& is_there);

/// With another version. @cost O(versions)
Versions with_version(Versions before, const std::string& fresh);
/// One more back. `what` is its name in errors: "model ping". @errors NotFound: there is none
/// before
/// @cost O(versions)
Result<Versions> gone_back(Versions before, const std::string& what);
/// Without that one; the newest of `earlier` takes the present one's place. @errors NotFound: no
/// such version; Conflict: it is the only one that was not gone back from   @cost O(versions)
Result<Versions> without_version(Versions before, const std::string& version,
                                 const std::string& what);
/// All, the present one first, then the newer before the older. @cost O(versions)
std::vector<std::string> all_of(const Versions& versions);
/// present, earlier, undone; empty: no such version. @cost O(versions)
std::string_view state_of(const Versions& versions, const std::string& version);
/// Takes out of each list what is beyond the newest `most`: to be removed. @cost O(versions)
std::vector<std::string> outdated(Versions& versions, std::size_t most);

}  // namespace wm::serve
