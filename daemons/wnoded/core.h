// Role: what wnoded decides: orders of the master become launcher calls, words of shepherds
// become facts, agents are relayed. No system call, no clock: all through Outside.
//
//   (order) → authorising → up ──AttemptEnded──► over → (facts acknowledged) → gone
//                 │          └─connection lost─► sweeping ──AttemptEnded──► over
//                 └ refused, or ended meanwhile ─────────────────────────► over
//
// Invariants: orders are declarative, a repeat changes nothing; an attempt older than one known
// is refused; a task's end is told only after its shepherd said it is recorded; a lower
// generation than one seen is ignored.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemons/wnoded/agent_flow.h"
#include "daemons/wnoded/facts.h"
#include "daemons/wnoded/gpus.h"
#include "daemons/wnoded/metrics.h"
#include "daemons/wnoded/mps.h"
#include "daemons/wnoded/outside.h"
#include "daemons/wnoded/probe.h"
#include "daemons/wnoded/task_meters.h"
#include "daemons/wnoded/uses.h"
#include "libwm/launch/launch_env.h"
#include "libwm/launch/meeting_watch.h"

namespace wm::node {

/// @thread the loop's
class Core {
 public:
  /// `card`: name, address, boot, capacity and what was obeyed, for registering (attempts are
  /// filled in here).
  Core(Outside& outside, HostRegister card, launch::HostFacts host);

  /// What a start found: living shepherds, and ends that nobody may have heard of.
  void adopt(const std::vector<launch::ShepherdUp>& shepherds,
             const std::vector<launch::ExitRecord>& records);

  /// Other hosts reach this one by another address from now on. The session is to be made anew: the
  /// master learns of it by registering.
  void on_address(const std::string& address, const std::string& interface);

  /// A session with the master is open: registers and says every fact again.
  void on_session();
  /// It is over. `down`: its host refuses the connection, so it is not running.
  void on_session_lost(bool down);
  /// A frame of the master's. @errors Damaged, BadArgument: the session should be closed
  Result<void> on_frame(std::uint16_t type, const std::string& payload);

  /// A shepherd's word, or the end of its connection without AttemptEnded.
  void on_word(const launch::AttemptKey& key, const launch::ShepherdWord& word);
  void on_shepherd_lost(const launch::AttemptKey& key);

  /// May a process of this user speak for this attempt? Then it is told what holds.
  bool admits_agent(const launch::AttemptKey& key, std::uint32_t uid) const;
  void on_agent(const launch::AttemptKey& key, const AgentReport& report);

  /// Called every 200 ms: heartbeats, and the record file when it has grown.
  void on_tick(double load, Bytes free_mem, const HostLoad& more = {});

  /// Attempts known, for the log and tests.
  std::size_t attempts() const { return attempts_.size(); }
  /// For monitoring. @cost O(tasks)
  NodeNumbers numbers() const;

 private:
  enum class Stage : std::uint8_t { Authorising, Up, Sweeping, Over };
  struct TaskEntry {
    std::int32_t pid = 0;
    std::uint64_t start = 0;  ///< as launch::RunningProcess
    bool ended = false;
  };
  struct Entry {
    HostOrder order;
    std::optional<launch::Account> account;
    std::optional<OwnCommands> own;  ///< of this host, since the attempt was authorised
    Stage stage = Stage::Authorising;
    std::map<TaskNumber, TaskEntry> tasks;  ///< told to the shepherd, or told by it
    std::optional<AgentOrder> agent_order;
    std::string agent_address;
    AgentDoors doors;        ///< of the same agent
    bool ending = false;     ///< the TERM sequence is ordered
    bool warned = false;     ///< its tasks got SIGTERM, as it is preempted
    bool forgotten = false;  ///< no facts about it are wanted
    bool waits = false;      ///< tasks are to be started once an MPS daemon is ready
    std::map<TaskNumber, launch::Binding> bindings;  ///< of slots with affinity[]
    std::set<TaskNumber> told;          ///< kill and leave that the shepherd has been told of
    std::optional<bool> suspended;      ///< what the shepherd was told; none: not known
    std::optional<Duration> run_limit;  ///< the one that is being kept; none: not known
    std::uint32_t relaunches = 0;       ///< of the processes that were started last
    std::uint32_t noticed = 0;          ///< newest resize notice that was passed on
    TaskNumber writer;                  ///< the shepherd was told of; 0: not known
    TimePoint begun{};                  ///< its shepherd was asked for, no process runs yet
    bool stuck = false;                 ///< processes of it survive SIGKILL
    std::vector<FactEnded> held_back;   ///< ends of tasks that see the GPUs of some that run
    bool met = false;                   ///< somebody was connected at MASTER_PORT
    AgentFlow flow;                     ///< what its agent may tell
    launch::MeetingWatch meeting;       ///< who has come there
    bool reported = false;              ///< a trial's last report is told, and no task runs since
    bool delivers = false;              ///< FactDelivered is owed, or may be
  };

