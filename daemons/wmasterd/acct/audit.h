// Role: the record of administrative acts: audit.log in the master's state folder, a line of JSON
// an act. Each has a hash over itself and the hash before it: a line that is changed, removed or
// inserted breaks the chain from there on, which `badmin audit` tells.
//
//   audit.log ──4 MiB──► audit-00000001.log (named for its first act), and a new audit.log that
//                        goes on with the chain: a start reads the newest file only
//
// A line is on disk whole or not at all: what a crash, or a full disk, has left of one is cut off
// before the next is written.
// Limit: who can write the files could make the whole chain anew. To find that out, keep the newest
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

/// The files. @thread append: one at a time; reply: any
class Audit {
 public:
  /// `segment_bytes`: from this size on a file is put aside.
  /// @errors System: the file cannot be opened   @cost reads the newest file once
  static Result<Audit> open(const std::string& folder, std::size_t segment_bytes = 4 << 20);
  /// One more act; its number and chain are filled in. @errors System: not on disk
  /// @cost one write, one fdatasync
  Result<void> append(AuditEntry entry);
  /// @errors System: it cannot be read   @cost O(files)
  Result<AuditReply> reply(const AuditRequest& request) const;

 private:
  Result<void> put_aside();
  Result<void> write(std::string_view line);

  std::string folder_, path_, chain_;
  std::size_t segment_bytes_ = 0, size_ = 0;  // of audit.log: where its last whole line ends
  std::uint64_t first_ = 1;                   // number of its first act
  std::uint64_t number_ = 0;
};

}  // namespace wm::master
