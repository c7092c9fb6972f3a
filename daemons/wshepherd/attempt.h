// Role: what all behaviours of a shepherd share: the specification, the tasks, which processes are
// the shepherd's own, how far the attempt is. Each behaviour is a file of its own and is given the
// attempt; it keeps to itself what no other needs. shepherd.h says in which order they act.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemons/wshepherd/behaviour.h"
#include "daemons/wshepherd/env.h"
#include "daemons/wshepherd/job_clock.h"
#include "daemons/wshepherd/place.h"
#include "daemons/wshepherd/task.h"

namespace wm::shepherd {

/// See the head of this file. @thread the shepherd's
struct Attempt {
  Env env;
  Place place;
  launch::AttemptSpec spec;  ///< its `tasks`, `before` and `after` are those still to be started
  std::map<TaskNumber, Task> tasks = {};
  std::set<pid_t> own = {};  ///< copiers, agent, reporter: ours, not the job's
  pid_t agent = 0;           ///< one of them; 0: none runs
  JobClock clock = {};
  bool ready = false;           ///< the commands before the tasks have run well
  bool finishing = false;       ///< nothing new is started
  bool told_to_end = false;     ///< all of it: no task will come
  bool output_begun = false;    ///< a file to be overwritten has been by now
  launch::ExitRecord end = {};  ///< of the attempt, as far as it is known
  wm::Usage usage = {};         ///< of everything reaped
  std::string note = {};        ///< a line for the report; empty: none
  WallTime started = {};

  TimePoint now() const { return env.clock.now(); }
  TimePoint jobs_now() const { return clock.at(now()); }
  bool running(TaskNumber number) const;
  bool any_running() const;
  bool all_ended() const;
  /// Nothing more is to come of it.
  bool ending() const;
  /// Tasks of that phase that wnoded knows by these numbers; empty: all.
  std::vector<Task*> chosen(const std::vector<TaskNumber>& numbers, Phase phase = Phase::Running);
  /// Everything below us that is neither ours nor below a task that runs.
  std::vector<pid_t> strays() const;
  /// Every process of the job, stopped or not; none of our own.
  std::vector<pid_t> everybody() const;
  /// Every process of the commands that the agent has started for other hosts.
  std::vector<pid_t> launched() const;
  /// The process is of the task's session or has its mark; the last task's, if no other runs.
  bool is_of(pid_t pid, const Task& task) const;
  /// The record that says how the job ended here: of the first task that failed, or the first; none
  /// if there was none. Where the writer may move, it decides, and none does if it was on another
  /// host.
  const launch::ExitRecord* deciding_record() const;
  /// First word on every connection.
  launch::ShepherdUp who_i_am() const;
};

}  // namespace wm::shepherd
