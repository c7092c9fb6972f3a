// Role: control groups of attempts behind one interface: version 2, version 1, or both (hybrid:
// the v2 tree kills, freezes and counts CPU time, v1 hierarchies limit memory and the rest).
//
//   <v2 root>/12-0.1        the agent; limits              <memory root>/12-0.1   v1: everybody
//   <v2 root>/12-0.1/tasks  the tasks: what is frozen      <freezer root>/12-0.1  v1: the tasks
//
// Where there is none (a private cluster, our own group is the hierarchy's root) everything
// works through the process tree and /proc instead; an empty Cgroup then does nothing.
// Invariant: nothing is made at a hierarchy's root unless the administrator named the folder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::proc {

/// The unified tree's name in place of a controller's.
inline constexpr const char* kUnified = "v2";

/// Folders below which attempts get theirs, by controller; "v2" is the unified tree.
using CgroupRoots = std::map<std::string, std::string>;

/// What is usable here. `configured`: "none": nothing; empty: below our own groups; a name
/// "wm": that folder below our own groups; an absolute path: that v2 folder alone.
/// @cost two reads and a mkdir a hierarchy
CgroupRoots usable_cgroups(const std::string& configured);
/// "memory=/a,v2=/b" and back, for a command line. @cost O(size)
std::string to_text(const CgroupRoots& roots);
CgroupRoots parse_cgroup_roots(std::string_view text);

/// Limits that the kernel keeps for a group. 0 or empty: not set.
/// @units mem: bytes, swap included; cpu_weight: 100 a CPU
struct CgroupCaps {
  std::uint64_t mem = 0;
  std::uint32_t pids = 0;  ///< processes and threads
  std::uint32_t cpu_weight = 0;
  std::vector<std::uint32_t> cpus;
  bool devices = false;  ///< some will be denied: device_guard.h
};

/// What a group has used. @units io: bytes of block devices, where the kernel counts them
struct CgroupUse {
  std::optional<Duration> cpu;
  std::optional<Bytes> peak_mem;
  std::optional<Bytes> read, written;
  std::uint64_t oom_kills = 0;      ///< processes that the kernel killed for memory
  std::uint64_t refused_forks = 0;  ///< beyond the limit on processes and threads
};

/// The groups of one attempt, in every hierarchy that is needed. A value: the folders live
/// until remove(). @thread any; the kernel orders
class Cgroup {
 public:
  Cgroup() = default;
  /// Makes the groups and sets the limits. What cannot be made or set is left out and named in
  /// `trouble`. @cost one mkdir a hierarchy, 0.03–0.15 ms each
  static Cgroup make(const CgroupRoots& roots, const std::string& name, const CgroupCaps& caps,
                     std::string& trouble);
  /// The groups of that name that exist: of an attempt that lost its shepherd.
  static Cgroup find(const CgroupRoots& roots, const std::string& name);

  explicit operator bool() const { return !folders_.empty(); }
  /// Does the kernel keep this limit: "memory", "pids" …?
  bool keeps(const std::string& limit) const { return kept_.contains(limit); }
  /// Its folder in a hierarchy; empty: it has none there.
  std::string folder(const std::string& controller) const;
  /// Folders that a task (`frozen` with the job) or the agent joins.
  std::vector<std::string> joins(bool frozen) const;
  /// Processes inside; empty also when it is gone. @cost one read
  std::vector<int> pids() const;
  /// Stops or continues all tasks and waits until it is so, 1 s at most. False: no freezer.
  bool freeze(bool on) const;
  /// Another memory limit from now on. Nothing happens where none is kept.
  void limit_memory(std::uint64_t bytes) const;
  /// Kills everything inside at once, frozen or not. False: v1, the caller kills each.
  bool kill() const;
  CgroupUse use() const;
  /// Removes the empty folders; whatever goes wrong is left for the next start.
  void remove() const;

 private:
  std::map<std::string, std::string> folders_;  ///< by controller
  std::map<std::string, bool> kept_;
};

/// Moves the calling process into these folders. @errors System
Result<void> join_cgroups(const std::vector<std::string>& folders);

/// One setting of a group. @errors System
Result<void> write_word(const std::string& path, const std::string& word);

}  // namespace wm::proc
