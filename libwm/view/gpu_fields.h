// Role: what bhosts -gpu, lshosts -gpu and bhosts -l show of GPUs: who uses each, how much of
// its memory, and whether it is set aside and why. Pure. @source LSF bhosts -gpu, lshosts -gpu
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libwm/model/verbs/verbs.h"
#include "libwm/view/format.h"

namespace wm::view {

/// One GPU of a host. @owns borrows the view
struct GpuRow {
  const HostView* view = nullptr;
  std::size_t gpu = 0;  ///< index on the host
};

/// Every GPU of the hosts, in order. @cost O(GPUs)   @owns borrows the views
std::vector<GpuRow> gpu_rows(std::span<const HostView> hosts);

/// Fields of -o and -json with -gpu. @cost O(1)
std::span<const Field<GpuRow>> gpu_fields();

/// "ok", "closed_Adm", "sick", or both as "closed_Adm,sick". @cost O(log GPUs)
std::string gpu_status(const GpuRow& row);
/// Why it is set aside; empty: it is not. @cost O(log GPUs)
std::string gpu_reason(const GpuRow& row);
/// GPUs that a task holds, alone or with others. @cost O(GPUs + shares)
std::uint64_t gpus_held(const Host& host);

/// bhosts -gpu: a line per GPU. @cost O(GPUs times shares)
std::string gpu_table(std::span<const HostView> hosts, bool with_header);
/// lshosts -gpu: what each GPU is. @cost O(GPUs)
std::string gpu_inventory(std::span<const HostView> hosts, bool with_header);
/// The lines of bhosts -l about GPUs; empty without any. @cost O(GPUs times shares)
std::string gpu_long_text(const HostView& view);

}  // namespace wm::view
