// Role: what is said about one command that an agent starts in its host's part of a job
// (blaunch, battach), about the console of an interactive task, and about a connection to what the
// job serves. Values only.
//
//   blaunch ──unix──► agent here ──job's key──► agent there ──► command
//   battach, bsub -I ──identity service──► agent ──► command, or the task's console
//
//   a browser's request, carried by the owner's wuserd ──identity service──► agent ──► web
//   application
//
//   blaunch -group reaches the agents of the job's other groups in the same way: the master names
//   them, and their keys, to each other.
//
//   ► Start | Attach | Connect | Ask   ◄ Up   ► Input, Resize, Signal   ◄ Output   ◄ Ended, then
//   the link closes
//
// Flow: each side sends at most kLaunchWindow bytes of Input or Output that the other has not
// said to have Taken; agents in between pass frames on and never count.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "libwm/base/ids.h"

namespace wm {

/// Frame types of such a link: towards the command, and from it.
inline constexpr std::uint16_t kToLaunch = 301;
inline constexpr std::uint16_t kFromLaunch = 302;
/// Bytes that may be under way one way. @units bytes
inline constexpr std::size_t kLaunchWindow = 256 << 10;
/// Bytes of one Input or Output. @units bytes
inline constexpr std::size_t kLaunchChunk = 32 << 10;

/// First words: start this.
struct LaunchStart {
  std::string host;               ///< of the job; empty: the agent's own
  std::vector<std::string> argv;  ///< empty: the owner's shell
  std::vector<std::string> env;   ///< "A=1"; empty: that of the task with `pid`
  std::string cwd;
  std::int32_t pid = 0;
  bool terminal = false;  ///< one terminal for all streams
  bool no_input = false;  ///< stdin is /dev/null
  std::uint32_t rows = 0, columns = 0;
  std::string group = {};  ///< the job's group that has the host; empty: the agent's own
  bool operator==(const LaunchStart&) const = default;
};
/// First words: where are the tasks of this group of the job? Answered by LaunchPlaces.
struct LaunchAsk {
  std::string group;
  bool operator==(const LaunchAsk&) const = default;
};
/// First words: the console of this interactive task; the newest who asks has it.
struct LaunchAttach {
  TaskNumber task;
  std::uint32_t rows = 0, columns = 0;
  bool operator==(const LaunchAttach&) const = default;
};
/// First words: a connection to what the job serves on the agent's host. What it reads is Input,
/// what it writes Output of stream 1; Up has no pid.
struct LaunchConnect {
  std::string address;  ///< a unix socket's path, or "127.0.0.1:4711": of this host alone
  bool operator==(const LaunchConnect&) const = default;
};
/// Bytes for its standard input; empty: no more will come.
struct LaunchInput {
  std::string bytes;
  bool operator==(const LaunchInput&) const = default;
};
/// The terminal has another size.
struct LaunchResize {
  std::uint32_t rows = 0, columns = 0;
  bool operator==(const LaunchResize&) const = default;
};
/// A signal for its process group.
struct LaunchSignal {
  std::int32_t signal = 0;
  bool operator==(const LaunchSignal&) const = default;
};
/// So many more bytes have been passed on. Both ways.
struct LaunchTaken {
  std::uint64_t bytes = 0;
  bool operator==(const LaunchTaken&) const = default;
};
using ToLaunch = std::variant<LaunchStart, LaunchAttach, LaunchInput, LaunchResize, LaunchSignal,
                              LaunchTaken, LaunchConnect, LaunchAsk>;

/// It runs.
struct LaunchUp {
  std::int32_t pid = 0;
  bool operator==(const LaunchUp&) const = default;
};
/// What it wrote. `stream`: 1 stdout, 2 stderr.
struct LaunchOutput {
  std::uint32_t stream = 1;
  std::string bytes;
  bool operator==(const LaunchOutput&) const = default;
};
/// It has ended, all its output was sent; or (`refused`) it never ran, and why. A console says
/// this with status 0 when the task's streams are at their end: its exit is the job's.
struct LaunchEnded {
  std::int32_t status = 0;  ///< as wait(2) gives it
  bool refused = false;
  std::string text;
  bool operator==(const LaunchEnded&) const = default;
};
/// Where a group's tasks are now; the link closes.
struct LaunchPlaces {
  std::vector<std::string> slots;  ///< a host's name for each task, host by host
  bool operator==(const LaunchPlaces&) const = default;
};
using FromLaunch = std::variant<LaunchUp, LaunchOutput, LaunchTaken, LaunchEnded, LaunchPlaces>;

}  // namespace wm
