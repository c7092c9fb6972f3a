// Role: beginning an execution, with what a request brings or with code that lies here.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "daemons/wuserd/site/site.h"
#include "libwm/rest/exec_request.h"

namespace wm::user {

/// Begins an execution with what the request brings, or finds the one that an earlier request with
/// the same Idempotency-Key began. @errors as parse_exec, receive, unpack, submit
Result<JobView> start_exec(Call& call);

/// Code that lies on disk already, with the args of its execution.
struct StoredCode {
  std::string args;
  std::string data;  ///< what else a request says, as the form field of that name; empty: nothing
  std::string path;
  std::string name;                           ///< of the file, as it was uploaded
  std::map<std::string, std::string> labels;  ///< what it was made of
};
/// Begins an execution of it. @errors as start_exec
Result<JobView> start_stored(Site& site, const StoredCode& code);

/// Code that lies in a folder of this user's: it is copied.
struct FolderCode {
  std::string folder;
  rest::ExecRequest request;
};
/// Begins an execution of it, or finds the one that an equal Idempotency-Key began; `code` is asked
/// for only where there is none. @errors as start_exec; those of `code`
Result<JobView> start_folder(Call& call, const std::function<Result<FolderCode>()>& code);

}  // namespace wm::user
