// Role: the shepherd of one attempt on one host: starts its tasks, forwards signals, keeps the
// run limit, notices ends, proves that nothing is left, records it. Single-threaded, plain
// C++, parses no byte a user wrote. It outlives wnoded and the master.
//
//   AttemptSpec ─► prolog, pre-execution ─ok─► tasks run ─last one ended─► after: post-execution,
//                        │                        │ EndTasks, a limit,       epilog
//                        └─ bad: tasks refused ─┐ │ Finish                     │
//                                               ▼ ▼                            ▼
//                                     signals, kill_grace, SIGKILL ─► nothing left ─► report,
//                                         └─ still there: stuck, told;     mail, AttemptEnded, exit
//                                            killed again at kill_pace.h
//
// One turn of its loop: wait → orders → reap → timers → clean up strays → conclude tasks and
// attempt → write exit records (one fdatasync) → tell. An order only notes what is wanted; what
// follows of it happens in its place of the turn, so an order that comes twice, or late,
// changes nothing. Whoever listens may be away: a word that is lost is in the records.
//
// Invariants: a TaskEnded or AttemptEnded is told after its record is on disk; the attempt ends
// only when wait(2) says that no child is left (child subreaper) and its cgroup is empty.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemons/wshepherd/kill_pace.h"
#include "daemons/wshepherd/node_link.h"
#include "daemons/wshepherd/place.h"
#include "daemons/wshepherd/task.h"
#include "daemons/wshepherd/warm.h"
#include "libwm/gpu/device_guard.h"
#include "libwm/proc/cgroup.h"
#include "libwm/proc/meter.h"

namespace wm::shepherd {

class Shepherd {
 public:
  Shepherd(Place place, launch::AttemptSpec spec, NodeLink link, proc::Fd signals);

  /// Runs to the end of the attempt.
  void run();

 private:
  // orders (shepherd_orders.cc)
  void obey(launch::ShepherdOrder order);
  void on(launch::AttemptSpec) {}  // only ever the first order
  void on(launch::StartTasks order);
  void on(const launch::EndTasks& order);
  void on(const launch::SignalTasks& order);
  void on(const launch::Finish& order);
  void on(const launch::Sweep&) {}
  void on(const launch::ReadFile&) {}
  void on(launch::StartAgent order);
  void on(launch::KeepWarm order);
  void on(const launch::Suspend& order) { set_suspended(order.on); }
  void on(const launch::LimitRun& order);
  void on(const launch::WriteAsked& order);
  void on(launch::RestartTasks order);
  void on(const launch::Notice& order);
  void take_over(std::string memo, const launch::UseLimits& limits);
  void start(launch::TaskSpec spec);
  void start(Task& task);
  void end(Task& task, std::vector<int> signals, launch::EndCause cause, const std::string& text);
  static void drop_successor(Task& task, const std::string& why);
  std::vector<Task*> chosen(const std::vector<TaskNumber>& tasks, Phase phase = Phase::Running);
  launch::ShepherdUp who_i_am() const;

  // one turn (shepherd.cc)
  void begin();
  void wait();
  void take_signals();
  void reap();
  void on_exit(pid_t pid, int status, const wm::Usage& usage);
  void fire_timers();
  void send_next(Task& task);
  void start_copiers();
  void start_copier(Task& task);
  void copy_if_ready(Task& task);
  void record_and_tell();

  // what all use together; stopping them (shepherd_watch.cc)
  void make_cgroup();
  void guard_devices();
  void watch();
  void end_for(launch::EndCause cause, const proc::Use& use);
  void set_suspended(bool on);
  TimePoint jobs_now() const { return suspended_ ? suspended_at_ : steady_now(); }
  void start_run_limit(TimePoint from);
  std::vector<pid_t> everybody() const;
  bool was_killed_for_memory() const;
  void add_use(launch::ExitRecord& record) const;
  Duration watch_pause() const;
  Bytes mean_mem() const { return Bytes{mem_looks_ > 0 ? mem_sum_.value / mem_looks_ : -1}; }

