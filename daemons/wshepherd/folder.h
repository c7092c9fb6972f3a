// Role: the attempt's own folder, the job's user's: files given with the order (script, host file),
// logs of agent and warm parent. Made when something is to lie there, removed at the end.
#pragma once

#include "daemons/wshepherd/attempt.h"

namespace wm::shepherd {

/// See the head of this file.
class Folder {
 public:
  explicit Folder(Attempt& attempt) : attempt_(attempt) {}
  void ensure();
  /// Puts the specification's files there, once each, over those of the same name.
  /// @errors System: of the first that is not there whole: nothing that needs it may run
  Result<void> put_files();
  /// A log of ours in it.
  Fd open_log(const std::string& name);
  void remove();
  /// Something may lie there.
  bool is_made() const { return made_; }
  std::string path() const { return attempt_folder(attempt_.place, attempt_.spec.key); }

 private:
  Attempt& attempt_;
  bool made_ = false;
};

}  // namespace wm::shepherd
