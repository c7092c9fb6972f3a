// Role: answers bpeek: reads the end of a task's output file as the user of the job.
#pragma once

#include "daemons/wnoded/attempts/local_attempt.h"
#include "daemons/wnoded/own_host.h"

namespace wm::node {

/// @thread the loop's
class Peeks {
 public:
  explicit Peeks(const OwnHost& host) : host_(host) {}

  /// Answers the master, later if there is a file to be read. `attempt`: the one that is asked for;
  /// null: it is not here. @cost one file read by the launcher
  void answer(const PeekRequest& request, const LocalAttempt* attempt);

 private:
  void reply(std::uint64_t id, const Result<launch::FileRead>& read);

  const OwnHost& host_;
};

}  // namespace wm::node
