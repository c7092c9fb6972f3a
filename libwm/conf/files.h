// Role: the files of a configuration directory: each of them with what it includes and what lies
// in its folder of parts.
//
//   queues.conf            may begin, before its first section, with lines  include = FILE
//   queues.conf.d/*.conf   by name; so that packages and tools need not edit queues.conf
//
// FILE is relative to the directory and may have * ? [ ] in its name. What is included is as if it
// stood in the file, but for this: a section stands in one of them only.
#pragma once

#include <string>
#include <vector>

#include "libwm/conf/load.h"

namespace wm::conf {

/// A part's key among Texts: "queues.conf>queues.conf.d/10.conf". @cost O(1)
std::string part_key(const std::string& file, const std::string& part);

/// The text of one of the files, and of its parts, into `texts`.
/// @errors NotFound: a FILE without a pattern that is not there; System: one that cannot be read
/// @cost reads them; blocks
Result<void> read_file(const std::string& dir, const std::string& file, Texts& texts);

/// The parts of a file that has a text in `texts`, as read from `dir` or as somebody would have it.
/// @errors as read_file()
/// @cost reads them; blocks
Result<void> read_parts(const std::string& dir, const std::string& file, Texts& texts);

/// The files that conf::load(dir) reads as things are, and the folders that it looks into.
/// @cost reads them; blocks
std::vector<std::string> files_read(const std::string& dir);

/// @errors NotFound: no such directory; System: it cannot be read   @cost one system call
Result<void> check_directory(const std::string& dir);

}  // namespace wm::conf
