#include "daemons/wshepherd/user/mail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "libwm/proc/output_file.h"

namespace wm::shepherd {
namespace {

constexpr std::size_t kMostOfFile = 1 << 20;
constexpr unsigned kReadersPatience_s = 5;  // of a FIFO

bool write_file(int to, const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::array<char, 65536> part{};
  std::size_t left = kMostOfFile;
  while (fd && left > 0) {
    auto n = ::read(fd.get(), part.data(), std::min(part.size(), left));
    if (n <= 0) return true;
    if (!write_all(to, {part.data(), static_cast<std::size_t>(n)}, "mail")) return false;
    left -= static_cast<std::size_t>(n);
  }
  return !fd || write_all(to, "\n(what follows is left out)\n", "mail").has_value();
}

[[noreturn]] void become_sendmail(const std::string& program, int in) {
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(in, 0);
  ::dup2(null, 1);
  ::dup2(null, 2);
  ::execl(program.c_str(), program.c_str(), "-oi", "-t", nullptr);
  ::_exit(127);
}

}  // namespace

int send_mail(const std::string& program, const std::string& text,
              const std::vector<std::string>& files) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  Fd out(ends[0]), in(ends[1]);
  auto pid = ::fork();
  if (pid < 0) return errno;
  if (pid == 0) become_sendmail(program, out.get());
  out.reset();
  bool written = write_all(in.get(), text, "mail").has_value();
  for (const auto& file : files) written = written && write_file(in.get(), file);
  in.reset();
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && status == 0 && written ? 0 : EIO;
}

int send_mail_within(std::chrono::seconds limit, const std::string& program,
                     const std::string& text) {
  ::alarm(static_cast<unsigned>(limit.count()));
  return send_mail(program, text, {});
}

int write_report(const launch::OutputFile& file, bool first_bytes, const std::string& text) {
  struct stat there {};
  bool fifo = ::stat(proc::resolved_path(file).c_str(), &there) == 0 && S_ISFIFO(there.st_mode);
  if (fifo) ::alarm(kReadersPatience_s);  // whom it would wait for may never come
  auto fd = proc::open_output(file, first_bytes);
  if (!fd) return errno != 0 ? errno : EACCES;
  if (!write_all(fd->get(), text, "report")) return errno != 0 ? errno : EIO;
  return ::close(fd->release()) == 0 || errno == EINTR ? 0 : errno;
}

}  // namespace wm::shepherd
