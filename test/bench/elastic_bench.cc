// Latency of membership changes with real agents on two hosts and fake workers: what the agents
// add to a resize, without PyTorch. Prints `name value unit` lines.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "test/support/elastic_rig.h"

namespace {

using Tasks = std::vector<std::uint32_t>;
using wm::test::ElasticRig;
constexpr int kRounds = 50;

double now_ms() {
  auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(t).count();
}

void print(const char* name, std::vector<double> values) {
  std::ranges::sort(values);
  std::printf("%s %.2f ms\n", name, values[values.size() / 2]);
}

/// Time until every member of the epoch after `before` has switched.
double until_formed(ElasticRig& rig, wm::EpochNumber before, std::size_t world) {
  double start = now_ms();
  rig.run_until(
      [&] { return rig.formed().epoch > before && rig.formed().members.size() == world; });
  return now_ms() - start;
}

}  // namespace

int main() {
  ElasticRig rig(2);
  rig.run_until([&] { return rig.agents_up(); });
  rig.order(1, 1, {1});
  rig.start_worker(1);
  rig.run_until([&] { return rig.formed().members.size() == 1; });
  std::vector<double> grow, shrink, kill;
  std::uint32_t next = 2;
  for (int i = 0; i < kRounds; ++i) {
    std::uint32_t task = next;
    next += 2;  // always on host 2
    auto before = rig.formed().epoch;
    rig.order(1, 1, {1, task});
    rig.start_worker(task);
    grow.push_back(until_formed(rig, before, 2));
    before = rig.formed().epoch;
    if (i % 2 == 0) {
      rig.order(1, 1, {1, task}, {task});
      shrink.push_back(until_formed(rig, before, 1));
    } else {
      rig.kill_worker(task);
      kill.push_back(until_formed(rig, before, 1));
    }
  }
  print("elastic_agents_grow_ms", grow);
  print("elastic_agents_shrink_ms", shrink);
  print("elastic_agents_kill_ms", kill);
  return 0;
}
