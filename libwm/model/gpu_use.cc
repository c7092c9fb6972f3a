#include "libwm/model/gpu_use.h"

#include <algorithm>

namespace wm {
namespace {

constexpr std::uint32_t kWhole = 1000;

// "1g.10gb" → 1; "1c.3g.40gb" → 3 with compute slices 1. 0: no such part.
std::uint32_t slices(std::string_view profile, char unit) {
  auto at = profile.find(unit);
  while (at != profile.npos && (at == 0 || profile[at - 1] < '0' || profile[at - 1] > '9'))
    at = profile.find(unit, at + 1);
  if (at == profile.npos) return 0;
  return static_cast<std::uint32_t>(profile[at - 1] - '0');
}

std::uint32_t number(std::string_view text) {
  std::uint32_t n = 0;
  for (char c : text) n = n * 10 + static_cast<std::uint32_t>(c - '0');
  return n;
}

}  // namespace

bool is_slice(std::string_view profile, std::string_view asked) {
  if (profile.empty() || asked.empty()) return false;
  if (asked.find_first_not_of("0123456789/") != asked.npos) return profile == asked;
  auto slash = asked.find('/');
  auto whole = slices(profile, 'g'), compute = slices(profile, 'c');
  if (compute == 0) compute = whole;  // no part of it is named: all of its compute slices
  if (whole != number(asked.substr(0, slash))) return false;
  return slash == asked.npos ? compute == whole : compute == number(asked.substr(slash + 1));
}

bool suits(const Gpu& gpu, const TaskRequest& request) {
  if (request.gpu_mig.empty() != gpu.mig.empty()) return false;
  if (!gpu.mig.empty() && !is_slice(gpu.mig, request.gpu_mig)) return false;
  if (!request.gpu_model.empty() && gpu.model != request.gpu_model) return false;
  if (!request.gpu_vendor.empty() && !gpu.vendor.empty() && gpu.vendor != request.gpu_vendor)
    return false;
  return gpu.mem == Bytes{0} || request.gpu_mem <= gpu.mem;
}

std::uint32_t milli_of(const Gpu& gpu, const TaskRequest& request) {
  if (!request.gpu_shared) return kWhole;
  std::int64_t part = request.milli_gpus < kWhole ? request.milli_gpus : 0;
  if (gpu.mem > Bytes{0} && request.gpu_mem > Bytes{0}) {
    // in double: thousandths of 2^40 bytes would still fit, but a site may declare anything
    double of_memory =
        static_cast<double>(request.gpu_mem.value) / static_cast<double>(gpu.mem.value);
    part = std::max(part, static_cast<std::int64_t>(of_memory * kWhole + 0.999999));
  }
  if (part <= 0) return kWhole;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(part, kWhole));
}

GpuShare share_of(const Host& host, std::uint16_t gpu, const TaskRequest& request, GpuOwner owner) {
  GpuShare share{gpu, owner, kWhole, request.gpu_mem, request.mps_uid};
  if (gpu >= host.capacity.gpus.size()) return share;
  const Gpu& device = host.capacity.gpus[gpu];
  share.milli = milli_of(device, request);
  if (share.mem == Bytes{0}) share.mem = Bytes{device.mem.value / kWhole * share.milli};
  return share;
}

std::uint32_t milli_shared(const Host& host, std::size_t gpu) {
  std::uint32_t sum = 0;
  for (const auto& share : host.gpu_shares)
    if (share.gpu == gpu) sum += share.milli;
  return sum;
}

std::int64_t whole_gpu_part(const std::vector<Gpu>& gpus, std::size_t index) {
  const auto& gpu = gpus[index];
  if (gpu.mig.empty()) return 1000;
  auto slices = [](std::string_view profile) {
    auto at = profile.find("g.");
    return at == profile.npos || at == 0 ? 1 : std::int64_t{profile[at - 1] - '0'};
  };
  std::int64_t whole = gpu.model.find("A30") == std::string::npos ? 7 : 4, before = 0;
  for (std::size_t i = 0; i < index; ++i)
    if (!gpus[i].mig.empty() && gpus[i].parent == gpu.parent) before += slices(gpus[i].mig);
  before = std::min(before, whole);
  auto end = std::min(before + slices(gpu.mig), whole);
  return 1000 * end / whole - 1000 * before / whole;
}

}  // namespace wm
