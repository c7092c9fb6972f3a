#include "daemons/wshepherd/side_commands.h"

#include <string.h>
#include <sys/wait.h>

#include <algorithm>

namespace wm::shepherd {
namespace {

/// What the site's own commands make is not for the submitter to open to all.
constexpr std::uint32_t kSiteUmask = 022;

std::string outcome(const launch::SideCommand& command, int status, bool late) {
  if (late) return command.what + " took longer than " + format_duration(command.time_limit);
  if (WIFSIGNALED(status))
    return command.what + " was ended by signal " + std::to_string(WTERMSIG(status));
  return command.what + " exited with " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

void add_exit_words(std::vector<std::string>& env, const launch::ExitRecord* record) {
  if (record == nullptr) return;
  env.push_back("LSB_JOBEXIT_STAT=" + std::to_string(record->status));
  if (!WIFSIGNALED(record->status)) return;
  int signal = WTERMSIG(record->status);
  const char* name = ::sigabbrev_np(signal);
  env.push_back("LSB_JOBEXIT_INFO=SIGNAL " + std::to_string(signal) + " SIG" + (name ? name : "?"));
}

std::optional<SideEnd> SideCommands::start(launch::SideCommand command, SideKind kind,
                                           std::uint32_t number) {
  const auto& spec = attempt_.spec;
  const auto ours = attempt_.env.children.own_account();
  const std::string root = "/";
  const std::string& jobs = command.cwd.empty() ? spec.cwd : command.cwd;
  const launch::TaskSpec none;
  const std::vector<launch::ResourceCap> no_caps;
  bool site = command.privileged;
  site_began_ = site_began_ || site;
  proc::Exec exec{.account = site ? ours : spec.account,
                  .argv = command.argv,
                  .env = command.env,
                  .cwd = site ? root : jobs,
                  .umask = site ? kSiteUmask : spec.umask,
                  .caps = no_caps,
                  .cpus = none.cpus,
                  .in = none.in,
                  .folders = none.folders};
  if (!site) exec.cgroups = attempt_.env.group.joins(false);
  auto child = attempt_.env.children.spawn(exec);
  Side side{std::move(command), kind, number, {}, false, false, {}, {}, {}};
  if (!child) return end_of(side, kNotStarted);
  if (side.command.time_limit > Duration{}) side.kill_at = attempt_.now() + side.command.time_limit;
  side.trouble = std::move(child->trouble);
  attempt_.own.insert(child->pid);
  sides_.emplace(child->pid, std::move(side));
  return std::nullopt;
}

SideEnd SideCommands::end_of(const Side& side, int status) {
  auto text = side.excess ? side.command.what + " " + side.excess_text
                          : outcome(side.command, status, side.late);
  return {side.kind, side.number, side.command.privileged, side.late, status, text, side.excess};
}

std::optional<SideEnd> SideCommands::take_end(const Exit& exit) {
  auto side = sides_.extract(exit.pid);
  if (!side || side.mapped().cancelled) return std::nullopt;
  return end_of(side.mapped(), exit.status);
}

void SideCommands::cancel(SideKind kind) {
  for (auto& [pid, side] : sides_) {
    if (side.kind != kind || std::exchange(side.cancelled, true)) continue;
    side.kill_at = attempt_.now();
  }
}

void SideCommands::finish() {
  for (auto kind : {SideKind::Notice, SideKind::Warning, SideKind::Control, SideKind::Checkpoint})
    cancel(kind);
}

void SideCommands::end_users(launch::EndCause cause, const std::string& text) {
  for (auto& [pid, side] : sides_) {
    if (side.command.privileged || side.excess) continue;
    side.excess = cause;
    side.excess_text = text;
    side.kill_at = attempt_.now();
  }
}

std::vector<pid_t> SideCommands::users_processes() const {
  std::vector<pid_t> pids;
  for (const auto& [pid, side] : sides_) {
    if (side.command.privileged) continue;
    pids.push_back(pid);
    for (auto below : attempt_.env.processes.descendants_of(pid, {})) pids.push_back(below);
  }
  return pids;
}

bool SideCommands::any_users() const {
  return std::any_of(sides_.begin(), sides_.end(),
                     [](const auto& entry) { return !entry.second.command.privileged; });
}

void SideCommands::fire() {
  auto now = attempt_.now();
  for (auto& [pid, side] : sides_) {
    if (!side.kill_at || *side.kill_at > now) continue;
    side.kill_at.reset();
    side.late = true;
    attempt_.env.signals.kill_all([this, pid = pid] {
      auto pids = attempt_.env.processes.descendants_of(pid, {});
      pids.push_back(pid);
      return pids;
    });
  }
}

std::optional<TimePoint> SideCommands::next() const {
  std::optional<TimePoint> next;
  for (const auto& [pid, side] : sides_)
    if (side.kill_at) next = std::min(next.value_or(*side.kill_at), *side.kill_at);
  return next;
}

bool SideCommands::runs(SideKind kind, std::uint32_t number) const {
  return std::any_of(sides_.begin(), sides_.end(), [&](const auto& entry) {
    return entry.second.kind == kind && entry.second.number == number;
  });
}

}  // namespace wm::shepherd
