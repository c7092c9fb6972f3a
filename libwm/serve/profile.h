// Role: the profile of an inference service (profile.json) as values: defaults, and every rule that
// it has to keep. Pure.
// @source WMLA: elastic distributed inference, profile.json, schema 1.2
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::serve {

/// What a profile says of how requests are worked on and by how many kernels.
struct Policy {
  Duration schedule_interval = std::chrono::seconds(3);  ///< between looks at the load
  std::uint32_t kernel_min = 1;                          ///< 0: none while nobody asks
  std::uint32_t kernel_max = 100;
  Duration delay_release = std::chrono::seconds(60);  ///< a kernel is kept so long after its use
  /// From a request's arrival to its answer; 0: without end.
  Duration execution_timeout = std::chrono::seconds(60);
  std::uint32_t batch_size = 1;     ///< tasks of one on_task_invoke
  std::uint32_t pipe_size = 1;      ///< batches that a kernel's worker has or waits with
  std::uint32_t parallel_size = 1;  ///< workers of a kernel
  std::uint32_t warm = 0;           ///< hosts that hold a warm parent of kernels
  /// What was with a kernel that ended is not given to another one: no task is begun twice.
  bool once = false;
  std::uint32_t stream_group = 0;  ///< streams that share a kernel; 0: each task goes anywhere
  /// A task that gets its turn in its stream after execution_timeout is not begun.
  bool stream_discards = true;
  bool operator==(const Policy&) const = default;
};

/// What one kernel is given.
struct Amounts {
  std::uint32_t milli_cpus = 0;       ///< 0: the queue's default
  std::uint32_t memory_mb = 0;        ///< 0: the same
  std::uint32_t memory_limit_mb = 0;  ///< one that has more is ended; 0: no limit
  bool operator==(const Amounts&) const = default;
};

/// How kernels use GPUs.
enum class GpuUse : std::uint8_t { None, Shared, Exclusive };

/// What bsub's -gpu would say for a kernel: one that shares has a quarter of a GPU. Nothing: "".
std::string gpu_request(GpuUse use);

/// A profile that keeps the rules.
struct Profile {
  std::string name;
  std::uint32_t replica = 1;  ///< routers
  Policy policy;
  /// A kernel that has not connected so long after its request came counts as not to be had.
  Duration connection_timeout = std::chrono::seconds(90);
  std::string image;  ///< container that kernels run in; empty: the site's default, if any
  std::string plan;   ///< resource plan; empty: the owner's default
  Amounts amounts;
  GpuUse gpu = GpuUse::None;
  std::uint32_t umask = 022;
  std::string working_directory, log_directory;  ///< of kernels; empty: the package, the service's
  std::vector<std::pair<std::string, std::string>> envs;  ///< of kernels
  std::vector<std::string> callers;                       ///< beside the owner (callers.h)
  std::string text;  ///< the whole file, with what it leaves out
};

/// The largest `kernel_max`, and what -1 stands for.
inline constexpr std::uint32_t kMostKernels = 10000;

/// The profile of a service called `name`, deployed by `owner` and made at `now`, as JSON; `given`
/// is the package's own, and empty for none.
/// @errors BadArgument: no JSON, a value of another type or against a rule, by its name
/// @cost O(length)   @thread any
Result<Profile> read_profile(const std::string& name, const std::string& owner,
                             std::string_view given, WallTime now);

/// The profile as it was given, with so many hosts of warm parents where it does not say how many.
/// What does not read stays as it is. @cost O(length)
std::string with_warm(std::string_view given, std::uint32_t hosts);
/// How many hosts hold a warm parent, of a profile that was read once. @cost O(length)
std::uint32_t warm_hosts(std::string_view profile);

/// Is each key of a profile that is given one that there is? @errors BadArgument: by its path, with
/// those that there are   @cost O(length)
Result<void> check_keys(std::string_view given);

/// May a service that was started with `running` go on with `wanted`? What kernels are made of, and
/// more than its owner signed for, has to wait for a stop.
/// @errors Conflict: the first value that has to, by its name   @cost O(envs)
Result<void> check_live(const Profile& running, const Profile& wanted);

}  // namespace wm::serve
