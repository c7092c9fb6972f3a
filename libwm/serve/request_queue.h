// Role: the router of one service as a pure state machine: requests, kernels and answers go in,
// what is to be sent comes out. No sockets, no clock.
//
//   request ─► queue ─► batch at the least loaded kernel ─► answer
//                ▲              │ kernel lost, first time
//                └──────────────┘                            second time: 503
//
// Tasks of one group, of streams, go to one kernel for as long as it is there and stays.
//
// Invariants: each task is answered exactly once, whatever kernels do; a task is at one kernel at
// most; a kernel has at most pipe x parallel batches.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "libwm/serve/frames.h"
#include "libwm/serve/profile.h"
#include "libwm/serve/scale.h"

namespace wm::serve {

/// Give a kernel this to do.
struct Hand {
  std::uint64_t kernel = 0;
  Batch batch;
};
/// Tell a client.
struct Reply {
  std::uint64_t task = 0;
  int status = 200;
  std::string body;
  int retry_after = 0;            ///< @units s; 0: not said
  TimePoint arrived{}, handed{};  ///< when it came, and went to the kernel; the epoch: it did not
};
/// Cut this kernel off: it does not answer, or answers what it was not asked.
struct Expel {
  std::uint64_t kernel = 0;
  std::string why;
};
/// What its owner has to do, in order.
using QueueAction = std::variant<Hand, Reply, Expel>;
using QueueActions = std::vector<QueueAction>;

/// What may wait at a time; what comes beyond is told to come again.
struct QueueLimits {
  std::size_t tasks = 10000;
  std::size_t bytes = 256 << 20;
};

/// What it has counted since it began.
struct QueueCounts {
  std::uint64_t arrived = 0, finished = 0, failed = 0;  ///< failed: answered other than 200
  std::uint64_t bytes = 0;                              ///< in and out
};

/// One kernel as others may see it.
struct KernelView {
  std::uint64_t id = 0;
  std::string instance, host;
  std::size_t running = 0;
  std::uint64_t finished = 0, failed = 0;
  bool leaving = false;
};

/// @thread one at a time
class RequestQueue {
 public:
  RequestQueue(std::string model, const Profile& profile, QueueLimits limits = {});

  /// A request; `task` is the caller's number for it and never used again; `group`: 0 for none.
  /// @cost O(kernels), and O(groups) for the first of a group
  QueueActions request(std::uint64_t task, std::string body, TimePoint now,
                       std::uint64_t group = 0);
  /// Nothing more is taken from now on, or something again: what is there is worked on. @cost O(1)
  void close(bool closed) { closed_ = closed; }
  /// It goes to no kernel: nobody waits for it any more, or it is to come again (503), to another
  /// router. @cost O(1)
  QueueActions forget(std::uint64_t task, int status = 499);

  /// A kernel is there; `kernel` as above.
  QueueActions joined(std::uint64_t kernel, const KernelHello& hello, TimePoint now);
  /// It takes nothing more, and answers what it has.
  void leaving(std::uint64_t kernel);
  /// Its connection has ended.
  QueueActions lost(std::uint64_t kernel, TimePoint now);
  /// A kernel ended before it could serve, with these words: where no other is there, those who
  /// wait are told at once. @cost O(queue)
  QueueActions kernels_fail(const std::string& why);
  /// It says this. A kernel that answers what it does not have is expelled.
  QueueActions answered(std::uint64_t kernel, Answers answers, TimePoint now);

  /// Time passes: at least every 100 ms.
  QueueActions tick(TimePoint now);

  /// What Scale looks at. @cost O(answered tasks at the queue's front)
  Load load(TimePoint now) const;
  /// Works by this from now on.
  void adopt(const Profile& profile);

  /// Since it began.
  const QueueCounts& counts() const { return counts_; }
  /// By number. @cost O(kernels)
  std::vector<KernelView> kernels() const;

 private:
  struct Task {
    std::string body;
    TimePoint arrived, handed{};
    std::uint64_t group = 0;
    bool queued = true;
    bool again = false;  // a kernel was lost with it
  };
  struct Given {
    std::vector<std::uint64_t> tasks;  // not answered yet
    std::size_t size = 0;
    TimePoint at;
  };
  struct Kernel {
    KernelView view;
    std::map<std::uint64_t, Given> batches;
    bool expelled = false;
    bool passed = false;  // all that waits is for other kernels
    bool stays() const { return !view.leaving && !expelled; }
  };
  using Kernels = std::map<std::uint64_t, Kernel>;
  struct Group {
    std::uint64_t kernel = 0;
    TimePoint used{};
  };

  void hand_out(TimePoint now, QueueActions& actions);
  Kernel* least_loaded();
  bool hand(std::uint64_t id, Kernel& kernel, TimePoint now, QueueActions& actions);
  bool is_for(const Task& task, std::uint64_t kernel, TimePoint now);
  std::uint64_t with_fewest_groups() const;
  void reply(std::uint64_t task, int status, std::string body, QueueActions& actions);
  void put_back(std::uint64_t task, QueueActions& actions);
  void learn_cost(const Answers& answers, std::size_t tasks);
  void time_out(TimePoint now, QueueActions& actions);
  bool waits_too_long() const;
  void drop_late(TimePoint now, QueueActions& actions);
  void reply_late(std::uint64_t task, QueueActions& actions);

  std::string model_;
  Policy policy_;
  Duration connection_timeout_;
  bool closed_ = false;
  QueueLimits limits_;
  std::unordered_map<std::uint64_t, Task> tasks_;  // unanswered
  std::deque<std::uint64_t> queue_;                // may hold answered ones, which count no more
  std::deque<std::uint64_t> order_;                // by arrival; may hold answered ones
  std::size_t queued_ = 0, held_bytes_ = 0;
  Kernels kernels_;
  std::unordered_map<std::uint64_t, Group> groups_;
  std::uint64_t next_batch_ = 1;
  double cost_ = 0;          // seconds a task, smoothed
  TimePoint alone_since_{};  // no kernel since
  QueueCounts counts_;
};

}  // namespace wm::serve
