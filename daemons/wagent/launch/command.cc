#include "daemons/wagent/launch/command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstdlib>

#include "libwm/proc/accounts.h"
#include "libwm/proc/spawn.h"
#include "libwm/proc/tree.h"

namespace wm::wagent {
namespace {

using std::chrono::milliseconds;

/// Output of a process that has ended is over when nothing came for so long: what it left
/// behind in the background may hold its pipes for ever.
constexpr milliseconds kQuiet{300};
constexpr std::chrono::seconds kHangUpGrace{2};

/// The agent's own variables, for a command beside no task.
std::vector<std::string> bare_environment() {
  auto entries = proc::environment_of(::getpid());
  std::erase_if(entries, [](const auto& entry) { return entry.starts_with("WM_AGENT_"); });
  return entries;
}

/// The variables of a running process of this user. @errors NotFound: not one of this job
Result<std::vector<std::string>> environment_of_process(std::int32_t pid,
                                                        const PartSettings& part) {
  if (pid == 0) return bare_environment();
  auto name = std::string(launch::kAttemptVariable);
  auto marker = name + "=" + proc::variable_of(pid, name);
  bool ours =
      pid > 0 && std::find(part.own_env.begin(), part.own_env.end(), marker) != part.own_env.end();
  if (!ours) return fail(Code::NotFound, "process " + std::to_string(pid) + " is not of this job");
  return proc::environment_of(pid);
}

std::string shell() {
  auto own = proc::account(::geteuid());
  return own && !own->shell.empty() ? own->shell : "/bin/sh";
}

/// As rsh: who has no such folder here starts at home, or at the root.
std::string usable_folder(const std::string& asked) {
  struct stat there {};
  const char* home = std::getenv("HOME");
  for (const std::string& folder : {asked, std::string(home != nullptr ? home : "")})
    if (!folder.empty() && ::stat(folder.c_str(), &there) == 0 && S_ISDIR(there.st_mode))
      return folder;
  return "/";
}

Result<proc::Console> console_for(const LaunchStart& what) {
  WM_TRY(auto console, proc::make_console(what.terminal, {what.rows, what.columns}));
  if (!what.no_input || what.terminal) return console;
  console.ours.in.reset();
  console.theirs.in.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return console;
}

void make_nonblocking(const proc::ConsoleEnds& ends) {
  for (const Fd* fd : {&ends.in, &ends.out, &ends.err})
    if (*fd) ::fcntl(fd->get(), F_SETFL, ::fcntl(fd->get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

Command::Command(boost::asio::io_context& loop, Handlers handlers)
    : loop_(loop), handlers_(std::move(handlers)), process_(loop), timer_(loop) {}

Command::~Command() {
  if (streams_) streams_->close();
}

Result<std::unique_ptr<Command>> Command::start(boost::asio::io_context& loop,
                                                const LaunchStart& what, const PartSettings& part,
                                                Handlers handlers) {
  auto callers = what.env;
  if (callers.empty()) {
    WM_TRY(callers, environment_of_process(what.pid, part));
  }
  auto env = environment_of(callers, part.own_env);
  auto argv = what.argv;
  if (argv.empty()) argv = {shell()};
  argv = placed_like_caller(std::move(argv), what.cwd, what.env, part);
  auto cwd = usable_folder(what.cwd);
  WM_TRY(auto console, console_for(what));
  make_nonblocking(console.ours);
  const launch::TaskSpec none;
  mode_t mask = ::umask(0);
  ::umask(mask);
  proc::Exec exec{part.account, argv,    env,          cwd, false, mask, part.caps,
                  none.cpus,    none.in, none.folders, -1,  -1,    {},   &console.theirs};
  WM_TRY(auto child, proc::spawn(exec));
  std::unique_ptr<Command> command(new Command(loop, std::move(handlers)));
  command->trouble_ = std::move(child.trouble);
  command->serve(std::move(console.ours));
  command->watch(child.pid);
  return command;
}

void Command::serve(proc::ConsoleEnds ends) {
  streams_ = std::make_shared<StreamSet>(loop_, std::move(ends));
  streams_->serve({[this](std::uint32_t stream, std::string bytes) {
                     spoke_ = true;
                     if (!silent_) handlers_.say(LaunchOutput{stream, std::move(bytes)});
                     else streams_->taken(bytes.size());
                   },
                   [this](std::uint64_t bytes) {
                     if (!silent_) handlers_.say(LaunchTaken{bytes});
                   },
                   [this] { finish(); }});
}

void Command::watch(pid_t pid) {
  pid_ = pid;
  handlers_.say(LaunchUp{pid});
  process_.assign(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  process_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [self = std::weak_ptr(self_)](const auto& error) {
                        if (auto at = self.lock(); at && !error) (*at)->on_exit();
                      });
}

void Command::on_exit() {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return;
  status_ = status;
  timer_.cancel();
  finish();
  if (!over_) wait_for_quiet();
}

void Command::wait_for_quiet() {
  spoke_ = false;
  timer_.expires_after(kQuiet);
  timer_.async_wait([self = std::weak_ptr(self_)](const auto& error) {
    if (auto at = self.lock(); at && !error) (*at)->on_quiet();
  });
}

void Command::on_quiet() {
  if (over_) return;
  if (spoke_ || (streams_->waits() && !silent_)) return wait_for_quiet();
  streams_->close();
  finish();
}

/// Called whenever the process or its output may have come to the end.
void Command::finish() {
  if (over_ || !status_ || !streams_->at_end()) return;
  over_ = true;
  timer_.cancel();
  LaunchEnded ended{*status_, false, proc::read_trouble(trouble_).text};
  if (!silent_) handlers_.say(ended);
  boost::asio::post(loop_, handlers_.on_over);
}

void Command::on(const ToLaunch& words) {
  if (auto* input = std::get_if<LaunchInput>(&words)) streams_->write(input->bytes);
  else if (auto* taken = std::get_if<LaunchTaken>(&words)) streams_->taken(taken->bytes);
  else if (auto* size = std::get_if<LaunchResize>(&words))
    streams_->resize({size->rows, size->columns});
  else if (auto* signal = std::get_if<LaunchSignal>(&words); signal != nullptr && !status_)
    ::kill(-pid_, signal->signal);
}

void Command::hang_up() {
  silent_ = true;
  streams_->taken(kLaunchWindow);
  if (status_) {
    streams_->close();
    return finish();
  }
  for (int signal : {SIGHUP, SIGTERM, SIGCONT}) ::kill(-pid_, signal);
  timer_.expires_after(kHangUpGrace);
  timer_.async_wait([self = std::weak_ptr(self_)](const auto& error) {
    if (auto at = self.lock(); at && !error && !(*at)->status_) (*at)->kill();
  });
}

void Command::kill() {
  if (status_) return;
  proc::kill_all([this] {
    auto pids = proc::descendants_of(pid_, {});
    pids.push_back(pid_);
    return pids;
  });
}

}  // namespace wm::wagent
