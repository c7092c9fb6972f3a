// Role: what an open array of 10,000 elements costs the master beside a plain one of as many, while
// they wait and when all have run: `name value unit`, once with plain_ and once with open_ before
// it.
//   …_array_10k_events_kb    bytes of its events in core.db
//   …_array_10k_data_kb      of what its elements were given, as blobs
//   …_array_10k_waits_kb     memory of the state while all wait
//   …_array_10k_over_kb      the same when all have run
//   …_array_10k_snapshot_kb  bytes of a snapshot then
//   …_array_10k_apply_ms     time to apply all of its events
#include <malloc.h>

#include <chrono>
#include <cstdio>

#include "libwm/codec/codec.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint32_t kElements = 10'000, kSlots = 100;

std::size_t memory() { return ::mallinfo2().uordblks; }

/// One array and what it costs; events are made beside it and counted as they are.
class Array {
 public:
  explicit Array(bool open) : name_(open ? "open" : "plain"), open_(open), state_(hosts()) {}

  void run() {
    before_ = memory();
    test::SpecBuilder spec;
    spec.array(1, kElements);
    if (open_) spec.open();
    apply(JobSubmitted{{1, 0}, spec.sealed()});
    for (std::uint32_t i = 1; open_ && i <= kElements; ++i) {
      apply(ElementGiven{{1, i}, std::string(32, static_cast<char>('a' + i % 26))});
      data_ += std::string(R"({"x":0.12345,"layers":3,"dropout":0.25})").size();
    }
    if (open_) apply(ArrayClosed{{1, 0}, "ann"});
    print("waits_kb", kb_since());
    for (std::uint32_t i = 1; i <= kElements; ++i) run_one(i);
    print("over_kb", kb_since());
    print("events_kb", static_cast<double>(events_) / 1e3);
    print("data_kb", static_cast<double>(data_) / 1e3);
    print("snapshot_kb", static_cast<double>(codec::encode(state_).size()) / 1e3);
    print("apply_ms", spent_ * 1e3);
  }

 private:
  static Cluster hosts() {
    test::ClusterBuilder builder;
    builder.host(kSlots);
    return std::move(builder.state);
  }
  void apply(EventBody body) {
    events_ += codec::encode(body).size();
    Event event{Seq{state_.seq.value + 1}, test::at(++seconds_), std::move(body)};
    auto began = Clock::now();
    fsm::apply(state_, event);
    spent_ += std::chrono::duration<double>(Clock::now() - began).count();
  }
  void run_one(std::uint32_t index) {
    JobId id{1, index};
    Task task;
    task.number = TaskNumber{1};
    task.host = HostId{1};
    apply(JobDispatched{id, Attempt{1}, {task}, std::string(32, 'k')});
    apply(TaskStarted{id, Attempt{1}, TaskNumber{1}, 4711});
    apply(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""});
  }
  double kb_since() const { return static_cast<double>(memory() - before_) / 1e3; }
  void print(const char* what, double value) const {
    std::printf("%s_array_10k_%s %.4g %s\n", name_, what, value,
                std::string(what).ends_with("ms") ? "ms" : "kB");
    std::fflush(stdout);
  }

  const char* name_;
  bool open_;
  Cluster state_;
  std::size_t before_ = 0, events_ = 0, data_ = 0;
  double seconds_ = 0, spent_ = 0;
};

}  // namespace
}  // namespace wm

int main() {
  for (bool open : {false, true}) wm::Array(open).run();
}
