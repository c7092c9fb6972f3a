#include "daemons/wshepherd/copiers.h"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>

#include "daemons/wshepherd/user/output.h"

namespace wm::shepherd {
namespace {

/// A reader that never reads does not keep the task; a busy disk, or an agent that holds the pipe
/// until the output is written on another host, loses none of it.
constexpr auto kOutputPatience = std::chrono::minutes(1);

}  // namespace

void Copiers::look_at_all() {
  for (auto& [number, task] : attempt_.tasks) look(task);
}

void Copiers::look(Task& task) {
  if (!task.out && !task.err) return;
  auto waiting = [this](const Fd& pipe) {
    return pipe ? attempt_.env.files.look(pipe) : Waiting::Nothing;
  };
  auto out = waiting(task.out), err = waiting(task.err);
  if (out == Waiting::Bytes || err == Waiting::Bytes) return start(task);
  if (out == Waiting::End) task.out.reset();  // closed without a byte
  if (err == Waiting::End) task.err.reset();
}

void Copiers::start(Task& task) {
  folder_.ensure();
  attempt_.output_begun = true;
  int out = task.out.get(), err = task.err.get();
  Fd turn;
  if (hands_over(task.spec)) {
    // Without the pipe the task stays what it is: the writer, or not.
    if (auto pipe = attempt_.env.files.pipe()) {
      task.turns = std::move(pipe->write);
      turn = std::move(pipe->read);
    }
  }
  const auto& spec = attempt_.spec;
  auto agent = attempt_folder(attempt_.place, spec.key) + launch::kOutputSocket;
  UserPart part{spec.account, spec.cwd, spec.umask, {out, err, turn.get()}};
  auto pid = attempt_.env.children.fork_as_user(
      part, [&] { return copy_output(task.spec, out, err, turn.get(), agent); });
  if (!pid) return;  // the bytes stay in the pipe; tried again at the next turn
  task.copier = *pid;
  attempt_.own.insert(*pid);
  task.out.reset();
  task.err.reset();
}

void Copiers::on_exit(const Exit& exit) {
  for (auto& [number, task] : attempt_.tasks)
    if (task.copier == exit.pid) note_end(task, exit);
}

void Copiers::note_end(Task& task, const Exit& exit) {
  task.copier = 0;
  task.turns.reset();
  bool ran = task.record.cause != launch::EndCause::StartFailed &&
             task.record.cause != launch::EndCause::OwnFault;
  if (exit.status == 0 || !ran) return;
  auto& record = task.record;
  record.text += (record.text.empty() ? "" : "; ") + ("output lost: " + lost_words(exit.status));
  // The agent that wrote them to a file of all hosts is started again: few lines are lost, no disk
  // is full.
  bool agent = WIFEXITED(exit.status) && WEXITSTATUS(exit.status) == EPIPE;
  bool well = record.status == 0 && record.cause == launch::EndCause::Exited && !agent;
  if (well && attempt_.spec.lost_output_fails) record.cause = launch::EndCause::OutputLost;
  else if (attempt_.note.empty()) attempt_.note = "Output lost: " + lost_words(exit.status) + ".";
}

bool Copiers::is_copying(Task& task, bool leaves) {
  auto now = attempt_.now();
  if (leaves) task.seen = now;  // what that writes is not lost, however long it takes
  if (now - task.seen > kOutputPatience) {
    task.out.reset();
    task.err.reset();
    if (task.copier != 0) attempt_.env.signals.kill(task.copier, SIGKILL);
  }
  return task.copier != 0 || task.out || task.err;
}

void Copiers::hand_over(TaskNumber writer) {
  auto change = [&](launch::TaskSpec& spec) {
    bool writes = spec.task == writer;
    if (writes && !spec.writer)
      for (auto* files : {&spec.asked_out, &spec.asked_err})
        for (auto& file : *files) file.overwrite = false;
    attempt_.output_begun = attempt_.output_begun || (writes && !spec.writer);
    return std::exchange(spec.writer, writes) != writes;
  };
  for (auto& spec : attempt_.spec.tasks) change(spec);
  for (auto& [number, task] : attempt_.tasks)
    if (change(task.spec) && task.turns)
      attempt_.env.files.write(task.turns, task.spec.writer ? "1" : "0");
}

}  // namespace wm::shepherd
