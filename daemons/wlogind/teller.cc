#include "daemons/wlogind/teller.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libwm/base/log.h"
#include "libwm/client/door_record.h"
#include "libwm/login/login_words.h"

namespace wm::login {
namespace {

void tell_all(int fd, const ClusterConf& conf) {
  client::DoorRecord record(conf);
  DoorLine line;
  for (;;) {
    auto size = ::recv(fd, &line, sizeof line, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    if (size != static_cast<ssize_t>(sizeof line)) continue;
    DoorAct act;
    act.act = rest::take(line.act);
    act.user = rest::take(line.user);
    act.objects = {"from " + rest::take(line.address)};
    if (line.token[0] != '\0') act.objects.push_back("token " + rest::take(line.token));
    act.outcome = rest::take(line.outcome);
    record.add(std::move(act), line.repeated != 0);
  }
}

}  // namespace

Result<Teller> Teller::start(const ClusterConf& conf) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(Code::System, std::string("socketpair: ") + std::strerror(errno));
  pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    tell_all(ends[1], conf);
    ::_exit(0);
  }
  ::close(ends[1]);
  if (child > 0) return Teller(ends[0], child);
  ::close(ends[0]);
  return fail(Code::System, std::string("fork: ") + std::strerror(errno));
}

void Teller::tell(const DoorLine& line) const {
  if (::send(fd_, &line, sizeof line, MSG_DONTWAIT | MSG_NOSIGNAL) ==
      static_cast<ssize_t>(sizeof line))
    return;
  log::error("record_lost", {{"act", rest::take(line.act)}, {"user", rest::take(line.user)}});
}

}  // namespace wm::login
