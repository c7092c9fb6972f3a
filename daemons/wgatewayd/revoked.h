// Role: tokens that were logged off, by their ids, until they would have ended anyway. Kept in a
// file, so that a gateway that is started again goes on refusing them.
//
//   FOLDER/revoked    "ID EXPIRES" a line, appended; written anew at a start without those that are
//   over
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "libwm/base/result.h"

namespace wm::gateway {

/// See the head of this file. @thread any
class Revoked {
 public:
  /// Reads what is there. @units now: seconds since the epoch
  Revoked(std::string path, std::int64_t now);

  /// @errors System: it is refused from now on, but may not be after a restart
  Result<void> add(const std::string& id, std::int64_t expires);
  bool has(const std::string& id);

 private:
  std::string path_;
  std::mutex mutex_;
  std::map<std::string, std::int64_t> ids_;
};

}  // namespace wm::gateway
