#include "test/unit/wshepherd/fake_env.h"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>

namespace wm::shepherd {
namespace {

/// A descriptor that can be closed and says nothing.
Fd nothing() { return Fd(::open("/dev/null", O_RDWR | O_CLOEXEC)); }

}  // namespace

pid_t FakeEnv::add(pid_t parent, pid_t session, const std::string& mark) {
  auto pid = ++next_;
  table[pid] = {parent, session != 0 ? session : pid, mark, {}};
  return pid;
}

void FakeEnv::exit(pid_t pid, int status, const wm::Usage& usage) {
  auto at = table.find(pid);
  if (at == table.end()) return;
  if (at->second.parent == kSelf) ended_.push_back({pid, status, usage});
  table.erase(at);
  for (auto& [other, process] : table)
    if (process.parent == pid) process.parent = kSelf;
  for (const auto& child : spawned)
    if (child.pid == pid)
      for (int fd : {child.out, child.err})
        if (fd >= 0 && waiting_[fd].first == Waiting::Nothing) waiting_[fd].first = Waiting::End;
}

void FakeEnv::set(int fd, Waiting waiting, const std::string& text) {
  waiting_[fd] = {waiting, text};
}

std::vector<pid_t> FakeEnv::descendants_of(pid_t root, const std::set<pid_t>& except) {
  std::vector<pid_t> found;
  for (auto child : children_of(root)) {
    if (except.contains(child)) continue;
    found.push_back(child);
    for (auto pid : descendants_of(child, except)) found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> FakeEnv::children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& [pid, process] : table)
    if (process.parent == parent) found.push_back(pid);
  return found;
}

std::optional<proc::ProcessStat> FakeEnv::stat(pid_t pid) {
  auto at = table.find(pid);
  if (at == table.end()) return std::nullopt;
  return proc::ProcessStat{pid, at->second.parent, at->second.session, at->second.session, 'S', 1};
}

bool FakeEnv::kill(pid_t pid, int signal) {
  auto target = pid < 0 ? -pid : pid;
  if (!lives(target)) return false;
  sent.emplace_back(pid, signal);
  if (signal == SIGKILL && !immortal.contains(target)) exit(target, SIGKILL);
  return true;
}

void FakeEnv::signal_tree(pid_t leader, int signal) { kill(leader, signal); }

void FakeEnv::signal_handlers_of(pid_t leader, int signal) {
  if (handles(leader, signal)) kill(leader, signal);
}

void FakeEnv::stop_all(const std::function<std::vector<pid_t>()>& list) {
  for (auto pid : list()) kill(pid, SIGSTOP);
}

void FakeEnv::kill_all(const std::function<std::vector<pid_t>()>& list) {
  for (auto pid : list()) kill(pid, SIGKILL);
}

int FakeEnv::read_end_of(int write) const {
  auto at = std::find_if(pipes_.rbegin(), pipes_.rend(),
                         [&](const auto& pipe) { return pipe.second == write; });
  return write < 0 || at == pipes_.rend() ? -1 : at->first;
}

Result<proc::Child> FakeEnv::spawn(const proc::Exec& exec) {
  if (no_process) return fail(Code::System, "fork: no process");
  std::string mark;
  for (const auto& entry : exec.env)
    if (entry.starts_with("WM_TASK=")) mark = entry.substr(8);
  auto pid = add(kSelf, 0, mark);
  spawned.push_back({pid, exec.argv, exec.env, exec.cgroups, exec.cwd, exec.account.uid, exec.umask,
                     exec.hold_term, read_end_of(exec.out), read_end_of(exec.err)});
  return proc::Child{pid, {}};
}

Result<pid_t> FakeEnv::fork_as_user(const UserPart&, const std::function<int()>& work) {
  if (no_process) return fail(Code::System, "fork: no process");
  if (run_parts) part_results.push_back(work());
  parts_forked.push_back(add(kSelf));
  return parts_forked.back();
}

std::optional<Exit> FakeEnv::reap() {
  if (ended_.empty()) return std::nullopt;
  auto exit = ended_.front();
  ended_.pop_front();
  return exit;
}

bool FakeEnv::childless() { return ended_.empty() && children_of(kSelf).empty(); }

std::string FakeEnv::make(const proc::CgroupCaps& wanted) {
  caps = wanted;
  return cgroup_trouble;
}

Result<void> FakeEnv::deny(const std::set<launch::CharDevice>& devices) {
  denied = devices;
  return {};
}

Result<Pipe> FakeEnv::pipe() {
  if (no_pipe) return fail(Code::System, "pipe: too many open files");
  Pipe made{nothing(), nothing()};
  pipes_.emplace_back(made.read.get(), made.write.get());
  waiting_[made.read.get()] = {Waiting::Nothing, std::exchange(next_pipe_, "")};
  return made;
}

void FakeEnv::make_folder(const std::string& path, const launch::Account&) {
  folders.push_back(path);
}

Result<void> FakeEnv::put_file(const std::string& folder, const launch::SmallFile& file,
                               const launch::Account&) {
  if (folder_full) return fail(Code::System, "write " + file.name + ": No space left on device");
  files[folder + "/" + file.name] = file;
  return {};
}

Fd FakeEnv::open_log(const std::string& path) {
  logs.push_back(path);
  return nothing();
}

void FakeEnv::remove_folder(const std::string& path, const launch::Account&) {
  removed.push_back(path);
}

Result<void> FakeEnv::append_exits(const std::vector<launch::ExitRecord>& ended) {
  if (disk_full) return fail(Code::System, "exits: no space left");
  records.insert(records.end(), ended.begin(), ended.end());
  return {};
}

std::optional<pid_t> FakeEnv::start(const launch::KeepWarm&, const launch::AttemptSpec&,
                                    const std::vector<std::string>&, int) {
  if (warm_fails) return std::nullopt;
  warm_fd = 3;
  return add(kSelf);
}

std::optional<pid_t> FakeEnv::fork_task(const launch::TaskSpec& task, const std::string&, int,
                                        int) {
  if (fork_fails) return std::nullopt;
  warm_forks.push_back(task);
  return add(kSelf, 0, std::to_string(task.task.value));
}

Place a_place() {
  Place place;
  place.run = "/run/wm";
  place.node = "n1";
  return place;
}

launch::AttemptSpec a_spec() {
  launch::AttemptSpec spec;
  spec.key = {JobId{7}, wm::Attempt{1}};
  spec.account = {1000, 100, {}};
  spec.cwd = "/home/u";
  spec.kill_interval = std::chrono::seconds(10);
  spec.kill_grace = std::chrono::seconds(60);
  return spec;
}

launch::TaskSpec a_task(std::uint32_t number) {
  launch::TaskSpec task;
  task.task = TaskNumber{number};
  task.argv = {"work"};
  task.env = {"WM_TASK=" + std::to_string(number)};
  launch::OutputFile file;
  file.path = "out." + std::to_string(number);
  task.out = {file};
  return task;
}

Task& BehaviourTest::running(std::uint32_t number) {
  auto& task = attempt_.tasks[TaskNumber{number}];
  task.spec = a_task(number);
  task.record.key = attempt_.spec.key;
  task.record.task = task.spec.task;
  task.pid = task.record.pid = env_.add(FakeEnv::kSelf, 0, std::to_string(number));
  return task;
}

Task& BehaviourTest::exited(std::uint32_t number, int status) {
  auto& task = running(number);
  env_.exit(task.pid, status);
  env_.reap();
  note_exit(task, status, {}, env_.wall(), {});
  task.seen = env_.now();
  return task;
}

void BehaviourTest::give_pipes(Task& task) {
  task.out = std::move(env_.pipe()->read);
  task.err = std::move(env_.pipe()->read);
}

}  // namespace wm::shepherd
