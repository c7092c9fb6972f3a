// Role: the record of administrative acts: audit.log in the master's state folder, a line of JSON
// an act. Each has a hash over itself and the hash before it: who changes, removes or inserts a
// an act. Each has a hash over itself and the hash before it: a line that is changed, removed or
// inserted breaks the chain from there on, which `badmin audit` tells. A line is on disk before the
// act's answer is sent. When the master starts, a line that a crash cut off is dropped and
// reported.
// Limit: who can write the file could make the whole chain anew. To find that out, keep the newest
// hash elsewhere (badmin audit prints it).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/verbs/audit.h"

namespace wm::master {

/// The line of an entry, its chain among it, with a line end. @cost O(text)
std::string audit_line(const AuditEntry& entry);
/// The chain of an entry that comes after one with chain `before`. @cost O(text)
std::string audit_chain(std::string_view before, const AuditEntry& entry);
/// What a file says of what was asked for. Pure. @cost O(text)
AuditReply read_audit(std::string_view text, const AuditRequest& request);

/// The file. @thread append: the loop's; reply: any
class Audit {
 public:
  /// @errors System: the file cannot be opened   @cost reads it once
  static Result<Audit> open(const std::string& folder);
  /// One more act; its number and chain are filled in. @errors System: not on disk
  /// @cost one write, one fdatasync
  Result<void> append(AuditEntry entry);
  /// @errors System: it cannot be read   @cost O(file)
  Result<AuditReply> reply(const AuditRequest& request) const;

 private:
  std::string path_, chain_;
  std::uint64_t number_ = 0;
};

}  // namespace wm::master
