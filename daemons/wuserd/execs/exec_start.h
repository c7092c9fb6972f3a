// Role: beginning an execution, with what a request brings or with code that lies here.
#pragma once

#include <map>
#include <string>

#include "daemons/wuserd/site/site.h"

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

}  // namespace wm::user
