// Role: GPU requirement strings (bsub -gpu, gpu of an application profile) as a value.
//   "num=2/task:mode=shared:gmodel=A100-40G:gmem=8G:j_exclusive=yes"; "-" is the default.
// What num counts for when it does not say is decided by the job's type (DESIGN 4), not
// here. @source LSF bsub -gpu (lsf-surface 1.6)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/expr/resreq.h"
#include "libwm/model/config/config.h"

namespace wm::expr {

/// A GPU requirement; what is absent or empty was not said.
/// @units milli_num: thousandths of a GPU
struct GpuReq {
  std::optional<std::uint32_t> milli_num;
  Per per = Per::Unsaid;        ///< Task, Host or Unsaid
  std::optional<GpuMode> mode;  ///< exclusive_process is Exclusive
  std::optional<bool> mps, j_exclusive, aff, block, gpack, glink;
  std::optional<bool> see_all;  ///< each task sees those of its job on the host, not its own alone
  std::string vendor;  ///< "nvidia", "amd"
  std::string model;
  Bytes mem{};       ///< memory wanted on each; shared: taken from it
  std::string tile;  ///< GPUs per socket: a number or "!"
  std::string mig;   ///< "GI[/CI]"
  bool operator==(const GpuReq&) const = default;
};

/// Takes one string apart. "-" and "" give one GPU, nothing else said.
/// @errors BadArgument: unknown keyword or bad value, named
Result<GpuReq> parse_gpu(std::string_view text);

/// `over` (a job's) where it says something, else `base`. @cost O(1)
GpuReq merge(const GpuReq& base, const GpuReq& over);

}  // namespace wm::expr
