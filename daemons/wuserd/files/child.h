// Role: runs a program of the user's account and waits for it, for questions that a program
// answers.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"

namespace wm::user {

/// What a program wrote to its standard output and error, and how it ended; -1: it did not start.
struct Ran {
  int status = -1;
  std::string output, errors;
};
/// @cost blocks until it has ended; it is killed after `limit_s` seconds
Ran run_program(const std::vector<std::string>& words, int limit_s = 60);

}  // namespace wm::user
