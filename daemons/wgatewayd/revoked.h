// Role: tokens that are good no more: what the master tells (libwm/model/revocations.h), and those
// that were logged off here, at once. Kept in a file, so that a gateway that is started again
// goes on refusing them while the master is away.
//
//   FOLDER/revoked    "ID EXPIRES" a token, "@USER BEFORE UNTIL" all of a user's, of several lines
//                     of one user the last; what is new is appended. Written anew, without what is
//                     over, at a start and when most of it is
//
// Invariant: to keep n revocations that come one by one costs O(n) bytes of writing in all.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "libwm/base/result.h"
#include "libwm/login/token.h"
#include "libwm/model/revocations.h"

namespace wm::gateway {

/// See the head of this file. @thread any
class Revoked {
 public:
  /// Reads what is there. @units now: seconds since the epoch
  Revoked(std::string path, std::int64_t now);

  /// @errors System: it is refused from now on, but may not be after a restart
  Result<void> add(const std::string& id, std::int64_t expires);
  bool has(const rest::Claims& claims);
  /// What the master says is revoked: all of it, but for what was logged off here.
  /// @errors as add
  Result<void> heard(const Revocations& all);
  /// Bytes written to the file by this object.
  std::uint64_t written();

 private:
  Result<void> save();
  Result<void> append(const std::string& lines, std::size_t count);
  std::size_t live() const { return ids_.size() + told_.ids.size() + told_.users.size(); }

  std::string path_;
  std::mutex mutex_;
  std::map<std::string, std::int64_t> ids_;  // logged off here
  Revocations told_;                         // by the master
  std::size_t lines_ = 0;                    // in the file
  std::uint64_t written_ = 0;
};

}  // namespace wm::gateway
