// Role: what is free on a host during a pass, and what a task takes. Two amounts are kept
// apart: `now` may be used by a start; `coming` is held by tasks that are leaving and may
// only be promised, so that the same shortage does not make a second job shrink.
//
//          taken ──released──► coming ──promised──► (gone for this pass)
//   now ──────────────────────────────── used ────► (gone for this pass)
//
// Invariant: now + coming + taken = capacity; a stuck slot stays taken.
// GPUs are chosen by gpu_pick.h. Used by place.cc, release.cc, admit.cc. Values.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/sched/plan/plan.h"

namespace wm::sched {

/// An amount of everything that tasks need, GPUs apart. @units milli_cpus: 1000 = one CPU
struct Space {
  std::int64_t slots = 0;
  std::int64_t milli_cpus = 0;
  std::int64_t mem = 0;  ///< bytes
  bool operator==(const Space&) const = default;
};

/// How a GPU is used during a pass. Shared: tasks that share hold parts of it; Aside: out of
/// use, by an administrator or for its health.
enum class GpuUse : std::uint8_t { Free, Coming, Taken, Shared, Aside };

/// What sharing tasks hold of a GPU. @units thousandths; `coming` is part of `held`
struct GpuPart {
  std::uint32_t held = 0, coming = 0;
  std::optional<std::uint32_t> mps_uid;  ///< the user of the MPS daemon that serves it
};

/// Which part of a room counts.
enum class When : std::uint8_t { Now, Future };

/// A host as far as placing is concerned.
struct HostCapacity {
  const Host* host = nullptr;
  HostId id;
  bool open = false;
  Space now, coming;
  std::vector<GpuUse> gpus;
  std::vector<GpuPart> parts;  ///< same length
  std::uint32_t jobs = 0;      ///< tasks on it, leaving ones too
  bool exclusive = false;      ///< held by a job that shares with nobody
  bool clearing = false;       ///< such a job is being ended: it is exclusive until that is gone
  std::vector<JobId> leaving;  ///< jobs with tasks that make up `coming`
  /// Does a job that shares with nobody keep all others out? @cost O(1)
  bool is_closed(When when) const { return exclusive || (clearing && when == When::Now); }
};

/// HostCapacities as a placing changes them, over those of the pass: only what is touched is
/// copied.
class HostCapacities {
 public:
  /// @owns borrows `base`   @cost O(rooms), a few bytes each
  explicit HostCapacities(const std::vector<HostCapacity>& base)
      : base_(base), changed_(base.size()) {}
  /// Reads one. @cost O(1)   @owns valid until it is edited
  const HostCapacity& operator[](std::size_t at) const {
    return changed_[at] ? own_[changed_[at] - 1] : base_[at];
  }
  /// One to change. @cost O(its GPUs) the first time
  HostCapacity& edit(std::size_t at) {
    if (changed_[at]) return own_[changed_[at] - 1];
    own_.push_back(base_[at]);
    edited_.push_back(static_cast<std::uint32_t>(at));
    changed_[at] = static_cast<std::uint32_t>(own_.size());
    return own_.back();
  }
  /// Positions of those that were changed, in no order. @owns borrowed
  const std::vector<std::uint32_t>& edited() const { return edited_; }
  /// Those of the pass, before any change. @owns borrowed
  const std::vector<HostCapacity>& base() const { return base_; }
  std::size_t size() const { return base_.size(); }

 private:
  const std::vector<HostCapacity>& base_;
  std::vector<std::uint32_t> changed_;  // 1 + position in own_; 0: as in base_
  std::deque<HostCapacity> own_;
  std::vector<std::uint32_t> edited_;
};

/// Whole GPUs that the request takes: per task, or per host when it says so.
/// @cost O(1)
std::int64_t gpus_of(const TaskRequest& task);

/// What `tasks` tasks take, GPUs apart. `is_there`: the job has a task on the host already, so
/// that what it asks per host is paid. @cost O(1)
Space space_of(const TaskRequest& task, std::int64_t tasks, bool is_there = false);

/// The host as its own counters have it: nothing is coming yet. @cost O(GPUs)
HostCapacity room_of(const Host& host);

/// The host as if nothing ran on it and nothing were set aside. @cost O(GPUs)
HostCapacity bare_room(const Host& host);

/// Does one task of this kind fit into bare_room(host)? Makes none unless it matters which GPUs
/// the task gets. @cost O(GPUs)
bool fits_bare(const Host& host, const TaskRequest& task);

/// Has the room too few free GPUs for one task of this kind, whatever else it lacks? @cost O(GPUs)
bool lacks_gpus(const HostCapacity& room, const TaskRequest& task);

/// How many tasks of this kind fit, at most `most`. `is_there`: the job has a task
/// here already, with its GPUs and memory per host. Does not look at `open`.
/// @cost O(GPUs)
std::int64_t fit(const HostCapacity& room, const TaskRequest& task, When when, std::int64_t most,
                 bool is_there = false);

/// Takes room for `tasks` tasks that fit: from now first, then from what is coming. Returns
/// their GPUs, task by task; GPUs per host go to the first.
/// @cost O(GPUs)
std::vector<std::vector<std::uint16_t>> take(HostCapacity& room, const TaskRequest& task,
                                             std::int64_t tasks, bool is_there = false);

/// Takes exactly these GPUs for one task, if all are free for it now; else nothing.
/// @cost O(GPUs named)
bool take_these(HostCapacity& room, const TaskRequest& task,
                const std::vector<std::uint16_t>& gpus);

/// A task of `job` here is leaving: what it holds is coming. @cost O(its GPUs)
void release(HostCapacity& room, JobId job, const TaskRequest& request, const Task& task);

/// Position of a host's room, or rooms.size(). @cost O(log hosts)
std::size_t room_at(const std::vector<HostCapacity>& rooms, HostId host);

}  // namespace wm::sched
