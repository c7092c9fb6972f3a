#include "daemons/wshepherd/rank_watch.h"

#include <signal.h>

#include <algorithm>

#include "libwm/launch/mpi_launches.h"

namespace wm::shepherd {
namespace {

constexpr Duration kFirstLook = std::chrono::milliseconds(100), kLongest = std::chrono::minutes(1);
constexpr int kPartOfAge = 8;
constexpr auto kLookPatience = std::chrono::seconds(10);
constexpr std::size_t kLongestLine = 300;

/// As the report's head names them: "4*hostA".
bool has_several_slots(const launch::AttemptSpec& spec) {
  const auto& hosts = spec.report.hosts;
  bool elastic = !spec.ends_with_last_task;  // it may have more at any time
  return elastic || hosts.size() > 1 ||
         (hosts.size() == 1 && hosts[0].find('*') != std::string::npos);
}

bool has_report(const launch::ReportHead& head) {
  return head.mail_at_end || (!head.file.path.empty() && head.file.path != "/dev/null");
}

/// What is below `root`, but for `except`; the first line that a launcher there is worth.
std::string line_about(ProcessTable& table, pid_t root, const std::set<pid_t>& except) {
  std::vector<launch::JobProcess> found;
  for (auto pid : table.descendants_of(root, except))
    if (auto stat = table.stat(pid))
      found.push_back({pid, stat->parent, table.arguments_of(pid), table.environment_of(pid)});
  for (const auto& launch : launch::mpi_launches(found))
    if (auto line = launch::few_ranks_line(launch); !line.empty()) return line;
  return "";
}

}  // namespace

bool RankWatch::is_wanted() const {
  const auto& spec = attempt_.spec;
  if (over_ || attempt_.finishing || !has_report(spec.report) || !has_several_slots(spec))
    return false;
  return std::any_of(attempt_.tasks.begin(), attempt_.tasks.end(), [](const auto& entry) {
    return entry.second.phase == Phase::Running && entry.second.spec.rank_socket.empty();
  });
}

Duration RankWatch::pause() const {
  auto age = began_ ? attempt_.jobs_now() - *began_ : Duration{};
  return std::clamp(Duration(age / kPartOfAge), kFirstLook, kLongest);
}

std::optional<TimePoint> RankWatch::next() const {
  if (pid_ != 0) return until_;
  if (!is_wanted() || attempt_.clock.stopped()) return std::nullopt;
  return began_ ? look_at_ : attempt_.now();
}

void RankWatch::fire() {
  auto now = attempt_.now();
  if (pid_ != 0) {
    if (until_ <= now) attempt_.env.signals.kill(pid_, SIGKILL);
    return;
  }
  if (!is_wanted() || attempt_.clock.stopped()) return;
  if (!began_) {
    began_ = attempt_.jobs_now();
    look_at_ = now + pause();
  } else if (look_at_ <= now) {
    look();
    look_at_ = now + pause();
  }
}

void RankWatch::look() {
  auto& env = attempt_.env;
  auto pipe = env.files.pipe();
  if (!pipe) return;
  auto root = env.children.self();  // the part is another
  UserPart part{attempt_.spec.account, "/", attempt_.spec.umask, {pipe->write.get()}};
  auto pid = env.children.fork_as_user(part, [&] {
    env.files.write(pipe->write, line_about(env.processes, root, attempt_.own));
    return 0;
  });
  if (!pid) return;
  pid_ = *pid;
  until_ = attempt_.now() + kLookPatience;
  line_ = std::move(pipe->read);
  attempt_.own.insert(pid_);
}

void RankWatch::on_exit(const Exit& exit) {
  if (pid_ == 0 || exit.pid != pid_) return;
  pid_ = 0;
  auto line = attempt_.env.files.read_waiting(line_);
  line_.reset();
  line = line.substr(0, std::min(line.find('\n'), kLongestLine));
  if (exit.status != 0 || line.empty()) return;
  attempt_.note = line;
  over_ = true;
}

void RankWatch::finish() {
  over_ = true;
  if (pid_ != 0) attempt_.env.signals.kill(pid_, SIGKILL);
}

}  // namespace wm::shepherd
