// Role: a file of the job's to which several processes append whole lines.
// Invariant: a writer never waits for a reader: what cannot be written is dropped.
#pragma once

#include <string_view>

#include "libwm/launch/launch_parts.h"
#include "libwm/proc/channel.h"

namespace wm::wagent {

/// See the head of this file. @thread one   @owns the descriptor
class SharedFile {
 public:
  explicit SharedFile(launch::OutputFile file);
  /// Appends in one write where that can be. What lies beyond the file's limit is no loss.
  /// @cost blocks as the file system does
  void write(std::string_view lines);
  /// Something could not be written. @cost O(1)
  bool has_lost() const { return lost_; }

 private:
  void open();
  std::string_view what_fits(std::string_view lines) const;

  launch::OutputFile file_;
  Fd fd_;
  bool opened_ = false, lost_ = false;
};

}  // namespace wm::wagent
