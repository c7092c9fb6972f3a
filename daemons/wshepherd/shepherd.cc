#include "daemons/wshepherd/shepherd.h"

#include <signal.h>

#include <algorithm>

#include "daemons/wshepherd/devices.h"
#include "daemons/wshepherd/suspension.h"

namespace wm::shepherd {
namespace {

using std::chrono::milliseconds;

/// What nobody tells of by a descriptor is looked at again after this time.
constexpr auto kLookAgain = milliseconds(200);

}  // namespace

Shepherd::Shepherd(const Env& env, Place place, launch::AttemptSpec spec)
    : parts_(env, std::move(place), std::move(spec)) {}

void Shepherd::begin() {
  attempt_.started = attempt_.env.clock.wall();
  parts_.use.begin();
  guard_devices(attempt_);
  if (attempt_.spec.suspended) set_suspended(attempt_, true);
  auto files = parts_.folder.put_files();
  if (files) parts_.agent.fire();
  attempt_.env.words.say(who_i_am());
  if (files) parts_.around.go_on();
  else parts_.around.refuse(launch::EndCause::StartFailed, files.error().text, kNotStarted);
  parts_.records.write_and_tell();
}

std::vector<int> Shepherd::descriptors() const {
  std::vector<int> fds;
  auto add_open = [&fds](int fd) {
    if (fd >= 0) fds.push_back(fd);
  };
  for (const auto* part : parts_.behaviours) add_open(part->descriptor());
  auto add = [&](const Task& task) { add_open(task.out.get()), add_open(task.err.get()); };
  for (const auto& [number, task] : attempt_.tasks) add(task);
  add(parts_.agent.output());
  return fds;
}

TimePoint Shepherd::next() const {
  auto now = attempt_.now();
  auto until = now + std::chrono::seconds(60);
  auto earliest = [&](std::optional<TimePoint> t) { until = t ? std::min(until, *t) : until; };
  for (const auto* part : parts_.behaviours) earliest(part->next());
  bool exited = std::any_of(attempt_.tasks.begin(), attempt_.tasks.end(),
                            [](const auto& e) { return e.second.phase == Phase::Exited; });
  if (exited || !parts_.records.empty() || attempt_.finishing) earliest(now + kLookAgain);
  return until;
}

// What has ended by itself before is not ended by the order, and not started again.
void Shepherd::obey(launch::ShepherdOrder order) {
  reap();
  std::visit([this](auto& o) { orders_.on(std::move(o)); }, order);
}

void Shepherd::terminate() { orders_.on(launch::Finish{"its shepherd was told to terminate"}); }

void Shepherd::hear() {
  for (auto* part : parts_.behaviours) part->hear();
  parts_.copiers.look(parts_.agent.output());
}

void Shepherd::turn() {
  reap();
  for (auto* part : parts_.behaviours) part->fire();
  if (parts_.strays.clean_up()) reap();
  conclude_tasks();
  conclude_attempt();
  parts_.records.write_and_tell();
}

void Shepherd::reap() {
  while (auto exit = attempt_.env.children.reap()) on_exit(*exit);
}

void Shepherd::on_exit(const Exit& exit) {
  auto& usage = attempt_.usage;
  usage.cpu += exit.usage.cpu;
  usage.max_mem = std::max(usage.max_mem, exit.usage.max_mem);
  usage.read.value += exit.usage.read.value;
  usage.written.value += exit.usage.written.value;
  attempt_.own.erase(exit.pid);
  if (auto end = parts_.sides.take_end(exit)) {
    parts_.use.judge(*end);
    parts_.around.on_end(*end);
    parts_.delivery.on_end(*end);
  }
  for (auto* part : parts_.behaviours) part->on_exit(exit);
  for (auto& [number, task] : attempt_.tasks)
    if (task.pid == exit.pid && task.phase == Phase::Running) on_exit_of(task, exit);
}

void Shepherd::on_exit_of(Task& task, const Exit& exit) {
  const auto& env = attempt_.env;
  task.seen = attempt_.now();
  if (!task.ending && !attempt_.finishing)
    task.spared_until = attempt_.jobs_now() + attempt_.spec.stray_grace;
  note_exit(task, exit.status, exit.usage, env.clock.wall(), env.children.trouble_of(task.trouble));
  if (!task.spec.devices.empty()) guard_devices(attempt_);
  if (exit.status != 0 && !task.ending) parts_.use.on_failure();
}

void Shepherd::conclude_tasks() {
  parts_.copiers.look_at_all();
  parts_.copiers.look(parts_.agent.output());
  std::vector<pid_t> left;
  if (!attempt_.env.children.childless()) left = attempt_.strays();
  std::vector<TaskNumber> succeeded;
  for (auto& [number, task] : attempt_.tasks) {
    if (task.phase != Phase::Exited) continue;
    bool leaves = std::any_of(left.begin(), left.end(),
                              [&, &task = task](pid_t pid) { return attempt_.is_of(pid, task); });
    bool copying = parts_.copiers.is_copying(task, leaves);
    if (leaves || copying) continue;
    if (task.successor && !attempt_.finishing) {
      succeeded.push_back(number);
      continue;
    }
    bool telling = parts_.tellers.is_telling(task), asking = parts_.trial_words.is_asking(task);
    if (telling || asking || parts_.delivery.keeps(task)) continue;
    task.phase = Phase::Ended;
    shed(task);
    parts_.use.add_use(task.record);
    parts_.records.add(task.record, parts_.delivery.owes_for(task));
  }
  for (auto number : succeeded) parts_.successors.succeed(number);
  parts_.strays.settle(left.empty());
}

void Shepherd::conclude_attempt() {
  if (over_ || !attempt_.all_ended() || !attempt_.ending()) return;
  if (!attempt_.finishing && !attempt_.spec.tasks.empty())
    return;  // they wait for what goes before
  attempt_.finishing = true;
  for (auto* part : parts_.behaviours) part->finish();
  if (!is_delivered() || !is_alone() || parts_.around.runs_after()) return;
  if (!parts_.reporter.is_written() || !parts_.reporter.is_mailed()) return;
  parts_.folder.remove();
  auto& end = attempt_.end;
  end.key = attempt_.spec.key;
  end.pid = attempt_.env.children.self();
  end.started = attempt_.started;
  end.ended = attempt_.env.clock.wall();
  end.usage = attempt_.usage;
  parts_.use.add_use(end);
  parts_.records.add(end);
  over_ = true;
}

/// Where the agent writes what all ranks say, all of it is there before the report.
bool Shepherd::is_delivered() {
  if (!parts_.delivery.is_wanted()) return true;
  bool early = attempt_.spec.ends_with_last_task && !parts_.delivery.waits_for_agent();
  bool begins = parts_.delivery.is_owed() && early;
  if (!begins && !is_alone()) return false;
  if (!parts_.delivery.is_done()) return false;
  if (parts_.delivery.is_owed() && !parts_.records.empty()) return false;  // the end goes before it
  parts_.delivery.tell();
  return true;
}

launch::ShepherdUp Shepherd::who_i_am() const {
  auto up = attempt_.who_i_am();
  up.delivers = parts_.delivery.is_owed();
  return up;
}

bool Shepherd::is_alone() {
  reap();
  if (!parts_.reporter.runs() && !attempt_.env.children.childless()) return false;
  return attempt_.env.group.members().empty();
}

}  // namespace wm::shepherd
