// Role: how much a job has to do and how fast it does it on the slots that it holds. The
// engine asks only these questions, so that a new kind of job list needs no new engine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace wm::replay {

/// Tasks on each host that holds some, in the order of the hosts.
using Shape = std::vector<std::uint32_t>;

/// Tasks of a shape. @cost O(hosts)
std::uint32_t tasks_of(const Shape& shape);

/// The shape of so many tasks on as few hosts as hold them. @cost O(hosts)
Shape packed(std::uint32_t tasks, std::uint32_t per_host);

/// Whether the job may choose its batch as it goes (batch_size='auto') or keeps its own.
enum class Batch : std::uint8_t { Fixed, Auto };

/// What a program can tell of itself while it runs on a shape.
struct Report {
  std::uint32_t hosts = 0, tasks = 0;
  double local_batch = 0;  ///< samples a task computes between two exchanges, in all rounds
  double compute_s = 0;    ///< to compute them
  double exchange_s = 0;   ///< added by exchanging gradients
  double grad_sqr = 0, grad_var = 0;
};

/// What bounds the batch of a job. @units samples
struct BatchLimits {
  double initial = 0;                      ///< of the job's progress; 0: has no batch
  double own = 0;                          ///< asked for by its user
  double most = 0;                         ///< that training allows
  double local_least = 0, local_most = 0;  ///< of one task
};

/// A job's work.
class Work {
 public:
  virtual ~Work() = default;
  /// What has to be done, in units of its own.
  virtual double total() const = 0;
  /// Work done after `seconds` on a shape, `done` before. @cost O(stages)
  virtual double after(double done, double seconds, const Shape& shape, Batch batch) const = 0;
  /// Seconds until all is done. @cost O(stages)
  virtual double left_s(double done, const Shape& shape, Batch batch) const = 0;
  /// What it reports; tasks 0: nothing. @cost O(log tables)
  virtual Report report(double done, const Shape& shape, Batch batch) const = 0;
  /// Bounds of its batch; all 0 when it has none.
  virtual BatchLimits limits() const { return {}; }
};

/// Runs `seconds` on `tasks` tasks; with more or fewer, in proportion.
/// @cost O(1)
std::shared_ptr<const Work> linear_work(double seconds, std::uint32_t tasks);

}  // namespace wm::replay
