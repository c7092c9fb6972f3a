// Role: everything the logic of an attempt asks of the outside, as interfaces of few methods: time,
// processes and signals, children, control groups, files, words to wnoded. It calls nothing else:
// what runs as root is tested without root, processes or waiting (test/unit/wshepherd).
//
//   attempt.h, one behaviour a file ──► Env ──► real_env.h (loop.h polls around it)
//                                          └─────► fake_env.h of the tests
//
// A behaviour takes the Attempt and uses those parts of the kernel that it needs.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemons/wshepherd/user/user_part.h"
#include "libwm/base/result.h"
#include "libwm/launch/launcher.h"
#include "libwm/proc/cgroup.h"
#include "libwm/proc/channel.h"
#include "libwm/proc/folder_use.h"
#include "libwm/proc/meter.h"
#include "libwm/proc/spawn.h"
#include "libwm/proc/tree.h"

namespace wm::shepherd {

/// Time: monotonic for all that is waited for, of the wall for records.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() = 0;
  virtual WallTime wall() = 0;
};

/// What runs on this host, as libwm/proc/{tree,meter}.h read it.
class ProcessTable {
 public:
  virtual ~ProcessTable() = default;
  /// Children of `root`, their children …, without what is below (and in) `except`.
  virtual std::vector<pid_t> descendants_of(pid_t root, const std::set<pid_t>& except) = 0;
  virtual std::vector<pid_t> children_of(pid_t pid) = 0;
  /// None: no such process.
  virtual std::optional<proc::ProcessStat> stat(pid_t pid) = 0;
  /// Of its environment at exec; empty: not set.
  virtual std::string variable_of(pid_t pid, std::string_view name) = 0;
  /// Its words, and its environment at exec; empty: not readable.
  virtual std::vector<std::string> arguments_of(pid_t pid) = 0;
  virtual std::vector<std::string> environment_of(pid_t pid) = 0;
  /// As proc::name_of.
  virtual std::string name_of(pid_t pid) = 0;
  /// As proc::handles.
  virtual bool handles(pid_t pid, int signal) = 0;
  virtual proc::Use use_of(const std::vector<pid_t>& pids) = 0;
  virtual Bytes fair_mem_of(const std::vector<pid_t>& pids) = 0;
};

/// Signals, as libwm/proc/tree.h sends them.
class Signals {
 public:
  virtual ~Signals() = default;
  /// As kill(2), a negative pid is a group. False: nobody is there.
  virtual bool kill(pid_t pid, int signal) = 0;
  virtual void signal_tree(pid_t leader, int signal) = 0;
  virtual void signal_handlers_of(pid_t leader, int signal) = 0;
  /// SIGCONT to those of a process and its descendants that are stopped.
  virtual void continue_tree(pid_t leader) = 0;
  virtual void stop_all(const std::function<std::vector<pid_t>()>& list) = 0;
  virtual void kill_all(const std::function<std::vector<pid_t>()>& list) = 0;
};

/// A child that has ended. @units status: as wait(2) gives it
struct Exit {
  pid_t pid = 0;
  int status = 0;
  wm::Usage usage;
};

/// Children of the shepherd: what it starts, and what it inherits as their subreaper.
class Children {
 public:
  virtual ~Children() = default;
  /// The shepherd itself, and whom it runs as: the site's commands do so, too.
  virtual pid_t self() = 0;
  virtual launch::Account own_account() = 0;
  /// @errors as proc::spawn
  virtual Result<proc::Child> spawn(const proc::Exec& exec) = 0;
  /// @errors as shepherd::fork_as_user
  virtual Result<pid_t> fork_as_user(const UserPart& part, const std::function<int()>& work) = 0;
  /// What kept a child from running, once it has ended; closes the pipe.
  virtual proc::Trouble trouble_of(Fd& pipe) = 0;
  /// The next that has ended; none: the others run.
  virtual std::optional<Exit> reap() = 0;
  /// wait(2) knows no child, not even one that has not ended.
  virtual bool childless() = 0;
};

