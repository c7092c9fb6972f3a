// Role: where an order meets what runs: starts the shepherd of an attempt, and tells a running one
// what differs. Called for every order and every end; a repeat changes nothing.
#pragma once

#include <string>

#include "daemons/wnoded/attempts/attempts.h"
#include "daemons/wnoded/gpu_care.h"
#include "daemons/wnoded/meetings.h"
#include "daemons/wnoded/own_host.h"
#include "daemons/wnoded/reporter.h"

namespace wm::node {

/// @thread the loop's
class Steering {
 public:
  Steering(const OwnHost& host, Attempts& attempts, GpuCare& gpus, Meetings& meetings,
           Reporter& reporter)
      : host_(host), attempts_(attempts), gpus_(gpus), meetings_(meetings), reporter_(reporter) {}

  /// Does what the order wants and does not hold yet. @cost O(tasks), and for jobs with affinity[]
  /// O(slots of the host)
  void bring_in_line(LocalAttempt& attempt);
  /// Tells the ends of ordered tasks that never came to be: the master waits for them.
  void never_started(LocalAttempt& attempt, Term term, const std::string& why);
  /// Tells that slots without a process which leave are free, once no process of the old size is
  /// left here.
  void release_bare(LocalAttempt& attempt);

 private:
  void end(LocalAttempt& attempt);
  void warn(LocalAttempt& attempt);
  void run(LocalAttempt& attempt);
  void start(LocalAttempt& attempt);
  launch::AttemptSpec plan(LocalAttempt& attempt, HostOrder missing);
  void start_missing(LocalAttempt& attempt);
  void relaunch(LocalAttempt& attempt);
  std::vector<launch::Replacement> take_replacements(LocalAttempt& attempt);
  void end_unwanted(LocalAttempt& attempt);
  void end_unstarted(LocalAttempt& attempt, TaskNumber task, Term term, const std::string& why);
  bool mps_is_ready(LocalAttempt& attempt);
  void choose_cpus(LocalAttempt& attempt);
  void bind(const LocalAttempt& attempt, launch::TaskSpec& task) const;
  void tell(const LocalAttempt& attempt, const launch::ShepherdOrder& words);

  const OwnHost& host_;
  Attempts& attempts_;
  GpuCare& gpus_;
  Meetings& meetings_;
  Reporter& reporter_;
};

}  // namespace wm::node
