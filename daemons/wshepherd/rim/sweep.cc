#include "daemons/wshepherd/rim/sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "daemons/wshepherd/kill_pace.h"
#include "daemons/wshepherd/rim/title.h"
#include "daemons/wshepherd/task.h"
#include "libwm/base/clock.h"
#include "libwm/frames/blocking.h"
#include "libwm/proc/cgroup.h"
#include "libwm/proc/exit_log.h"
#include "libwm/proc/output_file.h"
#include "libwm/proc/spawn.h"
#include "libwm/proc/tree.h"

namespace wm::shepherd {
namespace {

namespace fs = std::filesystem;

/// Sockets that shepherds of this attempt left behind.
std::vector<fs::path> sockets_of(const Place& place, const launch::AttemptKey& key) {
  auto prefix = to_string(key) + ".";
  std::vector<fs::path> sockets;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(place.run, ignored)) {
    auto name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".sock")) sockets.push_back(entry.path());
  }
  return sockets;
}

/// "12-0.1.4711.sock" → 4711.
std::int32_t shepherd_of(const fs::path& socket) {
  auto name = socket.stem().string();
  return std::atoi(name.substr(name.rfind('.') + 1).c_str());
}

/// remove_all follows no links; the folder's owner is gone, nobody races with us.
void remove_folder(const Place& place, const launch::AttemptKey& key) {
  std::error_code ignored;
  fs::remove_all(attempt_folder(place, key), ignored);
}

/// Ends that its shepherds wrote down, though nobody may have heard them; the attempt's own last,
/// if the shepherd that left a socket wrote one: an earlier shepherd's says nothing of what it did.
std::vector<launch::ExitRecord> written_ends(const Place& place, const launch::AttemptKey& key,
                                             const std::vector<fs::path>& sockets) {
  std::vector<launch::ExitRecord> ends;
  if (auto read = proc::read_exits(place.exits)) ends = *std::move(read);
  std::erase_if(ends, [&](const auto& end) { return end.key != key; });
  auto is_task = [](const auto& end) { return end.task != TaskNumber{}; };
  auto whole = std::stable_partition(ends.begin(), ends.end(), is_task);
  if (whole == ends.end()) return ends;
  auto last = ends.back();
  ends.erase(whole, ends.end());
  bool its_own = std::any_of(sockets.begin(), sockets.end(),
                             [&](const auto& socket) { return shepherd_of(socket) == last.pid; });
  if (sockets.empty() || its_own) ends.push_back(last);
  return ends;
}

launch::ExitRecord lost_end(const launch::AttemptKey& key, const std::vector<fs::path>& sockets) {
  launch::ExitRecord end;
  end.key = key;
  end.pid = sockets.empty() ? 0 : shepherd_of(sockets.back());
  end.cause = launch::EndCause::ShepherdLost;
  end.text = "its shepherd was killed; what was left has been ended";
  end.started = end.ended = wall_now();
  return end;
}

/// The attempt's groups. Those named without the cluster, as before an upgrade, may hold another
/// cluster's job of the same number, too: who says so there is left alone, and then everybody who
/// says nothing.
class Groups {
 public:
  Groups(const Place& place, const launch::Sweep& sweep)
      : marker_(launch::attempt_marker(sweep.cluster, place.node, sweep.key)),
        own_(proc::Cgroup::find(place.cgroups, cgroup_name(sweep.cluster, place, sweep.key))),
        old_(proc::Cgroup::find(place.cgroups, old_cgroup_name(place, sweep.key))) {
    own_.freeze(false);  // what is stopped does not die
    if (!old_is_shared()) old_.freeze(false);
  }
  /// Every process of the attempt in them.
  std::vector<int> pids() const {
    auto pids = own_.pids();
    bool shared = old_is_shared();
    for (int pid : old_.pids()) {
      auto marker = proc::variable_of(pid, launch::kAttemptVariable);
      if (marker == marker_ || (marker.empty() && !shared)) pids.push_back(pid);
    }
    return pids;
  }
  void remove() const {
    own_.remove();
    old_.remove();  // nothing happens while somebody is in there
  }

 private:
  bool old_is_shared() const {
    auto pids = old_.pids();
    return std::any_of(pids.begin(), pids.end(), [&](int pid) {
      auto marker = proc::variable_of(pid, launch::kAttemptVariable);
      return !marker.empty() && marker != marker_;
    });
  }
  std::string marker_;
  proc::Cgroup own_, old_;
};

