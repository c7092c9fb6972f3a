#include "commands/report/place.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "libwm/base/backoff.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/local_time.h"

namespace wm::cmd {
namespace {

constexpr std::int64_t kStep = 6 * 3600, kFirst = 946684800;  // 2000-01-01

int system_offset(std::int64_t s) {
  return static_cast<int>(local_parts(WallTime(std::chrono::seconds(s))).tm_gmtoff);
}

std::string zone_folder() {
  const char* dir = std::getenv("TZDIR");
  return dir && *dir ? dir : "/usr/share/zoneinfo";
}

std::string machine_zone() {
  std::error_code none;
  auto link = std::filesystem::read_symlink("/etc/localtime", none).string();
  if (auto at = link.find("zoneinfo/"); at != link.npos) return link.substr(at + 9);
  std::ifstream file("/etc/timezone");
  std::string name;
  return std::getline(file, name) && !name.empty() ? name : "UTC";
}

Error failure(const std::string& what) {
  return fail(Code::System, what + ": " + std::strerror(errno));
}

}  // namespace

Result<report::Zone> zone_named(const std::string& asked, std::int64_t now) {
  auto name = asked.empty() ? machine_zone() : asked;
  bool inside = name[0] != '/' && name.find("..") == name.npos;
  std::error_code none;
  if (!inside || !std::filesystem::is_regular_file(zone_folder() + "/" + name, none))
    return fail(Code::BadArgument,
                "no time zone '" + name + "' in " + zone_folder() + " (such as Europe/Berlin)");
  ::setenv("TZ", (":" + name).c_str(), 1);
  ::tzset();
  report::Zone zone{name, {{kFirst, system_offset(kFirst)}}};
  for (auto s = kFirst; s < now + 2 * 366 * 86400; s += kStep) {
    if (system_offset(s + kStep) == zone.steps.back().second) continue;
    auto low = s, high = s + kStep;
    while (high - low > 1) {
      auto middle = low + (high - low) / 2;
      (system_offset(middle) == zone.steps.back().second ? low : high) = middle;
    }
    zone.steps.emplace_back(high, system_offset(high));
  }
  return zone;
}

Result<std::unique_ptr<Lock>> Lock::take(const std::string& path, Duration patience) {
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (fd < 0) return failure(path);
  std::unique_ptr<Lock> lock(new Lock(fd));
  auto until = steady_now() + patience;
  Backoff tries(std::chrono::milliseconds(50), std::chrono::seconds(1), random_number());
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return failure(path);
    if (steady_now() >= until) {
      char who[64] = {};
      auto n = ::pread(fd, who, sizeof who - 1, 0);
      return fail(Code::Conflict, "another wmreport (" +
                                      std::string(who, n > 0 ? static_cast<std::size_t>(n) : 0) +
                                      ") is at work");
    }
    tries.sleep();
  }
  auto text = "pid " + std::to_string(::getpid()) + local_text(wall_now(), " since %H:%M");
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return failure(path);
  return lock;
}

Lock::~Lock() { ::close(fd_); }

Result<void> write_file(const std::string& path, const std::string& text, unsigned mode) {
  std::error_code bad;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), bad);
  if (bad) return fail(Code::System, path + ": no folder for it: " + bad.message());
  auto made = path + ".new." + std::to_string(::getpid());
  int fd = ::open(made.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd < 0) return failure(made);
  std::size_t at = 0;
  bool good = ::fchmod(fd, mode) == 0;
  while (good && at < text.size()) {
    auto n = ::write(fd, text.data() + at, text.size() - at);
    good = n > 0 || (n < 0 && errno == EINTR);
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  good = good && ::fsync(fd) == 0;
  auto why = errno;
  ::close(fd);
  if (good && ::rename(made.c_str(), path.c_str()) == 0) return {};
  if (good) why = errno;
  ::unlink(made.c_str());
  errno = why;
  return failure(path);
}

}  // namespace wm::cmd
