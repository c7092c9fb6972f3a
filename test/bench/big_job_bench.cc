// Role: what one large job costs the master's loop, with the real core and simulated hosts that
// report every task in a frame of its own, 5,000 a second: `name value unit`.
//   big_job_10k_tasks_start_s    the loop's time from the submission of a job of 10,000 tasks on
//                                1,000 hosts until all of them run
//   big_job_10k_tasks_end_s      and from there until all of them have ended
//   big_job_agents_1000_hosts_s  the same of an elastic job's agents on 1,000 hosts, each of which
//                                says where it listens
//   big_job_agents_1000_hosts_mb what the hosts are sent meanwhile
#include "libwm/base/log.h"
#include "test/bench/master_rig.h"

namespace wm::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kHosts = 1000, kTasks = 10000;

void enrol_all(Rig& rig) {
  rig.start();
  for (std::uint32_t n = 1; n <= kHosts; ++n) rig.enrol(n, {}, true);
  rig.world.run(seconds(1));
  rig.world.turns_us.clear();
}

bool job_is(const Rig& rig, JobState state) {
  const Job* job = rig.core->journal().newest().jobs.find(1);
  return job && job->state == state;
}

// Until the job's state is that, at most a minute of virtual time. The loop's time in seconds.
double run_until(Rig& rig, JobState state) {
  auto end = rig.world.now() + seconds(60);
  while (rig.world.now() < end && !job_is(rig, state))
    rig.world.run(rig.world.now() + milliseconds(10));
  if (!job_is(rig, state)) std::fprintf(stderr, "# the job is not as it should be\n");
  auto turns = std::exchange(rig.world.turns_us, {});
  if (turns.empty()) return 0;
  std::fprintf(stderr, "# %zu turns, longest %.4g ms\n", turns.size(),
               *std::ranges::max_element(turns) / 1e3);
  return sum(turns) / 1e6;
}

void many_tasks() {
  Rig rig(config_with(kHosts));
  rig.apart = std::chrono::microseconds(200);
  enrol_all(rig);
  PeerId client = rig.world.connect([](std::uint16_t, const std::string&) {});
  submit(rig, client, 1, test::SpecBuilder().app("training").tasks(kTasks, kTasks));
  print("big_job_10k_tasks_start_s", run_until(rig, JobState::Running), "s");
  print("big_job_10k_tasks_end_s", run_until(rig, JobState::Finished), "s");
}

void many_agents() {
  Rig rig(config_with(kHosts));
  rig.ends = false;
  enrol_all(rig);
  PeerId client = rig.world.connect([](std::uint16_t, const std::string&) {});
  submit(rig, client, 1,
         test::SpecBuilder().app("training").elastic().tasks(kHosts * kSlots, kHosts * kSlots));
  run_until(rig, JobState::Running);
  rig.sent_bytes = 0;
  rig.world.turns_us.clear();
  for (std::uint32_t n = 1; n <= kHosts; ++n) {
    auto at = "127.0.0.1:" + std::to_string(20000 + n);
    rig.fact(rig.peers[n - 1],
             AgentReport{{1, 0}, Attempt{1}, HostId{n}, AgentUp{at, {"/run/" + at, at}}},
             std::chrono::microseconds(n * 1000));
  }
  rig.world.run(rig.world.now() + seconds(5));
  print("big_job_agents_1000_hosts_s", sum(rig.world.turns_us) / 1e6, "s");
  print("big_job_agents_1000_hosts_mb", static_cast<double>(rig.sent_bytes) / 1e6, "MB");
}

}  // namespace
}  // namespace wm::bench

int main() {
  wm::log::open("bench", "", wm::log::Level::Error);
  wm::bench::many_tasks();
  wm::bench::many_agents();
}