void tell(int connection, const launch::ShepherdWord& word) {
  (void)frames::write_frame(connection, to_bytes(word));
}

/// Writes the end down, waiting as long as the disk is full. False: wnoded is gone; the next one
/// finds the sockets and sweeps.
bool record(const Place& place, const launch::ExitRecord& end, int connection) {
  constexpr int kPauseMs = 1000;
  bool said = false;
  while (true) {
    auto written = proc::append_exits(place.exits, {end});
    if (written) return true;
    if (!std::exchange(said, true))
      std::fprintf(stderr, "wshepherd sweep %s: exit record kept in memory: %s\n",
                   to_string(end.key).c_str(), written.error().text.c_str());
    pollfd peer{connection, 0, 0};  // its closing only
    if (::poll(&peer, 1, kPauseMs) > 0) return false;
  }
}

launch::FileRead read_part(const launch::ReadFile& order) {
  launch::FileRead result;
  auto path = proc::resolved_path(order.file);
  Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat file {};
  if (!fd || ::fstat(fd.get(), &file) != 0) {
    if (errno != ENOENT) result.trouble = system_error("read " + path).text;
    return result;  // no byte was written yet
  }
  result.size = static_cast<std::uint64_t>(file.st_size);
  auto from = order.offset >= 0 ? order.offset : std::max<off_t>(file.st_size + order.offset, 0);
  result.bytes.resize(order.limit_bytes);
  auto n = ::pread(fd.get(), result.bytes.data(), result.bytes.size(), from);
  result.bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return result;
}

/// Sessions of those that nobody else has the number of by now. That of a leader which is gone is
/// free for nobody while one of its session lives.
std::vector<std::int32_t> still_there(const std::vector<launch::RunningProcess>& tasks) {
  std::vector<std::int32_t> pids;
  for (const auto& task : tasks) {
    proc::ProcessStat stat;
    bool another = proc::read_stat(task.pid, stat) && stat.start != task.start;
    if (!another) pids.push_back(task.pid);
  }
  return pids;
}

}  // namespace

void run_sweep(const Place& place, const launch::Sweep& sweep, int connection) {
  set_title(place, "wshepherd sweep " + to_string(sweep.key) + " " + place.node);
  auto marker = launch::attempt_marker(sweep.cluster, place.node, sweep.key);
  Groups groups(place, sweep);
  auto list = [&] {
    auto pids = proc::marked(marker, still_there(sweep.tasks));
    for (int pid : groups.pids()) pids.push_back(pid);
    return pids;
  };
  bool told = false;
  KillPace pace;
  auto began = steady_now();
  for (auto left = list(); !left.empty(); left = list()) {
    if (pace.is_due(left, steady_now())) proc::kill_all(list);
    auto pause = std::chrono::ceil<std::chrono::milliseconds>(pace.next() - steady_now()).count();
    ::poll(nullptr, 0, static_cast<int>(std::max<std::int64_t>(pause, 0)));
    bool late = steady_now() - began > sweep.kill_grace;
    if (late && !told) tell(connection, launch::AttemptStuck{left});
    told = told || late;
  }
  groups.remove();
  auto sockets = sockets_of(place, sweep.key);
  auto ends = written_ends(place, sweep.key, sockets);
  if (ends.empty() || ends.back().task != TaskNumber{}) {
    ends.push_back(lost_end(sweep.key, sockets));
    if (!record(place, ends.back(), connection)) return;
  }
  for (const auto& socket : sockets) ::unlink(socket.c_str());
  remove_folder(place, sweep.key);
  for (const auto& end : ends) {
    if (end.task != TaskNumber{}) tell(connection, launch::TaskEnded{end});
    else tell(connection, launch::AttemptEnded{end});
  }
}

void run_reader(const launch::ReadFile& order, int connection) {
  proc::close_all_but({connection});
  launch::FileRead result;
  if (auto became = proc::become(order.account); !became) {
    result.trouble = became.error().text;
  } else {
    if (order.cwd.empty() || ::chdir(order.cwd.c_str()) != 0) (void)!::chdir("/");
    result = read_part(order);
  }
  tell(connection, result);
}

}  // namespace wm::shepherd
