// Role: the choices that administrators have in configuration files, and their words. Numbers are
// stored: append-only. Part of model/config/config.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace wm {

/// What kind of program a job is; decides how it is launched and what it may do.
enum class AppType : std::uint8_t { Batch = 0, Training = 1, Notebook = 2, Inference = 3 };
/// How an elastic job is told of a new size (DESIGN 5.4).
enum class ResizeMode : std::uint8_t {
  Auto = 0,     ///< in place once a worker has said hello, else by what the command is
  InPlace = 1,  ///< epochs of membership, nothing restarted
  Restart = 2,  ///< SIGTERM with grace, started again at the new size
  Tasks = 3,    ///< grow starts a task, shrink ends the highest-numbered
  Notify = 4,   ///< LSF's resize notification command
};
/// Which tasks of a job have a process that the host starts.
enum class Launch : std::uint8_t {
  PerSlot = 0,  ///< every one
  PerHost = 1,  ///< the first on each host: a launcher that starts the others itself
  Once = 2,     ///< the first of the job
};
/// Whether tasks may share a GPU.
enum class GpuMode : std::uint8_t { Exclusive = 0, Shared = 1 };
/// How a plan divides what it has among its children and jobs.
enum class PlanPolicy : std::uint8_t { FairShare = 0, Priority = 1 };
/// The plans that a plan may take idle owned slots from.
enum class Borrow : std::uint8_t { Any = 0, None = 1, Listed = 2 };
/// Which pending jobs may start before earlier ones that wait for room.
enum class Backfill : std::uint8_t {
  None = 0,          ///< none: strict order
  Easy = 1,          ///< those that do not delay the first one waiting
  Conservative = 2,  ///< those that take no place kept for anybody
};
/// In which order jobs of one queue are looked at.
enum class JobOrder : std::uint8_t {
  Fcfs = 0,       ///< user priority, then as submitted
  FairShare = 1,  ///< jobs of users who used least of their share lately go first
  Slowdown = 2,   ///< the job that waited longest for the run time it asks goes first
};
/// Where a job's tasks go.
enum class PlaceBy : std::uint8_t {
  Pack = 0,      ///< on the fewest hosts
  Spread = 1,    ///< evenly on many
  Topology = 2,  ///< below as few switches as can be
};
/// How far running jobs of a queue make way for others.
enum class PreemptBy : std::uint8_t {
  Shrink = 0,   ///< elastic ones give tasks back, others stay
  Requeue = 1,  ///< they wait again
  Suspend = 2,  ///< rerunnable ones wait again, others are parked
  Kill = 3,     ///< rerunnable ones wait again, others end
};
/// What the sizes of elastic jobs follow beyond their minimum.
enum class SizeBy : std::uint8_t {
  FairShare = 0,  ///< equal parts
  Goodput = 1,    ///< what each gains from another task
};
/// What people who do not administer a job see of it when it is somebody else's.
/// @source LSF: SECURE_JOB_INFO_LEVEL
enum class JobInfo : std::uint8_t {
  All = 0,
  Summary = 1,  ///< that it is there, where and since when; nothing that its owner wrote
  None = 2,     ///< it is not found
};
/// Whether a queue takes interactive jobs.
enum class Interactive : std::uint8_t { Yes = 0, No = 1, Only = 2 };

/// The word of the configuration files, the commands and JSON: "training", "inplace" …
/// @cost O(1)   @thread any
std::string_view to_string(AppType type);
std::string_view to_string(ResizeMode mode);
std::string_view to_string(GpuMode mode);
std::string_view to_string(PlanPolicy policy);
std::string_view to_string(Borrow borrow);
std::string_view to_string(Interactive interactive);
std::string_view to_string(Backfill backfill);
std::string_view to_string(JobOrder order);
std::string_view to_string(PlaceBy place);
std::string_view to_string(PreemptBy preempt_by);
std::string_view to_string(SizeBy size_by);
std::string_view to_string(JobInfo info);

}  // namespace wm
