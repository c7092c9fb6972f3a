// Role: the versions of a deployed service: which is the present one, which came before, which were
// gone back from. Pure; their folders are wuserd's.
//
//   deploy:    present ─► the newest of `earlier`;  the new one is present
//   roll back: present ─► the newest of `undone`;   the newest of `earlier` is present
#pragma once

#include <functional>
#include <string>
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
/// One more back. @errors NotFound: there is none before   @cost O(versions)
Result<Versions> gone_back(Versions before, const std::string& service);
/// Takes out of each list what is beyond the newest `most`: to be removed. @cost O(versions)
std::vector<std::string> outdated(Versions& versions, std::size_t most);

}  // namespace wm::serve
