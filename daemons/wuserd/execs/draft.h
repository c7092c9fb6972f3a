// Role: what a request brings, on its way to a job: files laid out as a bundle, the job that it is,
// what only executions have. What fails before the job is there takes its files away again.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "daemons/wuserd/files/upload.h"
#include "daemons/wuserd/site/keeping.h"
#include "daemons/wuserd/site/site.h"
#include "libwm/model/job_request.h"
#include "libwm/rest/exec_request.h"

namespace wm::user {

/// A name for a request's files: the same for equal keys, a new one for an empty key.
std::string request_name(std::string_view key);
/// A name that is held. @thread one
class RequestLock {
 public:
  explicit RequestLock(std::shared_ptr<std::mutex> of);

 private:
  std::shared_ptr<std::mutex> mutex_;  // lives as long as somebody holds it or waits for it
  std::unique_lock<std::mutex> lock_;
};
/// Held while the request of that name, or whatever else is named so, is dealt with: the second of
/// two equal ones waits for what becomes of the first. @cost O(names held)
RequestLock lock_request(const std::string& name);

/// Takes a request's files away unless they are to stay. @owns them
class Draft {
 public:
  Draft(Site& site, std::string request) : site_(site), request_(std::move(request)) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft();
  std::string uploads() const { return site_.records.code_dir(request_) + ".upload"; }
  const std::string& request() const { return request_; }
  void stay() { stays_ = true; }

 private:
  Site& site_;
  std::string request_;
  bool stays_ = false;
};

/// What is to be submitted.
struct Prepared {
  JobRequest job;
  Execution exec;
  std::vector<TaskGroup> groups;  ///< instead of a command and a size; empty: one kind of tasks
};

/// Lays out the upload as the draft's bundle. `out_file`: of the job's report, below the results.
/// Data from elsewhere is on its way then. @errors as unpack, find_framework, check_fit,
/// job_request, stage_data
Result<Prepared> prepare(Site& site, rest::ExecRequest request, const Upload& upload,
                         const Draft& draft, const std::string& out_file);

}  // namespace wm::user
