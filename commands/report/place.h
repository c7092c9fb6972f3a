// Role: what of this machine reports need: its time zones, a lock, files written whole.
#pragma once

#include <memory>
#include <string>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/report/zone.h"

namespace wm::cmd {

/// The zone of this name, from the system's database, until two years after `now`; empty: the
/// machine's own. @errors BadArgument: there is no such zone   @thread main (sets TZ)
Result<report::Zone> zone_named(const std::string& name, std::int64_t now);

/// A lock file that is held as long as this lives; the kernel frees it if we die.
class Lock {
 public:
  /// Waits at most `patience`. @errors Conflict: another holds it, the text says who; System
  static Result<std::unique_ptr<Lock>> take(const std::string& path, Duration patience);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  explicit Lock(int fd) : fd_(fd) {}
  int fd_;
};

/// Writes a file whole or not at all, making its folders. @errors System: the old one stays
Result<void> write_file(const std::string& path, const std::string& text, unsigned mode);

}  // namespace wm::cmd
