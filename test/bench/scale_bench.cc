// Role: a large cluster as the master's loop meets it, with the real core and simulated hosts:
// 5,000 hosts with 100,000 jobs that run, 200,000 that wait, of 1,000 users: `name value unit`.
// WM_SCALE=5 is a million jobs that wait.
//   scale_poll_longest_turn_ms    the loop's longest turn in ten seconds in which each user asks
//   for
//                                 the user's own jobs every 5 s and submits one
//   scale_poll_us                 what a worker spends on such an answer (median)
//   scale_poll_others_us          the same of `bjobs -u all -q`, which no index serves (median)
//   scale_window_longest_turn_ms  the longest turn while the run window of all that run closes
//   scale_window_closed_s         and after how long the last of them is stopped
#include <cstdlib>

#include "libwm/base/log.h"
#include "libwm/fsm/fsm.h"
#include "test/bench/master_rig.h"

namespace wm::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kHosts = 5000, kUsers = 1000, kRunning = kHosts * kSlots;
constexpr std::uint32_t kWaiting = 200000;

std::uint32_t waiting_jobs() {
  const char* scale = std::getenv("WM_SCALE");
  return kWaiting * std::max(1, scale ? std::atoi(scale) : 1);
}

std::string user_of(std::uint32_t n) { return "u" + std::to_string(n % kUsers); }

// Until the next full minute but one, when the window of queue "normal" closes.
Duration closes_after() { return seconds(120) - test::at(0).time_since_epoch() % seconds(60); }

Config config_of_all() {
  Config config = config_with(kHosts);
  auto now = week_minute(config.clock, test::at(0));
  auto closes = week_minute(config.clock, test::at(0) + closes_after());
  for (auto& queue : config.queues) queue.run_window = {{now, closes}};
  return config;
}

// A cluster in which so many jobs run and wait, as its events make it.
class Past {
 public:
  explicit Past(const Config& config) {
    step(ConfigLoaded{std::make_shared<const Config>(config)});
    for (std::uint32_t n = 1; n <= kHosts; ++n)
      step(HostRegistered{HostId{n}, name_of(n), "127.0.0.1", "boot", "LINUX", "x86", capacity()});
    for (std::uint32_t n = 0; n < kUsers; ++n)
      sealed_.push_back(test::SpecBuilder().user(user_of(n), 1000 + n).sealed());
    for (std::uint32_t n = 1; n <= kRunning; ++n) run(JobId{n, 0});
    for (std::uint32_t n = 1; n <= waiting_jobs(); ++n) submit(JobId{kRunning + n, 0});
  }
  Cluster state;

 private:
  void step(const EventBody& body) {
    fsm::apply(state, {Seq{state.seq.value + 1}, test::at(0), body});
  }
  void submit(JobId id) { step(JobSubmitted{id, sealed_[id.job % kUsers]}); }
  void run(JobId id) {
    submit(id);
    Task task{TaskNumber{1}, HostId{1 + id.job % kHosts}};
    step(JobDispatched{id, Attempt{1}, {task}, std::string(32, 'k')});
    step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 1000});
  }
  std::vector<std::shared_ptr<const SealedSpec>> sealed_;
};

void enrol_all(Rig& rig, const Cluster& state) {
  for (std::uint32_t n = 1; n <= kHosts; ++n) {
    std::vector<AttemptStatus> attempts;
    each_job_on(state, HostId{n}, [&](const Job& job) {
      attempts.push_back({job.id, job.attempt, {{TaskNumber{1}, 1000}}, ""});
    });
    rig.enrol(n, attempts, false);
  }
  rig.env.run(seconds(5));
  for (std::size_t n = 0; n < rig.peers.size(); ++n)
    rig.env.env(std::chrono::microseconds(200 * n), [&rig, n] { rig.beat(n); });
}

double longest_ms(Rig& rig) {
  auto turns = std::exchange(rig.env.turns_us, {});
  std::ranges::sort(turns);
  std::fprintf(stderr, "# %zu turns, 99.9 %%: %.4g ms, all: %.4g s\n", turns.size(),
               turns[turns.size() * 999 / 1000] / 1e3, sum(turns) / 1e6);
  return turns.back() / 1e3;
}

double median_us(Rig& rig) {
  auto times = std::exchange(rig.env.answers_us, {});
  if (times.empty()) return 0;
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void ask_as(Rig& rig, PeerId client, std::uint32_t user, Verb verb, std::string bytes,
            Duration delay) {
  Identity who{1000 + user, 1000 + user, user_of(user)};
  rig.env.arrive(delay, [&rig, client, who, verb, bytes = std::move(bytes)] {
    rig.core->clients().on_frame(client, {who, {}, {}}, static_cast<std::uint16_t>(verb), bytes);
  });
}

void polls(Rig& rig) {
  std::size_t answered = 0;
  PeerId client = rig.env.connect([&](std::uint16_t, const std::string&) { ++answered; });
  rig.env.turns_us.clear();
  rig.env.answers_us.clear();
  for (std::uint32_t n = 0; n < 2 * kUsers; ++n)
    ask_as(rig, client, n % kUsers, Verb::Jobs, codec::encode(JobsRequest{}), milliseconds(5 * n));
  for (std::uint32_t n = 0; n < kUsers; ++n) submit(rig, client, 10 * n);
  rig.env.run(rig.env.now() + seconds(12));
  std::fprintf(stderr, "# %zu answered\n", answered);
  print("scale_poll_longest_turn_ms", longest_ms(rig), "ms");
  print("scale_poll_us", median_us(rig), "us");
  JobsRequest all;
  all.jobs.user = "all", all.jobs.queue = "none";
  for (std::uint32_t n = 0; n < 9; ++n)
    ask_as(rig, client, n, Verb::Jobs, codec::encode(all), milliseconds(100 * n));
  rig.env.run(rig.env.now() + seconds(2));
  print("scale_poll_others_us", median_us(rig), "us");
}

std::size_t running(const Rig& rig) {
  std::size_t count = 0;
  each_job(rig.core->journal().newest(),
           [&](const Job& job) { count += job.state == JobState::Running; });
  return count;
}

void window(Rig& rig) {
  rig.env.run(closes_after() - milliseconds(500));
  rig.env.turns_us.clear();
  auto before = running(rig);
  auto end = rig.env.now() + seconds(60);
  while (running(rig) > 0 && rig.env.now() < end) rig.env.run(rig.env.now() + milliseconds(100));
  std::fprintf(stderr, "# ran before: %zu, after: %zu\n", before, running(rig));
  print("scale_window_longest_turn_ms", longest_ms(rig), "ms");
  print("scale_window_closed_s",
        static_cast<double>((rig.env.now() - closes_after()).count()) / 1e6, "s");
}

void whole() {
  auto config = config_of_all();
  Rig rig(config);
  {
    Past past(config);
    rig.env.loaded.snapshot = codec::encode(past.state);
    double start = timed_us([&] { rig.start(); });
    std::fprintf(stderr, "# start %.4g ms\n", start / 1e3);
    enrol_all(rig, past.state);
  }
  polls(rig);
  window(rig);
}

}  // namespace
}  // namespace wm::bench

int main() {
  wm::log::open("bench", "", wm::log::Level::Error);
  wm::bench::whole();
}
