// Role: one attempt as this host knows it: what the master wants, what its shepherd has been told
// of that, what runs. A value.
//
//   (order) → authorising → up ──AttemptEnded──► over → (facts acknowledged) → gone
//                 │          └─connection lost─► sweeping ──AttemptEnded──► over
//                 └ refused, or ended meanwhile ─────────────────────────► over
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemons/wnoded/attempts/agent_flow.h"
#include "daemons/wnoded/attempts/cpu_binding.h"
#include "daemons/wnoded/attempts/signed_order.h"
#include "daemons/wnoded/attempts/told.h"
#include "libwm/launch/launcher.h"
#include "libwm/launch/meeting_watch.h"
#include "libwm/model/node/node.h"

namespace wm::node {

/// A slot of an attempt that its shepherd was told of, or told of itself.
struct LocalTask {
  std::int32_t pid = 0;     ///< 0: no process yet
  std::uint64_t start = 0;  ///< as launch::RunningProcess
  bool ended = false;
  TimePoint since{};  ///< a process of it first ran; the beginning itself: before this wnoded
  TimePoint until{};  ///< it ended, if it has
};

/// The agent of an attempt on this host.
struct AgentSide {
  std::optional<AgentOrder> order;  ///< newest of the master's, whole
  std::string address;              ///< empty: it is not up
  AgentDoors doors;                 ///< of the same agent
  AgentFlow flow;                   ///< what it may tell
};

/// See the file comment.
struct LocalAttempt {
  enum class Stage : std::uint8_t { Authorising, Up, Sweeping, Over };

  launch::AttemptKey key;
  HostOrder order;  ///< what the master wants
  Told told;        ///< what its shepherd has been told of that
  Stage stage = Stage::Authorising;
  std::map<TaskNumber, LocalTask> tasks;
  std::optional<launch::Account> account;
  std::optional<OwnCommands> own;  ///< of this host, since the attempt was authorised
  CpuBinding cpus;                 ///< of its slots, with affinity[]
  AgentSide agent;
  launch::MeetingWatch meeting;      ///< who has come to its port
  TimePoint begun{};                 ///< its shepherd was asked for, no process runs yet
  std::vector<FactEnded> held_back;  ///< ends of tasks that see the GPUs of some that run
  bool forgotten = false;            ///< no facts about it are wanted
  bool waits = false;                ///< tasks are to be started once an MPS daemon is ready
  bool stuck = false;                ///< processes of it survive SIGKILL
  bool met = false;                  ///< somebody was connected at MASTER_PORT
  bool reported = false;  ///< a trial's last report is told, and no task has started since
  bool delivers = false;  ///< FactDelivered is owed, or may be
};

/// A task of it has not ended. @cost O(tasks)
bool runs(const LocalAttempt& attempt);
/// The end of this task waits for those that see its GPUs. @cost O(held back)
bool is_held_back(const LocalAttempt& attempt, TaskNumber task);
/// It has come to be here, and its end is not known. @cost O(log tasks)
bool is_running(const LocalAttempt& attempt, TaskNumber task);
/// It has come to be here, and its end is known. @cost O(log tasks)
bool has_ended(const LocalAttempt& attempt, TaskNumber task);

/// What the order says of a task; null: nothing. @cost O(tasks)
const OrderedTask* ordered(const HostOrder& order, TaskNumber number);
/// Nothing ends the task.
inline bool stays(const OrderedTask& task) { return !task.kill && !task.leave; }
/// A process is to run for it.
inline bool starts(const OrderedTask& task) { return task.has_process && stays(task); }
/// No task of its own runs here, but other hosts' commands will: an attempt with an agent only.
/// False once its slots are known to its shepherd. @cost O(tasks)
bool opens_part(const LocalAttempt& attempt);

/// What a shepherd keeps of an order for a wnoded that adopts it. @cost O(order)
std::string memo_of(const HostOrder& order);

}  // namespace wm::node
