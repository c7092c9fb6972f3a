// Role: files of the cluster's configuration as a page edits them: read as the user, judged as
// badmin ckconfig does, written by nobody here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libwm/conf/files.h"

namespace wm::user {

/// Those of a page: all that `badmin reconfig` puts in force but wm.conf, which daemons read at
/// start. @errors NotFound
Result<void> check_editable(const std::string& file);

/// What is in the directory, with `text` instead of what `file` has there; none: as it is.
/// @errors as conf::load   @cost reads the files; blocks
Result<conf::Texts> config_texts(const std::string& dir, const std::string& file,
                                 const std::optional<std::string>& text);

/// A configuration, or what is wrong with it, a line each.
struct Judged {
  std::optional<Config> config;
  std::vector<std::string> wrong;
};
/// As badmin ckconfig. @cost as conf::parse
Judged judged(const conf::Texts& texts, const std::string& own_host);

/// The names of the file's parts. @cost O(texts)
std::vector<std::string> parts_of(const conf::Texts& texts, const std::string& file);

}  // namespace wm::user
