// Role: a folder for a while: made with mode 0700 under a name that nobody guesses, removed with all
// that is in it.
#pragma once

#include <string>

#include "libwm/base/result.h"

namespace wm {

/// @owns the folder
class TempFolder {
 public:
  /// Makes one in `parent`, which has to be there: "<parent>/<prefix>XXXXXX".
  /// @errors System: path and reason
  static Result<TempFolder> make(const std::string& parent, const std::string& prefix);
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&& other) noexcept;
  /// Removes it. @cost O(what is in it)
  ~TempFolder();

  const std::string& path() const { return path_; }
  /// It stays, and is the caller's: its path. From then on path() is empty.
  std::string keep();

 private:
  explicit TempFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace wm
