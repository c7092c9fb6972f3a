#include "daemons/wshepherd/tellers.h"

#include <signal.h>

#include "daemons/wshepherd/user/last_words.h"
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

bool Tellers::is_telling(Task& task) {
  bool has_file = !task.spec.err.empty() || (task.spec.merge_err && !task.spec.out.empty());
  bool due = !task.tells && task.spec.says_why && has_file && failed_by_itself(task);
  if (due) start(task);
  if (task.teller != 0 && task.teller_until <= attempt_.now())
    attempt_.env.signals.kill(task.teller, SIGKILL);
  return task.teller != 0;
}

void Tellers::start(Task& task) {
  task.tells = true;
  auto pipe = attempt_.env.files.pipe();
  if (!pipe) return;
  task.told = std::move(pipe->read);
  int line = pipe->write.get();
  bool block = !task.spec.writer && !task.spec.last_words.empty() && blocks_ < kMostBlocks;
  blocks_ += block ? 1 : 0;
  const auto& spec = attempt_.spec;
  UserPart part{spec.account, spec.cwd, spec.umask, {line}};
  auto pid = attempt_.env.children.fork_as_user(part, [&] {
    return tell_last_words(task.spec, task.record, attempt_.place.node, line, block);
  });
  if (!pid) return;
  task.teller = *pid;
  task.teller_until = attempt_.now() + kTellersPatience;
  attempt_.own.insert(*pid);
}

void Tellers::on_exit(const Exit& exit) {
  for (auto& [number, task] : attempt_.tasks)
    if (task.teller == exit.pid) take_words(task);
}

void Tellers::take_words(Task& task) {
  task.teller = 0;
  auto bytes = attempt_.env.files.read_waiting(task.told);
  task.told.reset();
  if (bytes.empty() || !task.record.text.empty()) return;
  constexpr std::size_t kIntro = 24;  // "its error file says: "
  task.record.text = launch::last_line(bytes, launch::kLongestReason + kIntro);
}

}  // namespace wm::shepherd
