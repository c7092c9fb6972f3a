// Role: what a task may use of a GPU and how much of it: the one place where a request meets a
// device, asked by the scheduler, by the machines and by commands. Values only.
//
//   exclusive (the rule)          the whole GPU belongs to one task
//   shared (mode=shared)          thousandths: the larger of the part asked for and of gmem's
//                                 part of the memory; neither: the whole
//   mig=1g.10gb, mig=1[/1]        slices of that profile; without it, whole GPUs only
#pragma once

#include <string>
#include <string_view>

#include "libwm/model/host.h"
#include "libwm/model/job.h"

namespace wm {

/// TaskRequest::gpu_tile: as many on each NUMA node that has GPUs.
inline constexpr std::uint32_t kEvenTile = ~0u;

/// Whether `asked` names this GPU's kind, upper or lower case and whatever stands between words:
/// consecutive words of its model ("H200", "NVIDIAH200", "h100_80gb" of "NVIDIA H100 80GB HBM3"),
/// or such words and its memory in G ("h200-141G"), within what a driver says less or more of that.
/// @source LSF bsub -gpu gmodel=: full and short names, "model-memory" @cost O(length of the names)
bool is_model(const Gpu& gpu, std::string_view asked);

/// The GPU, by model, vendor, memory and slice, is one that the request means.
/// @cost O(length of the names)
bool suits(const Gpu& gpu, const TaskRequest& request);

/// A slice of this profile is what `asked` names: "1g.10gb" itself, or LSF's "GI[/CI]" in
/// slices ("3", "3/2"). @source LSF bsub -gpu mig=; NVIDIA MIG profile names @cost O(length)
bool is_slice(std::string_view profile, std::string_view asked);

/// What the request takes of each of its GPUs. @units thousandths, 1000 unless it shares
std::uint32_t milli_of(const Gpu& gpu, const TaskRequest& request);

/// The share as a host keeps it. @cost O(1)
GpuShare share_of(const Host& host, std::uint16_t gpu, const TaskRequest& request, GpuOwner owner);

/// Thousandths of a GPU that sharing tasks hold. @cost O(shares of the host)
std::uint32_t milli_shared(const Host& host, std::size_t gpu);

/// A GPU's part of a whole one. @units thousandths   @cost O(GPUs of the host)
/// @source NVIDIA MIG: seven compute slices a GPU, four of an A30
std::int64_t whole_gpu_part(const std::vector<Gpu>& gpus, std::size_t index);

}  // namespace wm
