// Role: what is kept of each execution beside its job: a small file next to its code. The only
// place that knows where; it goes away once a job's specification holds as much itself.
//
//   <results>/<user>/incoming/<request>/           the code, unpacked: a job's cwd lies below it
//   <results>/<user>/incoming/<request>.exec.json  the record, written before the job is submitted
//
// Invariant: a job leads to its record by its own cwd, so that a crash between the two loses
// nothing.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "libwm/model/verbs.h"
#include "libwm/rest/exec_json.h"

namespace wm::user {

/// The records of one user. @thread any
class Records {
 public:
  explicit Records(std::string incoming) : incoming_(std::move(incoming)) {}

  /// Folder of a request's code. @cost O(1)
  std::string code_dir(const std::string& request) const { return incoming_ + "/" + request; }
  const std::string& incoming() const { return incoming_; }

  /// The record of a request, if there is one that reads. @cost a read at first
  std::optional<rest::ExecRecord> of_request(const std::string& request);
  /// The record of a job, nothing where it was not submitted as an execution.
  std::optional<rest::ExecRecord> of_job(const JobView& view);
  /// @errors System
  Result<void> keep(const rest::ExecRecord& record);
  /// Takes record and code away. @errors System
  Result<void> remove(const std::string& request);

 private:
  std::string path(const std::string& request) const { return code_dir(request) + ".exec.json"; }

  std::string incoming_;
  std::mutex mutex_;
  std::map<std::string, rest::ExecRecord> known_;
};

}  // namespace wm::user
