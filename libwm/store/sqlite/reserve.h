// Role: a file of real disk blocks kept aside, given up when the file system is full so that
// what must still be written (ends, kills) can be.
#pragma once

#include <string>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::store {

/// The file `store_reserve` in the store's directory.
/// @thread one at a time
class Reserve {
 public:
  Reserve(std::string path, Bytes size) : path_(std::move(path)), size_(size) {}

  /// Makes the file of its full size unless it is there. With `spare`, only when its size
  /// would be free besides, so that it is not made and given up in turns. True: it is there.
  /// @errors System: anything but a full disk
  Result<bool> make(bool spare);
  /// Gives the blocks back; true: there were some. @cost one unlink
  bool release();

 private:
  std::string path_;
  Bytes size_;
};

}  // namespace wm::store
