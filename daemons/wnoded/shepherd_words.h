// Role: what shepherds say of their attempts becomes what is known here, and facts for the master.
// Invariant: a task's end is told only after its shepherd said that it is recorded.
#pragma once

#include "daemons/wnoded/attempts/attempts.h"
#include "daemons/wnoded/gpu_care.h"
#include "daemons/wnoded/own_host.h"
#include "daemons/wnoded/reporter.h"
#include "daemons/wnoded/steering.h"
#include "libwm/view/metrics_page.h"

namespace wm::node {

/// @thread the loop's
class ShepherdWords {
 public:
  ShepherdWords(const OwnHost& host, Attempts& attempts, Reporter& reporter, GpuCare& gpus,
                Steering& steering)
      : host_(host), attempts_(attempts), reporter_(reporter), gpus_(gpus), steering_(steering) {}

  /// What a shepherd says; the attempt may be gone afterwards.
  void on(LocalAttempt& attempt, const launch::ShepherdUp& word);
  void on(LocalAttempt& attempt, const launch::TaskStarted& word);
  void on(LocalAttempt& attempt, const launch::TaskEnded& word);
  void on(LocalAttempt& attempt, const launch::AttemptEnded& word);
  void on(LocalAttempt& attempt, const launch::AttemptStuck& word);
  void on(LocalAttempt& attempt, const launch::Noticed& word);
  void on(LocalAttempt& attempt, const launch::ScriptFailed& word);
  void on(LocalAttempt& attempt, const launch::Delivered& word);
  /// Answers of readers (peeks.h) and figures of use (use_frames.h) are others'.
  void on(LocalAttempt&, const launch::FileRead&) {}
  void on(LocalAttempt&, const launch::Used&) {}

  /// A task's end, from its record. `delivers`: files of it are still on their way.
  void task_ended(LocalAttempt& attempt, const launch::ExitRecord& record, bool delivers = false);
  /// The connection to a shepherd broke before it came to its end: what it has left is ended.
  void on_lost(LocalAttempt& attempt);
  /// From an order to its first process. @units s
  const view::Histogram& launches() const { return launches_; }

 private:
  FactStarted started(const LocalAttempt& attempt, const launch::RunningTask& task) const;
  void part_ended(LocalAttempt& attempt, const launch::ExitRecord& record);
  void lose_tasks(LocalAttempt& attempt, const launch::ExitRecord& record);

  const OwnHost& host_;
  Attempts& attempts_;
  Reporter& reporter_;
  GpuCare& gpus_;
  Steering& steering_;
  view::Histogram launches_;
};

}  // namespace wm::node
