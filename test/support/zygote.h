// Role: a real zygote (sbin/wshepherd) in a temporary folder, driven as wnoded drives it, for
// tests and benchmarks of the host side.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libwm/launch/launcher.h"
#include "libwm/proc/cgroup.h"
#include "libwm/proc/channel.h"

namespace wm::test {

/// How long what has to come is waited for: a failing test alone waits so long.
constexpr std::chrono::seconds kComes{120};
/// Calls `done` every few milliseconds until it is true. False: not within `limit`.
bool eventually(const std::function<bool()>& done, Duration limit = kComes);

/// The zygote and its folders; everything of it ends with the object.
class Zygote {
 public:
  /// `cgroup`: as wnoded would give it; empty: none.
  explicit Zygote(const std::string& cgroup = "");
  ~Zygote();
  Zygote(const Zygote&) = delete;

  std::string folder, run, exits;

  /// Starts a shepherd; the socket to it.
  Fd start(const launch::AttemptSpec& spec);
  /// Sends any first order to a fresh fork of the zygote.
  Fd fork_with(const launch::ShepherdOrder& order);
  /// Ends the zygote as the death of wnoded does.
  void lose();
  std::string read(const std::string& name) const;
  pid_t pid() const { return pid_; }

 private:
  Fd socket_;
  pid_t pid_ = 0;
};

/// A batch attempt of one shell command running as the caller, output to files in `folder`.
launch::AttemptSpec shell_attempt(const Zygote& zygote, std::uint32_t job,
                                  const std::string& command);

/// Next word of a shepherd; none: closed, damaged, or nothing within kComes.
std::optional<launch::ShepherdWord> next_word(const Fd& fd);
/// Words up to and with the first T; its value. Fails the test when it does not come.
template <class T>
T await(const Fd& fd) {
  while (auto word = next_word(fd))
    if (auto* found = std::get_if<T>(&*word)) return *found;
  throw std::runtime_error("the shepherd did not say it");
}
void tell(const Fd& fd, const launch::ShepherdOrder& order);

/// Control groups below our own for this process's tests, removed by the destructor; `text` is
/// empty where none can be made. $WM_TEST_CGROUP: as wm.conf's cgroup_root.
struct CgroupsForTests {
  CgroupsForTests();
  ~CgroupsForTests();
  CgroupsForTests(const CgroupsForTests&) = delete;
  proc::CgroupRoots roots;
  /// In a hierarchy of its own or in the unified one.
  bool has(const std::string& controller) const;
  std::string text() const { return proc::to_text(roots); }

 private:
  proc::CgroupRoots made_;  // also those that a test does without
};

/// Processes that belong to this attempt of cluster "test", as their environment says.
std::vector<pid_t> pids_of(std::uint32_t job);

}  // namespace wm::test
