// Role: what one change costs a master that holds 100,000 jobs: an event applied and the state
// frozen for readers, and what the worker pays to encode the whole state. `name value unit`.
//   publish_100k_jobs_one_change_us   apply of one event and freeze (median over jobs drawn
//                                     without order, the last published state still read)
//   job_snapshot_100k_ms              the state as bytes, as the snapshot holds it (median)
//   job_snapshot_100k_mb              their size
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "libwm/codec/codec.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint32_t kJobs = 100'000, kChanges = 2001, kSnapshots = 5;
constexpr std::uint32_t kStride = 7919;  // a prime: consecutive changes hit different chunks

double us_since(Clock::time_point began) {
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

// Prints the median; on stderr, how far the middle half spreads.
void print(const char* name, std::vector<double> values, const char* unit) {
  std::sort(values.begin(), values.end());
  auto n = values.size();
  std::fprintf(stderr, "# %s: n=%zu quartiles %.3g..%.3g most %.3g\n", name, n, values[n / 4],
               values[n * 3 / 4], values.back());
  std::printf("%s %.4g %s\n", name, values[n / 2], unit);
  std::fflush(stdout);
}

Cluster pending_jobs() {
  test::ClusterBuilder builder;
  Cluster state = std::move(builder.state);
  for (std::uint32_t n = 1; n <= kJobs; ++n) {
    test::SpecBuilder spec;
    spec.user("user" + std::to_string(n % 37), 1000 + n % 37);
    fsm::apply(state, {Seq{n}, test::at(n * 1e-3), JobSubmitted{JobId{n, 0}, spec.sealed()}});
  }
  return state;
}

// One change a publication: a kill asked for, so that the job itself changes.
double publish_one(Cluster& state, std::uint32_t job, std::shared_ptr<const Cluster>& published) {
  Event event{Seq{state.seq.value + 1}, test::at(1000), KillRequested{JobId{job, 0}, {}}};
  auto began = Clock::now();
  fsm::apply(state, event);
  published = std::make_shared<const Cluster>(state.freeze());
  return us_since(began);
}

void run() {
  Cluster state = pending_jobs();
  auto published = std::make_shared<const Cluster>(state.freeze());
  std::vector<double> publishes, snapshots;
  for (std::uint32_t i = 0; i < kChanges; ++i)
    publishes.push_back(publish_one(state, 1 + i * kStride % kJobs, published));
  print("publish_100k_jobs_one_change_us", publishes, "us");
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < kSnapshots; ++i) {
    auto began = Clock::now();
    size = codec::encode(*published).size();
    snapshots.push_back(us_since(began) / 1e3);
  }
  print("job_snapshot_100k_ms", snapshots, "ms");
  std::printf("job_snapshot_100k_mb %.4g MB\n", static_cast<double>(size) / 1e6);
}

}  // namespace
}  // namespace wm

int main() { wm::run(); }
