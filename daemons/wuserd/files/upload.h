// Role: the body of POST /execs, taken to disk while it comes: its files, and its small fields.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/http/server.h"
#include "libwm/rest/archive_rules.h"

namespace wm::user {

/// What came.
struct Upload {
  struct File {
    std::string path;  ///< where it lies
    std::string name;  ///< the last part of what the client called it
  };
  std::vector<File> files;
  std::map<std::string, std::string, std::less<>> fields;
};

/// Reads a multipart body into files below `folder`, which is made. A body of another type, or
/// none, is an upload without anything.
/// @errors BadArgument: not such a body; Limit: a field of more than 1 MiB; System; as read()
Result<Upload> receive(http::Exchange& exchange, const std::string& folder);

/// Puts the files where the code lies: archives unpacked, others, and the one named `whole`, as
/// they are. @errors as unpack
Result<void> lay_out(const Upload& upload, const std::string& code_dir, std::string_view whole = {},
                     const rest::ArchiveLimits& limits = {});

/// The folder below `code_dir` that holds `main`: the one named `model_dir`, the only one there is,
/// or `code_dir` itself. `main` empty: the first of these. @errors BadArgument: none holds it
Result<std::string> find_code(const std::string& code_dir, const std::string& model_dir,
                              const std::string& main);

}  // namespace wm::user
