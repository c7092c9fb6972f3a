#include "daemons/wshepherd/agent.h"

#include <signal.h>

#include <algorithm>

#include "daemons/wshepherd/user/output.h"

namespace wm::shepherd {
namespace {

/// An agent that ends at once is not started for ever.
constexpr int kMaxStarts = 20;
/// One that ran so long ended for a reason of its own. @source Kubernetes: CrashLoopBackOff
constexpr auto kGoodTime = std::chrono::minutes(10);
/// From SIGTERM to SIGKILL: it waits for a slow reader of an interactive job's output.
constexpr auto kAgentPatience = std::chrono::seconds(30);

/// "0=3600 3=8388608": what an agent limits the commands by that it starts.
std::string caps_variable(const std::vector<launch::ResourceCap>& caps) {
  std::string text;
  for (const auto& cap : caps)
    text +=
        (text.empty() ? "" : " ") + std::to_string(cap.resource) + "=" + std::to_string(cap.amount);
  return "WM_AGENT_CAPS=" + text;
}

}  // namespace

void Agent::want(launch::StartAgent order) {
  if (!attempt_.spec.agent_argv.empty() || attempt_.finishing) return;
  attempt_.spec.agent_argv = std::move(order.argv);
  attempt_.spec.agent_env = std::move(order.env);
  start();
}

/// Where no task waits for it, it lets nobody in before the commands that go before tasks, the
/// look for the image among them, are done.
bool Agent::is_due() const {
  const auto& spec = attempt_.spec;
  bool wanted = !spec.agent_argv.empty() && !kill_by_;
  return pid_ == 0 && wanted && (attempt_.ready || !spec.tasks.empty());
}

void Agent::fire() {
  if (is_due() && !attempt_.ending() && next_ <= attempt_.now()) start();
}

std::optional<TimePoint> Agent::next() const {
  return is_due() && !attempt_.finishing ? std::optional(next_) : std::nullopt;
}

/// Where it writes the output of all ranks; the other ends go to the copier.
Agent::Pipes Agent::connect() {
  const auto& spec = attempt_.spec;
  Pipes theirs;
  if (spec.out.empty()) return theirs;
  output_.spec.out = spec.out;
  output_.spec.err = spec.err;
  output_.spec.merge_err = spec.merge_err;
  auto join = [this](Fd& read, Fd& write) {
    auto pipe = attempt_.env.files.pipe();
    if (!pipe) return;
    read = std::move(pipe->read);
    write = std::move(pipe->write);
  };
  join(output_.out, theirs.out);
  if (!spec.merge_err) join(output_.err, theirs.err);
  return theirs;
}

void Agent::start() {
  auto& spec = attempt_.spec;
  if (++starts_ > kMaxStarts) return spec.agent_argv.clear();
  auto log = folder_.open_log("agent.log");
  const launch::TaskSpec none;
  const std::vector<launch::ResourceCap> no_caps;
  const std::string root = "/";
  auto env = spec.agent_env;
  env.push_back(caps_variable(spec.caps));
  auto pipes = connect();
  if (pipes.err) env.push_back("WM_AGENT_ERR=" + std::to_string(pipes.err.get()));
  proc::Exec exec{.account = spec.account,
                  .argv = spec.agent_argv,
                  .env = env,
                  .cwd = root,
                  .umask = spec.umask,
                  .caps = no_caps,
                  .cpus = none.cpus,
                  .in = none.in,
                  .folders = none.folders,
                  .out = pipes.out ? pipes.out.get() : log.get(),
                  .err = log.get(),
                  .cgroups = attempt_.env.group.joins(false),
                  .keep = pipes.err.get(),
                  .hold_term = true};
  started_ = attempt_.now();
  next_ = started_ + std::chrono::seconds(1);
  auto child = attempt_.env.children.spawn(exec);
  if (!child) return;
  pid_ = attempt_.agent = child->pid;
  attempt_.own.insert(pid_);
}

void Agent::on_exit(const Exit& exit) {
  if (pid_ == 0 || exit.pid != pid_) return;
  pid_ = attempt_.agent = 0;
  if (attempt_.now() - started_ >= kGoodTime) starts_ = 0;
  next_ = attempt_.now() + std::chrono::milliseconds(200);
}

std::vector<pid_t> Agent::launched() const {
  return pid_ != 0 ? attempt_.env.processes.children_of(pid_) : std::vector<pid_t>{};
}

bool Agent::writes_beside_us() const {
  bool shared = std::any_of(attempt_.tasks.begin(), attempt_.tasks.end(), [](const auto& entry) {
    return is_shared(entry.second.spec) && entry.second.spec.writer;
  });
  return pid_ != 0 && shared;
}

/// While it writes for ranks of other hosts, an end by force is not kept waiting.
void Agent::finish() {
  if (pid_ == 0) return;
  bool beside = writes_beside_us(), by_force = !attempt_.end.text.empty();
  bool waits = (beside || !attempt_.spec.out.empty()) && !by_force;
  auto now = attempt_.now();
  if (kill_by_ && beside && waits) kill_by_ = now + kAgentPatience;  // those may have last words
  if (!kill_by_) {
    kill_by_ = now + kAgentPatience;
    attempt_.env.signals.kill(pid_, SIGTERM);
  } else if (*kill_by_ <= now && !waits) {
    attempt_.env.signals.kill(pid_, SIGKILL);
  }
}

}  // namespace wm::shepherd
