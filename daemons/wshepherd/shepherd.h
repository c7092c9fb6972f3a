// Role: the shepherd of one attempt on one host: in which order its behaviours act, what each order
// of wnoded asks of them, when a task and the attempt are over. It outlives wnoded and the master;
// it parses no byte a user wrote. Pure behind kernel.h: loop.h polls, and gives it its turns.
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
// records (one fdatasync) → tell. An order only notes what is wanted; what follows of it happens
// in its place of the turn, so an order that comes twice, or late, changes nothing. wnoded may be
// away: a word that is lost is in the records.
//
// Invariants: a TaskEnded or AttemptEnded is told after its record is on disk; of a job that runs
// here alone the last TaskEnded, or where that would keep the slot a Delivered after it, once its
// copies and its report are written; post-execution begins then. The attempt ends only when wait(2)
// says that no child is left (child subreaper) and its cgroup is empty.
#pragma once

#include "daemons/wshepherd/acts.h"
#include "daemons/wshepherd/around.h"
#include "daemons/wshepherd/copiers.h"
#include "daemons/wshepherd/delivery.h"
#include "daemons/wshepherd/launched_part.h"
#include "daemons/wshepherd/rank_watch.h"
#include "daemons/wshepherd/records.h"
#include "daemons/wshepherd/successors.h"
#include "daemons/wshepherd/tellers.h"
#include "daemons/wshepherd/trial_words.h"

namespace wm::shepherd {

/// See the head of this file. @thread the only one
class Shepherd {
 public:
  Shepherd(const Kernel& kernel, Place place, launch::AttemptSpec spec);

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
  bool over() const { return over_ && records_.empty(); }
  /// First word on every connection.
  launch::ShepherdUp who_i_am() const;

 private:
  // orders (shepherd_orders.cc)
  void on(launch::AttemptSpec) {}  // only ever the first order
  void on(launch::StartTasks order);
  void on(const launch::EndTasks& order);
  void on(const launch::SignalTasks& order);
  void on(const launch::Finish& order);
  void on(const launch::Sweep&) {}
  void on(const launch::ReadFile&) {}
  void on(launch::StartAgent order) { agent_.want(std::move(order)); }
  void on(launch::KeepWarm order) { warm_.want(std::move(order)); }
  void on(const launch::Suspend& order);
  void on(const launch::LimitRun& order);
  void on(const launch::WriteAsked& order) { copiers_.hand_over(order.task); }
  void on(launch::RestartTasks order);
  void on(const launch::Notice& order);
  void take_over(std::string memo, const launch::UseLimits& limits);
  void end_all(const EndWay& way, launch::EndCause cause, const std::string& text);

  void reap();
  void on_exit(const Exit& exit);
  void on_exit_of(Task& task, const Exit& exit);
  void fire_timers();
  void warn();
  void conclude_tasks();
  void conclude_attempt();
  bool is_delivered();
  bool is_alone();

  Attempt attempt_;
  Folder folder_{attempt_};
  Records records_{attempt_};
  Strays strays_{attempt_};
  Enders enders_{attempt_, strays_};
  SideCommands sides_{attempt_};
  UseWatch use_{attempt_, enders_, strays_, sides_};
  Reporter reporter_{attempt_, use_};
  Copiers copiers_{attempt_, folder_};
  Tellers tellers_{attempt_};
  TrialWords trial_words_{attempt_};
  Warm warm_{attempt_, folder_};
  Starter starter_{attempt_, warm_};
  Successors successors_{attempt_, enders_, starter_};
  Acts acts_{attempt_, sides_};
  RunLimit run_limit_;
  Around around_{attempt_, sides_, starter_, run_limit_, reporter_};
  Agent agent_{attempt_, folder_};
  Delivery delivery_{attempt_, sides_, reporter_, agent_};
  RankWatch ranks_{attempt_};
  LaunchedPart launched_{attempt_, agent_};
  bool over_ = false;
};

}  // namespace wm::shepherd
