#include "daemons/wshepherd/around.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

namespace wm::shepherd {
namespace {

using launch::EndCause;

launch::SideCommand take_first(std::vector<launch::SideCommand>& commands) {
  auto first = std::move(commands.front());
  commands.erase(commands.begin());
  return first;
}

}  // namespace

/// With what is left of the time that the user's commands before the tasks, or after them, have.
launch::SideCommand Around::limited(launch::SideCommand command, SideKind kind) {
  auto limit = kind == SideKind::Before ? attempt_.spec.before_limit : attempt_.spec.after_limit;
  if (command.privileged || limit == Duration{}) return command;
  auto now = attempt_.now();
  auto end = users_end_.try_emplace(kind, now + limit).first->second;
  constexpr Duration kNone = std::chrono::microseconds(1);
  command.time_limit = std::max(kNone, std::chrono::duration_cast<Duration>(end - now));
  return command;
}

void Around::go_on() {
  auto& spec = attempt_.spec;
  if (attempt_.ready || (spec.tasks.empty() && attempt_.finishing)) return;
  if (!spec.before.empty()) {
    auto next = limited(take_first(spec.before), SideKind::Before);
    if (auto end = sides_.start(std::move(next), SideKind::Before)) on_end(*end);
    return;
  }
  attempt_.ready = true;
  run_limit_.start(attempt_.jobs_now(), spec.run_limit, spec.warning.lead);
  for (auto& task : std::exchange(spec.tasks, {})) starter_.start(std::move(task));
  if (attempt_.any_running()) reporter_.tell_start();
}

void Around::on_end(const SideEnd& end) {
  auto& words = attempt_.env.words;
  if (end.kind == SideKind::Notice)
    return words.say(launch::Noticed{end.number, end.late ? -1 : end.status});
  if (end.privileged && end.failed()) words.say(launch::ScriptFailed{end.text});
  bool acts = end.kind == SideKind::Control || end.kind == SideKind::Checkpoint;
  if (acts && end.failed()) words.complain(end.text);
  if (end.kind != SideKind::Before) return;
  if (!end.failed()) return go_on();
  auto usual = end.privileged ? EndCause::PrologFailed : EndCause::PreExecFailed;
  refuse(end.excess.value_or(usual), end.text, end.status != 0 ? end.status : SIGKILL);
}

void Around::refuse(EndCause cause, const std::string& text, int status) {
  auto& spec = attempt_.spec;
  spec.before.clear();
  spec.copies.clear();
  std::erase_if(spec.after,
                [this](const auto& c) { return !c.privileged || !sides_.site_began(); });
  sides_.cancel(SideKind::Before);
  for (auto& waiting : std::exchange(spec.tasks, {})) {
    auto [at, fresh] = attempt_.tasks.try_emplace(waiting.task);
    if (!fresh) continue;
    auto& task = at->second;
    task.spec = std::move(waiting);
    task.record.key = spec.key;
    task.record.task = task.spec.task;
    task.record.started = attempt_.started;
    note_never_ran(task, cause, text, status);
  }
  if (!attempt_.tasks.empty() || cause == EndCause::Ordered) return;
  attempt_.finishing = true;  // room for others' commands only: none will come
  attempt_.end.text = text;
  attempt_.end.cause = cause;
  attempt_.end.status = status;
}

bool Around::runs_after() {
  auto& after = attempt_.spec.after;
  if (after.empty()) return sides_.any();
  auto next = limited(take_first(after), SideKind::After);
  if (!next.privileged) add_exit_words(next.env, attempt_.deciding_record());
  if (auto end = sides_.start(std::move(next), SideKind::After)) on_end(*end);
  return true;
}

}  // namespace wm::shepherd
