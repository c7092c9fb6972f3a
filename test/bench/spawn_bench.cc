// Role: the host side's rate: real zygote, real shepherds, one `true` a job, four in flight; no
// master and no network. Prints "name value unit" lines.
#include <poll.h>

#include <cstdio>
#include <vector>

#include "test/support/zygote.h"

namespace wm::test {
namespace {

constexpr int kJobs = 1000;
constexpr std::size_t kInFlight = 4;

/// Starts jobs, a new one whenever one has ended. `command`: argv of each.
double jobs_per_second(const std::vector<std::string>& argv) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 1, "");
  spec.tasks[0].argv = argv;
  std::vector<Fd> open;
  int started = 0, ended = 0;
  auto begin = std::chrono::steady_clock::now();
  while (ended < kJobs) {
    while (open.size() < kInFlight && started < kJobs) {
      spec.key.job.job = static_cast<std::uint32_t>(++started);
      open.push_back(zygote.start(spec));
    }
    std::vector<pollfd> fds;
    for (const auto& fd : open) fds.push_back({fd.get(), POLLIN, 0});
    ::poll(fds.data(), fds.size(), 10000);
    for (std::size_t i = open.size(); i-- > 0;) {
      if (fds[i].revents == 0) continue;
      auto word = next_word(open[i]);
      if (word && !std::holds_alternative<launch::AttemptEnded>(*word)) continue;
      ++ended;
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return kJobs / took.count();
}

}  // namespace
}  // namespace wm::test

int main() {
  using wm::test::jobs_per_second;
  std::printf("node_jobs_per_s %.0f jobs/s\n", jobs_per_second({"/bin/true"}));
  std::printf("node_jobs_with_output_per_s %.0f jobs/s\n", jobs_per_second({"/bin/echo", "hello"}));
}
