#include "daemons/wshepherd/shepherd.h"

#include <signal.h>

#include <algorithm>

#include "daemons/wshepherd/devices.h"
#include "daemons/wshepherd/suspension.h"
#include "libwm/model/reason.h"

namespace wm::shepherd {
namespace {

using std::chrono::milliseconds;

/// What nobody tells of by a descriptor is looked at again after this time.
constexpr auto kLookAgain = milliseconds(200);

}  // namespace

Shepherd::Shepherd(const Kernel& kernel, Place place, launch::AttemptSpec spec)
    : attempt_{kernel, std::move(place), std::move(spec)} {}

void Shepherd::begin() {
  attempt_.started = attempt_.kernel.clock.wall();
  use_.begin();
  guard_devices(attempt_);
  if (attempt_.spec.suspended) set_suspended(attempt_, true);
  auto files = folder_.put_files();
  if (files) agent_.fire();
  attempt_.kernel.words.say(who_i_am());
  if (files) around_.go_on();
  else around_.refuse(launch::EndCause::StartFailed, files.error().text, kNotStarted);
  records_.write_and_tell();
}

std::vector<int> Shepherd::descriptors() const {
  std::vector<int> fds{warm_.descriptor()};
  auto add = [&fds](const Task& task) {
    for (int fd : {task.out.get(), task.err.get()})
      if (fd >= 0) fds.push_back(fd);
  };
  for (const auto& [number, task] : attempt_.tasks) add(task);
  add(agent_.output());
  return fds;
}

TimePoint Shepherd::next() const {
  auto now = attempt_.now();
  auto until = now + std::chrono::seconds(60);
  auto earliest = [&](std::optional<TimePoint> t) { until = t ? std::min(until, *t) : until; };
  if (auto limit = run_limit_.next()) earliest(attempt_.clock.steady(*limit));
  for (auto next : {strays_.next(), enders_.next(), use_.next(), warm_.next(), sides_.next(),
                    agent_.next(), launched_.next(), acts_.next(), ranks_.next(), delivery_.next()})
    earliest(next);
  bool exited = std::any_of(attempt_.tasks.begin(), attempt_.tasks.end(),
                            [](const auto& e) { return e.second.phase == Phase::Exited; });
  if (exited || !records_.empty() || attempt_.finishing) earliest(now + kLookAgain);
  return until;
}

void Shepherd::hear() {
  warm_.hear();
  copiers_.look_at_all();
  copiers_.look(agent_.output());
}

void Shepherd::turn() {
  reap();
  fire_timers();
  use_.fire();
  if (strays_.clean_up()) reap();
  conclude_tasks();
  conclude_attempt();
  records_.write_and_tell();
}

void Shepherd::reap() {
  while (auto exit = attempt_.kernel.children.reap()) on_exit(*exit);
}

void Shepherd::on_exit(const Exit& exit) {
  auto& usage = attempt_.usage;
  usage.cpu += exit.usage.cpu;
  usage.max_mem = std::max(usage.max_mem, exit.usage.max_mem);
  usage.read.value += exit.usage.read.value;
  usage.written.value += exit.usage.written.value;
  attempt_.own.erase(exit.pid);
  if (auto end = sides_.on_exit(exit)) {
    use_.judge(*end);
    around_.on_end(*end);
    delivery_.on_end(*end);
  }
  agent_.on_exit(exit.pid);
  warm_.on_exit(exit.pid);
  reporter_.on_exit(exit);
  ranks_.on_exit(exit);
  for (auto& [number, task] : attempt_.tasks) {
    copiers_.on_exit(task, exit);
    tellers_.on_exit(task, exit.pid);
    trial_words_.on_exit(task, exit);
    if (task.pid == exit.pid && task.phase == Phase::Running) on_exit_of(task, exit);
  }
}

void Shepherd::on_exit_of(Task& task, const Exit& exit) {
  const auto& kernel = attempt_.kernel;
  task.seen = attempt_.now();
  if (!task.ending && !attempt_.finishing)
    task.spared_until = attempt_.jobs_now() + attempt_.spec.stray_grace;
  note_exit(task, exit.status, exit.usage, kernel.clock.wall(),
            kernel.children.trouble_of(task.trouble));
  if (!task.spec.devices.empty()) guard_devices(attempt_);
  if (exit.status != 0 && !task.ending) use_.on_failure();
}

void Shepherd::fire_timers() {
  sides_.fire();
  if (!attempt_.clock.stopped()) {
    auto now = attempt_.jobs_now();
    if (run_limit_.takes_warning(now)) warn();
    auto text =
        std::string(term_name(Term::RunLimit)) + ": " + std::string(term_text(Term::RunLimit));
    if (run_limit_.takes_end(now))
      end_all(acts_.terminate(signals_at_run_limit()), launch::EndCause::RunLimit, text);
  }
  acts_.fire();
  enders_.fire();
  agent_.fire();
  launched_.fire();
  strays_.fire();
  warm_.fire();
  ranks_.fire();
}

void Shepherd::end_all(const EndWay& way, launch::EndCause cause, const std::string& text) {
  for (auto* task : attempt_.chosen({})) enders_.end(*task, way, cause, text);
  strays_.spare_no_longer({});
}

/// The run limit is near: tells the tasks as the job asked.
void Shepherd::warn() {
  const auto& warning = attempt_.spec.warning;
  if (!warning.command.argv.empty()) {
    if (auto end = sides_.start(warning.command, SideKind::Warning)) around_.on_end(*end);
    return;
  }
  auto& signals = attempt_.kernel.signals;
  for (auto* task : attempt_.chosen({}))
    if (!signals.kill(-task->pid, warning.signal)) signals.kill(task->pid, warning.signal);
}

void Shepherd::conclude_tasks() {
  copiers_.look_at_all();
  copiers_.look(agent_.output());
  std::vector<pid_t> left;
  if (!attempt_.kernel.children.childless()) left = attempt_.strays();
  std::vector<TaskNumber> succeeded;
  for (auto& [number, task] : attempt_.tasks) {
    if (task.phase != Phase::Exited) continue;
    bool leaves = std::any_of(left.begin(), left.end(),
                              [&, &task = task](pid_t pid) { return attempt_.is_of(pid, task); });
    bool copying = copiers_.is_copying(task, leaves);
    if (leaves || copying) continue;
    if (task.successor && !attempt_.finishing) {
      succeeded.push_back(number);
      continue;
    }
    bool telling = tellers_.is_telling(task), asking = trial_words_.is_asking(task);
    if (telling || asking || delivery_.keeps(task)) continue;
    task.phase = Phase::Ended;
    shed(task);
    use_.add_use(task.record);
    records_.add(task.record, delivery_.owes_for(task));
  }
  for (auto number : succeeded) successors_.succeed(number);
  strays_.settle(left.empty());
}

void Shepherd::conclude_attempt() {
  if (over_ || !attempt_.all_ended() || !attempt_.ending()) return;
  if (!attempt_.finishing && !attempt_.spec.tasks.empty())
    return;  // they wait for what goes before
  attempt_.finishing = true;
  agent_.end();
  warm_.end();
  ranks_.end();
  for (auto kind : {SideKind::Notice, SideKind::Warning, SideKind::Control, SideKind::Checkpoint})
    sides_.cancel(kind);
  if (!is_delivered() || !is_alone() || around_.runs_after()) return;
  if (!reporter_.is_written() || !reporter_.is_mailed()) return;
  folder_.remove();
  auto& end = attempt_.end;
  end.key = attempt_.spec.key;
  end.pid = attempt_.kernel.children.self();
  end.started = attempt_.started;
  end.ended = attempt_.kernel.clock.wall();
  end.usage = attempt_.usage;
  use_.add_use(end);
  records_.add(end);
  over_ = true;
}

/// Where the agent writes what all ranks say, all of it is there before the report.
bool Shepherd::is_delivered() {
  if (!delivery_.is_wanted()) return true;
  bool early = attempt_.spec.ends_with_last_task && !delivery_.waits_for_agent();
  bool begins = delivery_.is_owed() && early;
  if (!begins && !is_alone()) return false;
  if (!delivery_.is_done()) return false;
  if (delivery_.is_owed() && !records_.empty()) return false;  // the end goes before it
  delivery_.tell();
  return true;
}

launch::ShepherdUp Shepherd::who_i_am() const {
  auto up = attempt_.who_i_am();
  up.delivers = delivery_.is_owed();
  return up;
}

bool Shepherd::is_alone() {
  reap();
  if (!reporter_.runs() && !attempt_.kernel.children.childless()) return false;
  return attempt_.kernel.group.members().empty();
}

}  // namespace wm::shepherd
