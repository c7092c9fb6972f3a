// Role: the kernel of a shepherd that only remembers: a table of processes, signals sent, what was
// started, written and said. Time stands still unless moved; pipes hold nothing unless the test
// says so; a SIGKILL ends its process unless that is among the immortal.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemons/wshepherd/attempt.h"

namespace wm::shepherd {

/// What was given to spawn(), copied.
struct Spawned {
  pid_t pid = 0;
  std::vector<std::string> argv, env, cgroups;
  std::string cwd;
  std::uint32_t uid = 0, umask = 0;
  bool hold_term = false;
  int out = -1, err = -1;  ///< read ends of the pipes it writes to; -1: no pipe of ours
};
/// A process of the table.
struct FakeProcess {
  pid_t parent = 0, session = 0;
  std::string mark;        ///< its WM_TASK
  std::set<int> handlers;  ///< signals it has a handler for
  std::vector<std::string> argv = {}, env = {};
  std::string name = {};
};
/// A signal to a pid, or to a group where that is negative.
using Sent = std::pair<pid_t, int>;

/// Finds what a test says, and remembers where it was asked to look.
class FakeFolderMeter final : public FolderMeter {
 public:
  proc::FolderUse look(const std::string& path, Bytes enough) override {
    looked_at.emplace_back(path, enough);
    if (on_look) on_look();
    return now;
  }
  std::vector<std::pair<std::string, Bytes>> looked_at;
  proc::FolderUse now;
  std::function<void()> on_look;
};

/// See the file comment.
class FakeEnv : public Clock,
                public ProcessTable,
                public Signals,
                public Children,
                public ControlGroup,
                public Files,
                public Words,
                public WarmParent {
 public:
  static constexpr pid_t kSelf = 100;
  Env parts() { return {*this, *this, *this, *this, *this, *this, *this, *this, meter}; }

  // ---- what a test does
  /// A process below `parent`, of that session and with that task's mark.
  pid_t add(pid_t parent, pid_t session = 0, const std::string& mark = "");
  /// It ends; its children become ours.
  void exit(pid_t pid, int status = 0, const wm::Usage& usage = {});
  void pass(Duration time) { time_ += time; }
  /// The read end at `fd` has something, or is at its end.
  void set(int fd, Waiting waiting, const std::string& text = "");
  /// Bytes that wait in the pipe that is made next.
  void next_pipe_has(const std::string& text) { next_pipe_ = text; }
  template <class Word>
  std::vector<Word> words() const {
    std::vector<Word> found;
    for (const auto& word : said)
      if (const auto* one = std::get_if<Word>(&word)) found.push_back(*one);
    return found;
  }
  /// Signals since the last call.
  std::vector<Sent> take_sent() { return std::exchange(sent, {}); }
  bool lives(pid_t pid) const { return table.contains(pid); }

  // ---- what it remembers, and what it answers
  std::map<pid_t, FakeProcess> table;
  std::set<pid_t> immortal;
  std::vector<Sent> sent;
  std::vector<Spawned> spawned;
  std::vector<pid_t> parts_forked;
  bool no_process = false, no_pipe = false, disk_full = false, folder_full = false;
  bool run_parts = false;         ///< what a user part does is done, here
  std::vector<int> part_results;  ///< of those
  proc::Trouble trouble;
  proc::Use use_now;
  Bytes fair_mem;
  proc::CgroupCaps caps;
  std::string cgroup_trouble;
  std::set<std::string> kept;
  std::vector<int> inside;  ///< the group
  bool freezer = true, frozen = false;
  proc::CgroupUse counted;
  std::set<launch::CharDevice> denied;
  std::uint64_t mem_limit = 0;
  std::vector<std::string> folders, removed, logs;
  FakeFolderMeter meter;
  std::map<std::string, launch::SmallFile> files;
  std::string written;
  std::vector<launch::ExitRecord> records;
  std::vector<launch::ShepherdWord> said;
  std::vector<std::string> complaints;
  bool warm_fails = false, fork_fails = false;
  int warm_fd = -1;
  Heard heard = Heard::Nothing;
  std::vector<launch::TaskSpec> warm_forks;

  // ---- Env
  TimePoint now() override { return time_; }
  WallTime wall() override { return WallTime(time_.time_since_epoch()); }
  std::vector<pid_t> descendants_of(pid_t root, const std::set<pid_t>& except) override;
  std::vector<pid_t> children_of(pid_t pid) override;
  std::optional<proc::ProcessStat> stat(pid_t pid) override;
  std::string variable_of(pid_t pid, std::string_view) override { return table[pid].mark; }
  std::vector<std::string> arguments_of(pid_t pid) override { return table[pid].argv; }
  std::vector<std::string> environment_of(pid_t pid) override { return table[pid].env; }
  std::string name_of(pid_t pid) override { return table[pid].name; }
  bool handles(pid_t pid, int signal) override { return table[pid].handlers.contains(signal); }
  proc::Use use_of(const std::vector<pid_t>&) override { return use_now; }
  Bytes fair_mem_of(const std::vector<pid_t>&) override { return fair_mem; }
  bool kill(pid_t pid, int signal) override;
  void signal_tree(pid_t leader, int signal) override;
  void signal_handlers_of(pid_t leader, int signal) override;
  void continue_tree(pid_t) override {}
  void stop_all(const std::function<std::vector<pid_t>()>& list) override;
  void kill_all(const std::function<std::vector<pid_t>()>& list) override;
  pid_t self() override { return kSelf; }
  launch::Account own_account() override { return {0, 0, {}}; }
  Result<proc::Child> spawn(const proc::Exec& exec) override;
  Result<pid_t> fork_as_user(const UserPart& part, const std::function<int()>& work) override;
  proc::Trouble trouble_of(Fd&) override { return std::exchange(trouble, {}); }
  std::optional<Exit> reap() override;
  bool childless() override;
  std::string make(const proc::CgroupCaps& wanted) override;
  bool keeps(const std::string& limit) override { return kept.contains(limit); }
  std::vector<std::string> joins(bool tasks) override { return {tasks ? "/cg/tasks" : "/cg"}; }
  std::vector<int> members() override { return inside; }
  bool freeze(bool on) override { return frozen = on, freezer; }
  void limit_memory(std::uint64_t bytes) override { mem_limit = bytes; }
  proc::CgroupUse use() override { return counted; }
  Result<void> deny(const std::set<launch::CharDevice>& devices) override;
  Result<Pipe> pipe() override;
  Waiting look(const Fd& pipe) override { return waiting_[pipe.get()].first; }
  std::string read_waiting(const Fd& pipe) override { return waiting_[pipe.get()].second; }
  void write(const Fd&, std::string_view bytes) override { written += bytes; }
  void make_folder(const std::string& path, const launch::Account&) override;
  Result<void> put_file(const std::string& folder, const launch::SmallFile& file,
                        const launch::Account&) override;
  Fd open_log(const std::string& path) override;
  void remove_folder(const std::string& path, const launch::Account&) override;
  Result<void> append_exits(const std::vector<launch::ExitRecord>& ended) override;
  void say(const launch::ShepherdWord& word) override { said.push_back(word); }
  void complain(const std::string& text) override { complaints.push_back(text); }
  std::optional<pid_t> start(const launch::KeepWarm& order, const launch::AttemptSpec& spec,
                             const std::vector<std::string>& cgroups, int log) override;
  int descriptor() override { return warm_fd; }
  Heard hear() override { return std::exchange(heard, Heard::Nothing); }
  std::optional<pid_t> fork_task(const launch::TaskSpec& task, const std::string& cwd, int out,
                                 int err) override;
  void let_go() override { warm_fd = -1; }

 private:
  int read_end_of(int write) const;

  TimePoint time_ = TimePoint{} + std::chrono::hours(1);
  pid_t next_ = kSelf;
  std::deque<Exit> ended_;
  std::map<int, std::pair<Waiting, std::string>> waiting_;  ///< by read end
  std::string next_pipe_;
  std::vector<std::pair<int, int>> pipes_;  ///< read and write end
};

/// A host, and job 7 in its first attempt: 10 s between signals, 60 s of kill_grace.
Place a_place();
launch::AttemptSpec a_spec();
/// Task `number`, which runs "work" and writes to a file of its own.
launch::TaskSpec a_task(std::uint32_t number);

/// An attempt on a fake kernel, for one behaviour.
class BehaviourTest : public ::testing::Test {
 protected:
  /// A task that runs, with its process.
  Task& running(std::uint32_t number);
  /// The same, its process has ended just now.
  Task& exited(std::uint32_t number, int status = 0);
  /// Ends of its pipes that nobody has read yet.
  void give_pipes(Task& task);

  FakeEnv env_;
  Attempt attempt_{env_.parts(), a_place(), a_spec()};
};

}  // namespace wm::shepherd