  // commands beside the tasks (shepherd_side.cc)
  enum class SideKind : std::uint8_t { Before, After, Notice, Warning };
  struct Side {
    launch::SideCommand command;
    SideKind kind = SideKind::Before;
    std::uint32_t number = 0;
    std::optional<TimePoint> kill_at;
    bool late = false;       ///< ran into its time limit
    bool cancelled = false;  ///< ended because nobody waits for it any more
    proc::Fd trouble;
  };
  void start_side(launch::SideCommand command, SideKind kind, std::uint32_t number = 0);
  void end_side(Side side, int status);
  void refuse_tasks(launch::EndCause cause, const std::string& text, int status);
  void start_waiting_tasks();
  bool run_after();
  void cancel_sides(SideKind kind);
  void fire_side_timers();
  void warn();

  // the end (shepherd_end.cc)
  void clean_up();
  std::vector<pid_t> strays() const;
  bool is_stray_to_end(pid_t pid) const;
  bool is_of(pid_t pid, const Task& task) const;
  bool is_spared(pid_t pid) const;
  bool spares_any() const;
  void spare_no_longer(const std::vector<TaskNumber>& tasks);
  void conclude_tasks();
  void succeed(TaskNumber number);
  const launch::ExitRecord* deciding_record() const;
  bool leaves_any(const Task& task, const std::vector<pid_t>& strays) const;
  bool is_telling(Task& task);
  void start_teller(Task& task);
  void on_told(Task& task);
  void conclude_attempt();
  bool is_alone();
  void report();
  void tell_start();
  void remove_folder();
  void say_stuck();

  bool running(TaskNumber task) const;
  bool any_running() const;
  bool ending() const;
  bool agent_is_due() const;
  void start_agent();
  void end_agent();
  void end_part();
  std::vector<pid_t> launched() const;
  void keep_warm();
  void ensure_folder();
  void put_files();

  Place place_;
  launch::AttemptSpec spec_;
  NodeLink link_;
  proc::Fd signals_;
  proc::Cgroup cgroup_;
  gpu::DeviceGuard guard_;
  std::map<TaskNumber, Task> tasks_;
  std::set<pid_t> own_;  ///< copiers, agent, reporter: ours, not the job's
  pid_t agent_ = 0;
  Task agent_output_;  ///< what the agent writes of all ranks: a task without a process
  int agent_starts_ = 0;
  TimePoint agent_next_{};
  std::optional<TimePoint> run_limit_, warn_at_, kill_by_, agent_kill_by_;
  std::optional<Ending> part_ending_;  ///< of what was launched here where no task is
  Warm warm_;
  std::map<pid_t, Side> sides_;
  bool ready_ = false;   ///< the commands before the tasks have run well
  bool prolog_ = false;  ///< one of the site's own commands has been started
  bool suspended_ = false, warned_ = false;
  TimePoint suspended_at_{};
  TimePoint watch_at_{};
  Bytes peak_mem_, mem_sum_;
  std::int64_t mem_looks_ = 0;  ///< so many are in the sum
  bool told_start_ = false;
  bool finishing_ = false, folder_made_ = false, stuck_told_ = false;
  int blocks_told_ = 0;        ///< of failed tasks, in the job's output
  bool output_begun_ = false;  ///< a file to be overwritten has been by now
  enum class Report : std::uint8_t { Wanted, Writing, Done } report_ = Report::Wanted;
  pid_t reporter_ = 0;
  TimePoint report_until_{};  ///< a reporter that hangs is killed then
  bool cleaning_ = false;     ///< strays are dying: look again when kill_pace_ says
  KillPace kill_pace_;
  bool over_ = false;
  std::string end_text_;
  launch::EndCause end_cause_ = launch::EndCause::Exited;
  std::int32_t end_status_ = 0;
  wm::Usage usage_;  ///< of everything reaped
  WallTime started_{};
  std::deque<launch::ExitRecord> unwritten_;
};

}  // namespace wm::shepherd