  // orders (core_orders.cc)
  Result<void> on_welcome(const HostWelcome& words);
  Result<void> on_master_beat(const std::string& payload);
  void obey(const MasterRank& master, bool at_once);
  void on_order(HostOrder order);
  bool is_stale(const launch::AttemptKey& key) const;
  void take_up(const launch::AttemptKey& key, HostOrder order);
  void on_authorised(const launch::AttemptKey& key, const Result<Authorised>& permit);
  void grant(Entry& entry, const Authorised& permit);
  void take_over(const launch::AttemptKey& key, Entry& entry, HostOrder order);
  void authorise_anew(const launch::AttemptKey& key, HostOrder order);
  void start(const launch::AttemptKey& key, Entry& entry);
  bool mps_is_ready(const launch::AttemptKey& key, Entry& entry);
  void choose_cpus(Entry& entry);
  void recall_cpus(Entry& entry);
  void bind(const Entry& entry, launch::TaskSpec& task) const;
  void bind_memory(const Entry& entry, launch::TaskSpec& task) const;
  launch::SmallFile affinity_file(const Entry& entry) const;
  std::set<std::uint32_t> bound_cpus() const;
  void add_mps(const Entry& entry, const OrderedTask& task, launch::TaskSpec& spec) const;
  void bring_in_line(const launch::AttemptKey& key, Entry& entry);
  void start_missing(const launch::AttemptKey& key, Entry& entry);
  void relaunch(const launch::AttemptKey& key, Entry& entry);
  bool serves_port(const HostOrder& order) const;
  Result<void> lease_port(const launch::AttemptKey& key, HostOrder& order);
  void hold_port(const launch::AttemptKey& key, const HostOrder& order);
  std::uint16_t meets_here_at(const Entry& entry) const;
  static bool may_have_met(const Entry& entry);
  void tell_meeting(const launch::AttemptKey& key, Entry& entry, const PortUse& use);
  void look_for_meetings();
  void release_bare(const launch::AttemptKey& key, Entry& entry);
  void pass_on_suspension(const launch::AttemptKey& key, Entry& entry);
  void pass_on_run_limit(const launch::AttemptKey& key, Entry& entry);
  void pass_on_notice(const launch::AttemptKey& key, Entry& entry);
  void pass_on_writer(const launch::AttemptKey& key, Entry& entry);
  void end_unstarted(const launch::AttemptKey& key, Entry& entry, TaskNumber task, Term term,
                     const std::string& why);
  static bool opens_part(const Entry& entry);
  void end_unwanted(const launch::AttemptKey& key, Entry& entry);
  void never_started(const launch::AttemptKey& key, Entry& entry, Term term,
                     const std::string& why);
  void on_forget(const HostForget& words);
  void on_signal(const HostSignal& words);
  void on_agent_order(const AgentOrder& order);
  void hear_agent(const launch::AttemptKey& key, Entry& entry, const AgentReport& report);
  void on_peek(const PeekRequest& request);
  void reply_peek(std::uint64_t id, const Result<launch::FileRead>& read);

  // words (core.cc)
  void on(const launch::AttemptKey& key, Entry& entry, const launch::ShepherdUp& word);
  void on(const launch::AttemptKey& key, Entry& entry, const launch::TaskStarted& word);
  void on(const launch::AttemptKey& key, Entry& entry, const launch::TaskEnded& word);
  void on(const launch::AttemptKey& key, Entry& entry, const launch::AttemptEnded& word);
  void on(const launch::AttemptKey& key, Entry& entry, const launch::AttemptStuck& word);
  void on(const launch::AttemptKey&, Entry&, const launch::FileRead&) {}
  void on(const launch::AttemptKey& key, Entry& entry, const launch::Noticed& word);
  void on(const launch::AttemptKey& key, Entry& entry, const launch::ScriptFailed& word);
  void on(const launch::AttemptKey& key, Entry& entry, const launch::Used& word);
  void on(const launch::AttemptKey& key, Entry& entry, const launch::Delivered& word);
  FactStarted started(const launch::AttemptKey& key, const Entry& entry,
                      const launch::RunningTask& task) const;
  void task_ended(const launch::AttemptKey& key, Entry& entry, const launch::ExitRecord& record,
                  bool delivers = false);
  void part_ended(const launch::AttemptKey& key, Entry& entry, const launch::ExitRecord& record);
  void lose_tasks(const launch::AttemptKey& key, Entry& entry, const launch::ExitRecord& record);
  void say(Entry& entry, Fact fact);
  bool drain_gpus(Entry& entry, const FactEnded& fact);
  void tell_together(Entry& entry);
  static bool runs(const Entry& entry);
  static bool is_held_back(const Entry& entry, TaskNumber task);
  void on_drained(const launch::AttemptKey& key, const FactEnded& fact);
  std::set<std::string> held_gpus() const;
  GpuHolders gpu_holders() const;
  void tell_meters();
  std::set<MpsKey> wanted_mps() const;
  void look_after_gpus();
  void drop_if_done(const launch::AttemptKey& key);
  HostRegister registration() const;

  Outside& outside_;
  HostRegister card_;
  launch::HostFacts host_;
  TimeConf times_;
  std::map<launch::AttemptKey, Entry> attempts_;
  std::map<JobId, Attempt> newest_;  ///< highest attempt known of a job
  Facts facts_;
  Gpus gpus_;
  Mps mps_;
  Probe probe_;
  bool session_ = false, master_down_ = false;
  TimePoint heard_{}, beat_{}, obeyed_kept_{};
  std::uint64_t beats_ = 0;
  TaskMeters meters_;
  Uses uses_;
  TimePoint meters_due_{};
  TimePoint meetings_due_{};
  TimePoint energy_at_{};
  view::Histogram launches_;
  std::uint32_t dropped_ = 0;  ///< attempts gone since the records were last shrunk
};

/// What a shepherd keeps of an order for a wnoded that adopts it.
std::string memo_of(const HostOrder& order);

/// How the end of a task is called, from its record and from what was ordered.
Term term_of(const launch::ExitRecord& record, const HostOrder& order);

}  // namespace wm::node