/// The control groups of the attempt; where there are none, nothing happens and nothing is known.
class ControlGroup {
 public:
  virtual ~ControlGroup() = default;
  /// What could not be made or set; empty: all was.
  virtual std::string make(const proc::CgroupCaps& caps) = 0;
  /// Does the kernel keep this limit: "memory", "pids" …?
  virtual bool keeps(const std::string& limit) = 0;
  /// Folders that a task (`frozen` with the job) or the agent joins.
  virtual std::vector<std::string> joins(bool frozen) = 0;
  virtual std::vector<int> members() = 0;
  /// Stops or continues all tasks. False: no freezer.
  virtual bool freeze(bool on) = 0;
  virtual void limit_memory(std::uint64_t bytes) = 0;
  virtual proc::CgroupUse use() = 0;
  /// Exactly these devices cannot be opened. @errors as gpu::DeviceGuard::deny
  virtual Result<void> deny(const std::set<launch::CharDevice>& devices) = 0;
};

/// Both ends of a pipe, close-on-exec.
struct Pipe {
  Fd read, write;
};
/// What a reader would find in a pipe.
enum class Waiting : std::uint8_t { Nothing, Bytes, End };

/// Pipes, the attempt's own folder, the host's exit records.
class Files {
 public:
  virtual ~Files() = default;
  /// @errors System
  virtual Result<Pipe> pipe() = 0;
  virtual Waiting look(const Fd& pipe) = 0;
  /// What waits in a pipe, up to 4096 bytes of it. @cost does not block
  virtual std::string read_waiting(const Fd& pipe) = 0;
  virtual void write(const Fd& pipe, std::string_view bytes) = 0;
  /// The user's folder, with mode 0700.
  virtual void make_folder(const std::string& path, const launch::Account& owner) = 0;
  /// Follows and opens nothing that is there: the folder's owner may have put it in the way. Every
  /// byte is written when it returns well; else there is no such file.
  /// @errors System: names the file
  virtual Result<void> put_file(const std::string& folder, const launch::SmallFile& file,
                                const launch::Account& owner) = 0;
  /// As open_log of log_file.h.
  virtual Fd open_log(const std::string& path) = 0;
  /// With all in it, as its owner: a link in it leads nowhere that the owner could not go.
  /// @cost blocks, 10 s at most
  virtual void remove_folder(const std::string& path, const launch::Account& owner) = 0;
  /// Durable when it returns. @errors as proc::append_exits
  virtual Result<void> append_exits(const std::vector<launch::ExitRecord>& records) = 0;
};

/// What is said: to wnoded, if it listens, and in the log.
class Words {
 public:
  virtual ~Words() = default;
  virtual void say(const launch::ShepherdWord& word) = 0;
  virtual void complain(const std::string& text) = 0;
};

/// The process of a warm parent (warm.h): started once, ended for good.
class WarmParent {
 public:
  enum class Heard : std::uint8_t { Nothing, Ready, Gone };
  virtual ~WarmParent() = default;
  /// Its pid; none: it could not be started. `log` takes its output.
  virtual std::optional<pid_t> start(const launch::KeepWarm& order, const launch::AttemptSpec& spec,
                                     const std::vector<std::string>& cgroups, int log) = 0;
  /// Readable when it says something; -1: there is none.
  virtual int descriptor() = 0;
  virtual Heard hear() = 0;
  /// The process of `task`, a child of the shepherd; none: it failed. @cost blocks, 1 s at most
  virtual std::optional<pid_t> fork_task(const launch::TaskSpec& task, const std::string& cwd,
                                         int out, int err) = 0;
  /// Whatever it would still fork ends by itself.
  virtual void let_go() = 0;
};

/// What lies in the attempt's own folder.
class FolderMeter {
 public:
  virtual ~FolderMeter() = default;
  /// Until there is more than `enough`. @cost as proc::folder_use
  virtual proc::FolderUse look(const std::string& path, Bytes enough) = 0;
};

/// All of them. @owns nothing
struct Env {
  Clock& clock;
  ProcessTable& processes;
  Signals& signals;
  Children& children;
  ControlGroup& group;
  Files& files;
  Words& words;
  WarmParent& warm;
  FolderMeter& folder_meter;
};

}  // namespace wm::shepherd
