// Role: what wnoded decides: orders of the master become launcher calls, words of shepherds
// become facts, agents are relayed. No system call, no clock: all through Env. The parts
// decide; this routes what comes in to them.
//
//   order ─► orders.h ─► steering.h ─► launcher       what is wanted and does not hold
//   word ─► shepherd_words.h ─► reporter.h ─► master_session.h ─► fact     what holds
//   agent ─► agent_talk.h      bpeek ─► peeks.h      every 200 ms: gpu_care.h, meetings.h,
//   use_frames.h
//
// attempts/local_attempt.h has what is known of an attempt, with the diagram of its stages.
#pragma once

#include <string>
#include <vector>

#include "daemons/wnoded/agent_talk.h"
#include "daemons/wnoded/attempts/attempts.h"
#include "daemons/wnoded/gpu_care.h"
#include "daemons/wnoded/gpu_energy.h"
#include "daemons/wnoded/master_session.h"
#include "daemons/wnoded/meetings.h"
#include "daemons/wnoded/metrics.h"
#include "daemons/wnoded/orders.h"
#include "daemons/wnoded/own_host.h"
#include "daemons/wnoded/peeks.h"
#include "daemons/wnoded/probe.h"
#include "daemons/wnoded/reporter.h"
#include "daemons/wnoded/shepherd_words.h"
#include "daemons/wnoded/steering.h"
#include "daemons/wnoded/use_frames.h"

namespace wm::node {

/// @thread the loop's
class Core {
 public:
  /// `card`: name, address, boot, capacity and what was obeyed, for registering (attempts are
  /// filled in here).
  Core(Env& env, HostRegister card, launch::HostFacts host);

  /// What a start found: living shepherds, and ends that nobody may have heard of.
  void adopt(const std::vector<launch::ShepherdUp>& shepherds,
             const std::vector<launch::ExitRecord>& records);

  /// Other hosts reach this one by another address from now on. The session is to be made anew: the
  /// master learns of it by registering.
  void on_address(const std::string& address, const std::string& interface);

  /// A session with the master is open: registers and says every fact again.
  void on_session();
  /// It is over. `down`: its host refuses the connection, so it is not running.
  void on_session_lost(bool down) { session_.on_lost(down); }
  /// A frame of the master's. @errors Damaged, BadArgument: the session should be closed
  Result<void> on_frame(std::uint16_t type, const std::string& payload);

  /// A shepherd's word, or the end of its connection without AttemptEnded.
  void on_word(const launch::AttemptKey& key, const launch::ShepherdWord& word);
  void on_shepherd_lost(const launch::AttemptKey& key);

  /// May a process of this user speak for this attempt? Then it is told what holds.
  bool admits_agent(const launch::AttemptKey& key, std::uint32_t uid) const {
    return agents_.admits(key, uid);
  }
  void on_agent(const launch::AttemptKey& key, const AgentReport& report) {
    agents_.on_report(key, report);
  }

  /// The machine has so much memory by now: said with the next heartbeats, and registered.
  void on_memory(Bytes mem) { session_.on_memory(mem); }
  /// Called every 200 ms: heartbeats, and the record file when it has grown.
  void on_tick(double load, Bytes free_mem, const HostLoad& more = {});

  /// Attempts known, for the log and tests.
  std::size_t attempts() const { return attempts_.size(); }
  /// For monitoring. @cost O(tasks)
  NodeNumbers numbers() const;

 private:
  void adopt_shepherd(const launch::ShepherdUp& up);
  void adopt_record(const launch::ExitRecord& record);
  std::vector<AttemptStatus> statuses() const;
  Result<void> on_welcome(const HostWelcome& words);
  Result<void> on_master_beat(const std::string& payload);
  void on_drained(const launch::AttemptKey& key, const FactEnded& fact);
  void look_after_gpus();
  std::map<std::string, std::string> on_gpus_read(const std::vector<gpu::GpuReading>& readings);

  void keep_gpu_energy();

  OwnHost host_;
  std::string boot_;
  MasterSession session_;
  Probe probe_;
  GpuEnergy energy_;
  Reporter reporter_;
  Attempts attempts_;
  UseFrames uses_;
  GpuCare gpus_;
  Meetings meetings_;
  Steering steering_;
  Orders orders_;
  ShepherdWords words_;
  AgentTalk agents_;
  Peeks peeks_;
};

}  // namespace wm::node
