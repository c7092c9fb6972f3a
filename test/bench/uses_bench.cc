// Role: what the use of running tasks costs a master: 1,000 hosts of 100 attempts each tell theirs
// every 30 s, one frame a host. `name value unit`. Without the wire, of which wire_bench tells.
//   uses_round_1000_hosts_ms    processor time to read all frames, keep them and publish after each
//   (median) uses_core_percent           of one core, at one round in 30 s uses_frame_bytes of one
//   host
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "daemons/wmasterd/hosts/host_readings.h"
#include "libwm/codec/codec.h"

namespace wm {
namespace {

constexpr std::uint32_t kHosts = 1000, kAttempts = 100, kRounds = 21;
constexpr double kInterval = 30;

double cpu_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// What host `n` says of its attempts in a round.
std::string frame_of(std::uint32_t n, std::uint32_t round) {
  HostUses uses;
  for (std::uint32_t i = 0; i < kAttempts; ++i) {
    AttemptUse use;
    use.job = JobId{n * kAttempts + i + 1, 0};
    use.attempt = Attempt{1};
    use.mem = Bytes{(std::int64_t{80} << 20) + round * 4096};
    use.cpu = std::chrono::milliseconds(29'500) * (round + 1);
    use.pids = {static_cast<std::int32_t>(1000 + i), static_cast<std::int32_t>(5000 + i)};
    uses.attempts.push_back(std::move(use));
  }
  return codec::encode(uses);
}

double round_ms(master::HostReadings& readings, const std::vector<std::string>& frames) {
  auto began = cpu_ms();
  for (std::uint32_t n = 0; n < kHosts; ++n) {
    auto words = codec::decode<HostUses>(frames[n]);
    if (!words) continue;
    readings.of(HostId{n + 1}).uses = std::make_shared<const HostUses>(std::move(*words));
    auto published = readings.freeze();
  }
  return cpu_ms() - began;
}

void run() {
  master::HostReadings readings;
  std::vector<double> rounds;
  std::size_t bytes = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    std::vector<std::string> frames;
    for (std::uint32_t n = 0; n < kHosts; ++n) frames.push_back(frame_of(n, round));
    bytes = frames.front().size();
    rounds.push_back(round_ms(readings, frames));
  }
  std::sort(rounds.begin(), rounds.end());
  auto median = rounds[kRounds / 2];
  std::fprintf(stderr, "# uses_round_1000_hosts_ms: n=%u quartiles %.3g..%.3g most %.3g\n", kRounds,
               rounds[kRounds / 4], rounds[kRounds * 3 / 4], rounds.back());
  std::printf(
      "uses_round_1000_hosts_ms %.4g ms\nuses_core_percent %.3g %%\nuses_frame_bytes %zu bytes\n",
      median, median / (kInterval * 1e3) * 100, bytes);
}

}  // namespace
}  // namespace wm

int main() { wm::run(); }
