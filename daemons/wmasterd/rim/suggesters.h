// Role: a child (suggester.h) for each search that is being thought about, so that one with hard
// arithmetic keeps no other waiting. As many as threads ask at once, which the caller bounds by the
// machine's cores; one stays for the next question. Used by RealEnv, on its workers.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "daemons/wmasterd/rim/suggester.h"

namespace wm::master {

/// @thread any; calls block, each with a child of its own
class Suggesters {
 public:
  explicit Suggesters(std::string program) : program_(std::move(program)) {}

  /// @errors as Suggester::ask   @cost a process's start where none waits
  Result<std::string> ask(const std::string& line, Duration limit);

 private:
  std::unique_ptr<Suggester> take();
  void give_back(std::unique_ptr<Suggester> one);

  const std::string program_;
  std::mutex mutex_;
  std::unique_ptr<Suggester> idle_;  // guarded by mutex_
};

}  // namespace wm::master
