// Role: folders of tests' own: nothing of one test is in the way of another's, or of who runs them
// twice.
// Invariant: below $TMPDIR, else /tmp; names are short, since a socket's path holds 107 bytes.
// Callers: tests with files or sockets.
#pragma once

#include <string>

namespace wm::test {

/// A new folder; the caller removes it. @errors aborts when there can be none   @thread any
std::string made_folder();

/// A new folder that is gone with this object. @owns the folder   @thread any
class OwnFolder {
 public:
  OwnFolder() = default;
  ~OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_ = made_folder();
};

}  // namespace wm::test
