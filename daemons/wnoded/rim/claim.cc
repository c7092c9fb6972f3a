#include "daemons/wnoded/rim/claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>

namespace wm::node {

Result<Fd> claim_folder(const std::string& folder, const std::string& cluster) {
  auto path = folder + "/cluster";
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return system_error("open " + path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("lock " + path);
    return fail(Code::Conflict, folder +
                                    " is in use by another wnoded; two on one machine need "
                                    "run_dir and state_dir of their own, or other names");
  }
  std::array<char, 512> bytes{};
  auto n = ::read(fd.get(), bytes.data(), bytes.size());
  if (n < 0) return system_error("read " + path);
  std::string named(bytes.data(), static_cast<std::size_t>(n));
  while (named.ends_with('\n')) named.pop_back();
  if (named.empty()) {
    WM_TRY(write_all(fd.get(), cluster + "\n", path));
  } else if (named != cluster) {
    return fail(Code::Conflict,
                folder + " belongs to cluster '" + named + "', and this is '" + cluster +
                    "': give it run_dir and state_dir of its own; where the cluster was "
                    "renamed, let its jobs end and remove " +
                    path);
  }
  return fd;
}

}  // namespace wm::node
