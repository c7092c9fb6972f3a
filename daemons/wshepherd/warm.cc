#include "daemons/wshepherd/warm.h"

#include <signal.h>

namespace wm::shepherd {

void Warm::want(launch::KeepWarm order) {
  if (order_ || over_ || order.argv.empty()) return;
  order_ = std::move(order);
  start_at_ = attempt_.now() + order_->after;
}

std::optional<TimePoint> Warm::next() const {
  if (over_) return std::nullopt;
  if (pid_ != 0) return end_at_;
  return order_ ? std::optional(start_at_) : std::nullopt;
}

int Warm::descriptor() const { return ready_ ? -1 : attempt_.env.warm.descriptor(); }

void Warm::fire() {
  auto now = attempt_.now();
  if (attempt_.finishing) return finish();
  if (attempt_.any_running() || (order_ && order_->after == Duration{})) end_at_.reset();
  else if (!end_at_) end_at_ = now + kWarmKept;
  auto due = next();
  if (!due || *due > now) return;
  if (end_at_ && *end_at_ <= now) finish();
  else if (pid_ == 0) start();
}

/// Its output goes to a log of the folder's: it matters only when somebody wonders why
/// newcomers start cold.
void Warm::start() {
  const auto& env = attempt_.env;
  auto log = folder_.open_log("warm.log");
  auto pid = env.warm.start(*order_, attempt_.spec, env.group.joins(true), log.get());
  if (!pid) return finish();
  pid_ = *pid;
  attempt_.own.insert(pid_);
}

void Warm::hear() {
  if (descriptor() < 0) return;
  auto heard = attempt_.env.warm.hear();
  if (heard == WarmParent::Heard::Ready) ready_ = true;
  if (heard == WarmParent::Heard::Gone) finish();
}

void Warm::on_exit(const Exit& exit) {
  if (pid_ == 0 || exit.pid != pid_) return;
  pid_ = 0;
  finish();
}

void Warm::finish() {
  over_ = true;
  ready_ = false;
  attempt_.env.warm.let_go();
  if (pid_ != 0) attempt_.env.signals.kill(pid_, SIGKILL);
}

std::optional<pid_t> Warm::fork_task(const launch::TaskSpec& task, int out, int err) {
  if (!ready_ || task.argv != order_->command) return std::nullopt;
  auto pid = attempt_.env.warm.fork_task(task, attempt_.spec.cwd, out, err);
  if (!pid) finish();
  return pid;
}

}  // namespace wm::shepherd
