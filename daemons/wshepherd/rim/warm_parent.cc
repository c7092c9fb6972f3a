#include "daemons/wshepherd/rim/warm_parent.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "libwm/launch/warm.h"
#include "libwm/proc/spawn.h"
#include "libwm/proc/tree.h"

namespace wm::shepherd {
namespace {

/// A fork takes 10 ms; on a machine that does not get to it in this time a cold start is better.
constexpr auto kForkLimit = std::chrono::seconds(1);
/// Room behind the variables, so that a fork's own fit where /proc shows them.
constexpr std::size_t kSpareEnvironment = 2048;

void limit_sending(int fd) {
  timeval limit{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

/// Texts, each ended by a zero byte, behind their count.
void add_list(std::string& text, const std::vector<std::string>& list) {
  text += std::to_string(list.size()) + '\0';
  for (const auto& entry : list) text += entry + '\0';
}

template <class Number>
std::vector<std::string> texts_of(const std::vector<Number>& numbers) {
  std::vector<std::string> texts;
  for (auto number : numbers) texts.push_back(std::to_string(number));
  return texts;
}

// The memory policy by the kernel's own number: Python has no call for it.
std::string request_of(const launch::TaskSpec& task, const std::string& cwd) {
  std::string text;
  add_list(text, {cwd, task.in, std::to_string(SYS_set_mempolicy)});
  add_list(text, texts_of(task.cpus));
  add_list(text, texts_of(proc::memory_policies(task.memory)));
  add_list(text, texts_of(task.memory.nodes));
  add_list(text, task.folders);
  add_list(text, task.env);
  return text;
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    auto n = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// The length of what follows, with three descriptors beside it.
bool send_head(int to, std::uint32_t size, const std::array<int, 3>& fds) {
  iovec part{&size, sizeof(size)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(fds))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(fds));
  std::memcpy(CMSG_DATA(head), fds.data(), sizeof(fds));
  return ::sendmsg(to, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(size));
}

/// Who sent the byte that is to come, as the kernel knows it. 0: nobody in time.
pid_t sender(int from) {
  pollfd ready{from, POLLIN, 0};
  auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(kForkLimit).count();
  if (::poll(&ready, 1, static_cast<int>(limit)) != 1) return 0;
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  if (::recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1) return 0;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_type != SCM_CREDENTIALS) return 0;
  ucred who{};
  std::memcpy(&who, CMSG_DATA(head), sizeof(who));
  return who.pid;
}

bool is_own_child(pid_t pid) {
  proc::ProcessStat stat;
  return pid > 1 && proc::read_stat(pid, stat) && stat.parent == ::getpid();
}

}  // namespace

std::optional<pid_t> RealWarmParent::start(const launch::KeepWarm& order,
                                           const launch::AttemptSpec& spec,
                                           const std::vector<std::string>& cgroups, int log) {
  auto pair = proc::socket_pair();
  if (!pair) return std::nullopt;
  auto env = order.env;
  int theirs = pair->second.get();
  env.push_back(std::string(launch::kWarmVariable) + "=" + std::to_string(theirs) + ":" +
                std::string(kSpareEnvironment, ' '));
  const launch::TaskSpec none;
  proc::Exec exec{.account = spec.account,
                  .argv = order.argv,
                  .env = env,
                  .cwd = spec.cwd,
                  .make_cwd = spec.make_cwd,
                  .umask = spec.umask,
                  .caps = spec.caps,
                  .cpus = none.cpus,
                  .in = none.in,
                  .folders = none.folders,
                  .out = log,
                  .err = log,
                  .cgroups = cgroups,
                  .keep = theirs};
  auto child = proc::spawn(exec);
  if (!child) return std::nullopt;
  link_ = std::move(pair->first);
  limit_sending(link_.get());
  return child->pid;
}

WarmParent::Heard RealWarmParent::hear() {
  char byte = 0;
  auto n = ::recv(link_.get(), &byte, 1, MSG_DONTWAIT);
  if (n == 1) return Heard::Ready;
  return n == 0 ? Heard::Gone : Heard::Nothing;
}

bool RealWarmParent::ask(const launch::TaskSpec& task, const std::string& cwd, int out, int err,
                         int socket) {
  auto text = request_of(task, cwd);
  return send_head(link_.get(), static_cast<std::uint32_t>(text.size()), {out, err, socket}) &&
         send_all(link_.get(), text);
}

std::optional<pid_t> RealWarmParent::fork_task(const launch::TaskSpec& task, const std::string& cwd,
                                               int out, int err) {
  auto pair = proc::socket_pair();
  if (!pair) return std::nullopt;
  int yes = 1;
  ::setsockopt(pair->first.get(), SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));
  bool asked = ask(task, cwd, out, err, pair->second.get());
  pair->second.reset();
  auto pid = asked ? sender(pair->first.get()) : 0;
  if (is_own_child(pid) && send_all(pair->first.get(), "g")) return pid;
  return std::nullopt;  // a fork that comes later finds its socket closed, and ends
}

}  // namespace wm::shepherd
