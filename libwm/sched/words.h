// Role: how many of something, as refusals (feasible.cc) and reasons (reasons.cc) say it. Of this
// folder only.
#pragma once

#include <cstdint>
#include <string>

namespace wm::sched {

// "1 slot", "3 slots".
inline std::string count_of(std::int64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace wm::sched
