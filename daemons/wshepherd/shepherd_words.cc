// What a task that failed by itself said last, for its record and the job's output:
//
//   exited, output copied ─► teller (user part) ─► a line in the record ─► ended
//
// The end of the task waits for it, but not for a file system that hangs.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>

#include "daemons/wshepherd/last_words.h"
#include "daemons/wshepherd/shepherd.h"
#include "daemons/wshepherd/user_part.h"
#include "libwm/launch/last_words.h"

namespace wm::shepherd {
namespace {

constexpr auto kTellersPatience = std::chrono::seconds(5);
/// When all fail of the same, nobody reads it of each.
constexpr int kMostBlocks = 8;

bool failed_by_itself(const Task& task) {
  return task.pid != 0 && task.record.status != 0 && task.record.cause == launch::EndCause::Exited;
}

}  // namespace

/// True while its last words are under way; begins with them if they are due.
bool Shepherd::is_telling(Task& task) {
  bool due = !task.tells && task.spec.says_why && !task.spec.err.empty() && failed_by_itself(task);
  if (due) start_teller(task);
  if (task.teller != 0 && task.teller_until <= steady_now()) ::kill(task.teller, SIGKILL);
  return task.teller != 0;
}

void Shepherd::start_teller(Task& task) {
  task.tells = true;
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) return;
  task.told.reset(fds[0]);
  proc::Fd line(fds[1]);
  bool block = !task.spec.writer && !task.spec.last_words.empty() && blocks_told_ < kMostBlocks;
  blocks_told_ += block ? 1 : 0;
  UserPart part{spec_.account, spec_.cwd, spec_.umask, {line.get()}};
  auto pid = fork_as_user(part, [&] {
    return tell_last_words(task.spec, task.record, place_.node, line.get(), block);
  });
  if (!pid) return;
  task.teller = *pid;
  task.teller_until = steady_now() + kTellersPatience;
  own_.insert(*pid);
}

void Shepherd::on_told(Task& task) {
  task.teller = 0;
  std::array<char, 256> bytes{};
  auto n = ::read(task.told.get(), bytes.data(), bytes.size());
  task.told.reset();
  if (n <= 0 || !task.record.text.empty()) return;
  auto line = launch::last_line({bytes.data(), static_cast<std::size_t>(n)});
  if (!line.empty()) task.record.text = "its stderr ended: " + line;
}

}  // namespace wm::shepherd
