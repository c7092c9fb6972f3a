// Role: what is kept in versions: a folder of a name, and in it a folder of each version. A version
// is never written again: the next one stands beside it.
//
//   <folder>/versions.json                     {"version", "earlier", "undone"}, as service.json
//   <folder>/<name>-YYYYmmdd-HHMMSS[-N]/        a version; `request` in it names what made it
//   <folder>/vN/                                the same where versions are numbers
//
// What was kept before there were versions lies in <folder> itself: it is the one version that
// there is, named after the time of its manifest, and is moved when the next one comes. Invariant:
// after a crash versions.json names folders that are whole. Callers: wuserd's rooms of assets and
// of connections.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/serve/versions.h"

namespace wm::user {

/// How a version is kept, and for whom.
struct Keeping {
  bool next = false;    ///< of what is there; else nothing of the name may be there
  std::string match;    ///< If-Match: what the version before has to be; empty: any
  std::string request;  ///< one that is repeated keeps nothing more; empty: it has no name
  std::string way_out;  ///< of a name that is taken: what is to be asked instead
  std::string user;
  WallTime now{};
};

/// The most versions that are kept of one name.
inline constexpr std::size_t kMostVersions = 1000;

/// Does If-Match hold for that version? Empty and "*": for any. A tag may have more behind a ':'.
/// @cost O(length)
bool tag_matches(const std::string& match, const std::string& version);
/// That tag of a version. @cost O(length)
std::string tag_of(const std::string& version, const std::string& more = "");

/// What versions are called.
enum class VersionNames : std::uint8_t { Times, Numbers };

/// The versions of one name. @thread any: those who write wait for each other
class Editions {
 public:
  /// `what`: the kind and the name, as errors say it.
  Editions(std::string kind, std::string name, std::string folder,
           VersionNames names = VersionNames::Times);

  /// @errors NotFound: there is nothing of the name; Damaged
  Result<serve::Versions> versions() const;
  /// The folder of a version; of an empty one, the present's. @errors NotFound; Damaged
  Result<std::string> folder(const std::string& version = "") const;

  /// Fills a new version's folder. `before`: that of the present one; empty: there is none.
  using Fill = std::function<Result<void>(const std::string& draft, const std::string& before)>;
  /// One more version, the present one from then on: its name.
  /// @errors Conflict: there is something of the name; Stale: the version before is another than
  /// `match`; NotFound: there is nothing of the name; Limit: kMostVersions; System; as `fill`
  Result<std::string> add(const Keeping& keeping, const Fill& fill) const;
  /// Has the same request, by its name, made the present version? @cost a file
  bool repeats(const Keeping& keeping) const;
  /// The version before is the present one again. @errors NotFound; Stale; System
  Result<void> go_back(const std::string& match) const;
  /// Takes one away. @errors NotFound; Conflict: it is the only one; System
  Result<void> remove(const std::string& version) const;
  /// What lies there in another form is these versions: their folders are there. @errors System
  Result<void> begin_with(const serve::Versions& versions) const { return write(versions); }
  /// Takes all away. @errors NotFound; System
  Result<void> remove_all() const;

  const std::string& top() const { return folder_; }

 private:
  std::string what() const { return kind_ + " " + name_; }
  std::string old_name() const;
  std::string next_name(const serve::Versions& before, WallTime now) const;
  Result<void> write(const serve::Versions& versions) const;
  Result<void> adopt() const;
  Result<serve::Versions> next_of(const Keeping& keeping) const;
  Result<void> make(const std::string& version, const std::string& before, const Keeping& keeping,
                    const Fill& fill) const;

  std::string kind_, name_, folder_;
  VersionNames names_;
};

}  // namespace wm::user
