// Role: elastic data-parallel training in C++: rounds in a group, switches to planned groups,
// recovery from broken ones (DESIGN 5.2; rules W-n of libwm/elastic/PROTOCOL.md). The user gives a
// Model; the communicator comes from a Backend, the agent from $WM_ELASTIC_SOCKET.
//
//   wait for a group ─► enter: who has what (one sum), state to those who lack it ─► rounds
//         ▲                                                                            │ all ready
//         │ broken: close, report, wait                       ┌── switch: enter next ◄─┤
//         └───────────────────────────────────────────────────┴────────────────────────┘
//
// A round: compute the own share → one sum → commit (apply, count).
// Invariants: a round is committed iff its sum succeeded here, at once and whole; nobody enters
// a group's rounds without the state of its most advanced member; the Model is called only
// between a sum and the next one, and not before this worker is a member.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "libwm/trainer/groups/group.h"
#include "libwm/trainer/groups/progress.h"
#include "libwm/trainer/wmtrainer.h"

namespace wm::groups {

/// What is trained. @thread the training thread
class Model {
 public:
  virtual ~Model() = default;

  /// Length of the gradient. Called at any time, the rest only on members.
  virtual std::size_t parameters() const = 0;
  /// Adds the gradient of the *sum* of these samples' losses to `gradient`.
  /// @shape samples, seeds: [n], 1 <= n <= batch_size; seeds: of each one's augmentation
  virtual Score gradient(std::span<const std::uint64_t> samples,
                         std::span<const std::uint64_t> seeds, std::span<double> gradient) = 0;
  /// One optimizer step with the mean gradient over the samples of all members.
  virtual void step(std::span<const double> mean_gradient) = 0;
  /// Losses and right answers of test samples; not called without test samples.
  virtual Score test(std::span<const std::uint64_t> samples) = 0;
  /// All that a newcomer or a checkpoint needs: parameters, the optimizer's state, extras.
  virtual std::string state() const = 0;
  /// Takes over what state() made elsewhere. @errors false: of another format
  [[nodiscard]] virtual bool take_over(const std::string& state) = 0;
  /// Rank 0 has reached the end: write the results. Called again on the next rank 0 if this
  /// one dies before all others know. W-12
  virtual void finish() {}
};

/// How train() ended on this worker.
enum class End {
  First,    ///< trained to the end, and this is the final rank 0
  Other,    ///< trained to the end as another rank: flush and end with status 0
  Left,     ///< not a member any more: flush and end with status 0
  Stopped,  ///< by request_stop; the checkpoint is written: end by that signal
  Failed    ///< this worker cannot go on (disk, state of another format): see the message
};

/// Where a worker runs, from the environment.
struct Place {
  std::string socket;         ///< $WM_ELASTIC_SOCKET; empty: outside WM, alone
  std::uint32_t task = 0;     ///< $WM_TASK
  std::string log_dir;        ///< $LOG_DIR: steps.csv, ledger.csv; empty: none
  std::string result_dir;     ///< $RESULT_DIR: checkpoint/; empty: none
  std::string job{};          ///< $WM_JOB: goes on from checkpoints of this job; empty: of any job
  std::string resume_from{};  ///< $WM_RESUME_FROM: bsub -resume; empty: none
};
/// @errors none: what is not set stays empty
Place place_from_environment();

/// Trains one Model once. Neither copied nor moved.
/// @thread train: one; request_stop: any, also a signal handler
class Trainer {
 public:
  /// A null `backend`: alone. `after_step` is called after every applied step.
  Trainer(Course course, Model& model, std::shared_ptr<Backend> backend, Place place,
          std::function<void(const wm_step&)> after_step = {});
  ~Trainer();

  /// Before train(): trains in this group, which MPI may have made, from start to end. A request to
  /// stop at any member then stops all, at one step boundary and with a checkpoint.
  void use_world(std::shared_ptr<Group> world);

  /// Trains to the end. @errors Failed, with the reason in error()
  End train();
  /// Write a checkpoint at the next step boundary, then end; at once when there is no group.
  void request_stop() noexcept { stopping_ = true; }

  /// Where the training stands; the training thread's.
  const Progress& progress() const;
  const std::string& error() const;  ///< of Failed

 private:
  class Run;
  std::unique_ptr<Run> run_;
  std::atomic<bool> stopping_{false};
};

}  // namespace wm::groups
