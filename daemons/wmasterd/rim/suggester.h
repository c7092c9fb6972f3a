// Role: the master's child that does the arithmetic of searches (wsuggest): one line asks, one line
// answers. Started at the first question and again after it died; one that thinks too long is
// killed. Used by RealEnv, on a worker.
#pragma once

#include <optional>
#include <string>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/proc/process.h"

namespace wm::master {

/// @thread one at a time; calls block
class Suggester {
 public:
  explicit Suggester(std::string program) : program_(std::move(program)) {}
  Suggester(const Suggester&) = delete;
  Suggester& operator=(const Suggester&) = delete;
  ~Suggester() = default;

  /// The answer to one line, without its line feed; asked once more where the child has died since
  /// the last. @errors System: it cannot be started, or died of it; Timeout: it was killed
  Result<std::string> ask(const std::string& line, Duration limit);

 private:
  Result<void> start();
  Result<std::string> ask_once(const std::string& line, Duration limit);

  std::string program_, rest_;
  std::optional<proc::Process> child_;
  Fd line_;  // its standard input and output: it goes when we go
};

}  // namespace wm::master
