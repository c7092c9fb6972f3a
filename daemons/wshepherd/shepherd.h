// Role: the shepherd of one attempt on one host: when its parts act (parts.h), when a task and the
// attempt are over. It outlives wnoded and the master; it parses no byte a user wrote. Pure behind
// kernel.h: loop.h polls, and gives it its turns.
//
//   AttemptSpec ─► prolog, pre-execution ─ok─► tasks run ─last one─► output, copies, report
//                        │                        │ EndTasks, a limit,       │ (delivery.h)
//                        │                        │ Finish             TaskEnded, Delivered
//                        └─ bad: tasks refused ─┐ │                          │
//                                               ▼ ▼                          ▼
//                                     signals, kill_grace, SIGKILL    post-execution, epilog
//                                         │                                  │
//                                         │                    nothing left ─► mail,
//                                         └─ still there: stuck, told;     AttemptEnded, exit
//                                            killed again at kill_pace.h
//
// One turn: orders → reap → timers → clean up strays → conclude tasks and attempt → write exit
// records (one fdatasync) → tell. wnoded may be away: a word that is lost is in the records.
//
// Invariants: a TaskEnded or AttemptEnded is told after its record is on disk; of a job that runs
// here alone the last TaskEnded, or where that would keep the slot a Delivered after it, once its
// copies and its report are written; post-execution begins then. The attempt ends only when wait(2)
// says that no child is left (child subreaper) and its cgroup is empty.
#pragma once

#include "daemons/wshepherd/orders.h"
#include "daemons/wshepherd/parts.h"

namespace wm::shepherd {

/// See the head of this file. @thread the only one
class Shepherd {
 public:
  Shepherd(const Env& env, Place place, launch::AttemptSpec spec);

  /// Before the first turn.
  void begin();
  /// Notes what is wanted; every order may be repeated.
  void obey(launch::ShepherdOrder order);
  /// It was told to terminate.
  void terminate();
  /// What came on descriptors().
  void hear();
  /// One turn, after the orders.
  void turn();
  /// When the next turn has to come, if nothing happens.
  TimePoint next() const;
  /// To be polled for reading.
  std::vector<int> descriptors() const;
  /// All is recorded and told: no turn is wanted any more.
  bool over() const { return over_ && parts_.records.empty(); }
  /// First word on every connection.
  launch::ShepherdUp who_i_am() const;

 private:
  void reap();
  void on_exit(const Exit& exit);
  void on_exit_of(Task& task, const Exit& exit);
  void conclude_tasks();
  void conclude_attempt();
  bool is_delivered();
  bool is_alone();

  Parts parts_;
  Attempt& attempt_ = parts_.attempt;
  Orders orders_{parts_};
  bool over_ = false;
};

}  // namespace wm::shepherd
