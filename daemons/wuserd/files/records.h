// Role: which executions their owner has deleted: the master knows a job for a while after its end,
// and what was deleted is not to be shown. Everything else about an execution is in its job
// (Execution).
//
//   <results>/<user>/incoming/<bundle>          code of an execution that has not started yet
//   <results>/<user>/incoming/<bundle>.deleted  an empty file
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "libwm/base/result.h"

namespace wm::user {

/// Those of one user. @thread any
class Records {
 public:
  explicit Records(std::string incoming) : incoming_(std::move(incoming)) {}

  /// Folder of a bundle's code before its job starts. @cost O(1)
  std::string code_dir(const std::string& bundle) const { return incoming_ + "/" + bundle; }
  const std::string& incoming() const { return incoming_; }

  /// Was the execution of this bundle deleted? @cost a look at the disk the first time
  bool is_deleted(const std::string& bundle);
  /// From now on it is, and its files go. @errors as remove_files
  Result<void> mark_deleted(const std::string& bundle);
  /// Its code goes, if that still waits, and so does its way to fetched data.
  /// @errors System
  Result<void> remove_files(const std::string& bundle);

 private:
  std::string mark(const std::string& bundle) const { return code_dir(bundle) + ".deleted"; }

  std::string incoming_;
  std::mutex mutex_;
  std::set<std::string> deleted_, alive_;
};

}  // namespace wm::user
