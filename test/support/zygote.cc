#include "test/support/zygote.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "libwm/frames/blocking.h"
#include "libwm/proc/tree.h"
#include "test/support/folder.h"

namespace wm::test {
namespace {

namespace fs = std::filesystem;

std::string program() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "sbin/wshepherd";
}

[[noreturn]] void exec_zygote(const Zygote& z, int fd, const std::string& cgroup) {
  ::fcntl(fd, F_SETFD, 0);
  auto path = program(), number = std::to_string(fd);
  ::execl(path.c_str(), "wshepherd", "--zygote", number.c_str(), "--run", z.run.c_str(), "--exits",
          z.exits.c_str(), "--node", "test", cgroup.empty() ? nullptr : "--cgroup", cgroup.c_str(),
          nullptr);
  ::_exit(99);
}

// Attempts that lost their shepherd to a test leave groups below it; a process that was killed is
// in its group for a moment more.
bool is_removed(const fs::path& group) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(group, none))
    if (entry.is_directory(none)) (void)is_removed(entry.path());
  return ::rmdir(group.c_str()) == 0 || errno == ENOENT;
}

}  // namespace

bool eventually(const std::function<bool()>& done, Duration limit) {
  auto until = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

Zygote::Zygote(const std::string& cgroup) {
  folder = wm::test::made_folder();
  ::chmod(folder.c_str(), 0755);
  run = folder + "/run";
  exits = folder + "/exits";
  fs::create_directory(run);
  ::chmod(run.c_str(), 0711);
  auto pair = proc::socket_pair();
  socket_ = std::move(pair->first);
  pid_ = ::fork();
  if (pid_ == 0) exec_zygote(*this, pair->second.get(), cgroup);
}

Zygote::~Zygote() {
  lose();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(run, ignored)) {
    auto name = entry.path().stem().string();
    if (entry.path().extension() != ".sock") continue;
    auto shepherd = static_cast<pid_t>(std::stol(name.substr(name.rfind('.') + 1)));
    proc::kill_all([shepherd] {
      auto pids = proc::descendants_of(shepherd, {});
      if (proc::ProcessStat stat; proc::read_stat(shepherd, stat)) pids.push_back(shepherd);
      return pids;
    });
  }
  fs::remove_all(folder, ignored);
}

Fd Zygote::start(const launch::AttemptSpec& spec) { return fork_with(spec); }

Fd Zygote::fork_with(const launch::ShepherdOrder& order) {
  auto pair = proc::socket_pair();
  if (!proc::send_fd(socket_.get(), pair->second.get())) throw std::runtime_error("no zygote");
  if (!frames::write_frame(pair->first.get(), to_bytes(order))) throw std::runtime_error("no fork");
  return std::move(pair->first);
}

void Zygote::lose() {
  socket_.reset();
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

std::string Zygote::read(const std::string& name) const {
  std::ifstream file(folder + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

launch::AttemptSpec shell_attempt(const Zygote& zygote, std::uint32_t job,
                                  const std::string& command) {
  launch::AttemptSpec spec;
  spec.cluster = "test";
  spec.key = {{job, 0}, {1}};
  spec.account = {::geteuid(), ::getegid(), {}};
  spec.cwd = zygote.folder;
  spec.kill_interval = std::chrono::milliseconds(100);
  spec.kill_grace = std::chrono::seconds(5);
  launch::TaskSpec task;
  task.task = {1};
  task.argv = {"/bin/sh", "-c", command};
  task.env = {"PATH=/usr/bin:/bin", "WM_TASK=1",
              std::string(launch::kAttemptVariable) + "=" +
                  launch::attempt_marker("test", "test", spec.key)};
  task.out = {{.path = zygote.folder + "/out", .name = {}}};
  task.err = {{.path = zygote.folder + "/err", .name = {}}};
  spec.tasks = {task};
  return spec;
}

std::optional<launch::ShepherdWord> next_word(const Fd& fd) {
  pollfd wait{fd.get(), POLLIN, 0};
  if (::poll(&wait, 1, std::chrono::milliseconds(kComes).count()) != 1) return std::nullopt;
  auto bytes = frames::read_frame(fd.get());
  if (!bytes || !*bytes) return std::nullopt;
  auto word = launch::word_from_bytes(**bytes);
  return word ? std::optional(*word) : std::nullopt;
}

void tell(const Fd& fd, const launch::ShepherdOrder& order) {
  if (!frames::write_frame(fd.get(), to_bytes(order))) throw std::runtime_error("shepherd is gone");
}

CgroupsForTests::CgroupsForTests() {
  const char* named = ::getenv("WM_TEST_CGROUP");
  const char* tag = ::getenv("WM_TEST_TAG");  // names the owner, when they are left behind
  auto own = "wm-test-" + std::string(tag ? tag : "") + "-" + std::to_string(::getpid());
  roots = proc::usable_cgroups(named ? named : own);
  if (!named) made_ = roots;
}

bool CgroupsForTests::has(const std::string& controller) const {
  if (roots.contains(controller)) return true;
  auto unified = roots.find(proc::kUnified);
  if (unified == roots.end()) return false;
  std::ifstream enabled(unified->second + "/cgroup.subtree_control");
  for (std::string name; enabled >> name;)
    if (name == controller) return true;
  return false;
}

CgroupsForTests::~CgroupsForTests() {
  for (const auto& [controller, folder] : made_)
    (void)eventually([&] { return is_removed(folder); });
}

std::vector<pid_t> pids_of(std::uint32_t job) {
  return proc::marked(launch::attempt_marker("test", "test", {{job, 0}, {1}}), {});
}

}  // namespace wm::test
