// Where the GPUs of a host stand when it registers again.
#include <algorithm>

#include "libwm/fsm/edit.h"

namespace wm::fsm {
namespace {

bool holds_any(const Host& host) {
  return !host.gpu_shares.empty() || std::any_of(host.gpu_owners.begin(), host.gpu_owners.end(),
                                                 [](const GpuOwner& o) { return bool(o.job); });
}

std::size_t index_of(const std::vector<Gpu>& gpus, const std::string& uuid) {
  auto at = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& g) { return g.uuid == uuid; });
  return static_cast<std::size_t>(at - gpus.begin());
}

// Links are told by the places that the host counts in; here they are counted in ours.
void move_links(Gpu& gpu, const std::vector<std::size_t>& place) {
  std::vector<std::uint32_t> moved;
  for (std::size_t i = 0; i < gpu.links.size() && i < place.size(); ++i) {
    if (moved.size() <= place[i]) moved.resize(place[i] + 1);
    moved[place[i]] = gpu.links[i];
  }
  gpu.links = std::move(moved);
}

void set_missing_aside(Host& host, const std::string& uuid, WallTime now) {
  auto& mark = host.gpu_marks[uuid];
  if (mark.sick) return;
  mark.sick = true;
  mark.sick_why = "the driver does not name it any more";
  mark.sick_since = now;
}

}  // namespace

void keep_gpu_places(Host& host, const std::vector<Gpu>& known, bool rebooted, WallTime now) {
  auto& gpus = host.capacity.gpus;
  if (known.empty() || (rebooted && !holds_any(host))) return;
  auto found = std::move(gpus);
  gpus = known;
  std::vector<std::size_t> place;
  for (const Gpu& gpu : found) {
    place.push_back(index_of(gpus, gpu.uuid));
    if (place.back() == gpus.size()) gpus.push_back(gpu);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    gpus[place[i]] = found[i];
    move_links(gpus[place[i]], place);
  }
  auto missing = [&](const Gpu& gpu) { return index_of(found, gpu.uuid) == found.size(); };
  while (!gpus.empty() && gpus.back().pci.empty() && missing(gpus.back())) gpus.pop_back();
  for (const Gpu& gpu : gpus)
    if (!gpu.pci.empty() && missing(gpu)) set_missing_aside(host, gpu.uuid, now);
}

}  // namespace wm::fsm
