#include "libwm/sched/capacity/gpu_pick.h"

#include <algorithm>
#include <map>

#include "libwm/model/gpu_use.h"

namespace wm::sched {
namespace {

constexpr std::int64_t kWhole = 1000;

bool are_linked(const Host& host, std::size_t a, std::size_t b) {
  const auto& links = host.capacity.gpus[a].links;
  return b < links.size() && links[b] > 0;
}

}  // namespace

GpuPicker::GpuPicker(const HostCapacity& room, const TaskRequest& task)
    : room_(room),
      task_(task),
      each_(static_cast<std::size_t>(gpus_of(task))),
      uses_(room.gpus),
      parts_(room.parts) {
  parts_.resize(uses_.size());
}

// Thousandths that a task of this kind may still have of a GPU.
std::int64_t GpuPicker::left(std::size_t gpu, When when) const {
  bool future = when == When::Future;
  const GpuPart& part = parts_[gpu];
  switch (uses_[gpu]) {
    case GpuUse::Free: return kWhole;
    case GpuUse::Coming: return future ? kWhole : 0;
    case GpuUse::Shared:
      if (task_.gpu_shared && part.mps_uid != task_.mps_uid) return 0;
      return kWhole - part.held + (future ? part.coming : 0);
    case GpuUse::Taken:
    case GpuUse::Aside: break;
  }
  return 0;
}

std::vector<std::size_t> GpuPicker::candidates(When when) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const Gpu& gpu = room_.host->capacity.gpus[i];
    if (suits(gpu, task_) && left(i, when) >= milli_of(gpu, task_)) found.push_back(i);
  }
  auto later = [&](std::size_t i) { return left(i, When::Now) < kWhole && !task_.gpu_shared; };
  auto held = [&](std::size_t i) { return parts_[i].held; };
  std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
    if (later(a) != later(b)) return later(b);
    return task_.gpu_pack ? held(a) > held(b) : held(a) < held(b);
  });
  return found;
}

// The first set, grown from the front of `from`, in which each is joined with each.
std::vector<std::size_t> GpuPicker::linked(const std::vector<std::size_t>& from) const {
  for (std::size_t first : from) {
    std::vector<std::size_t> joined{first};
    for (std::size_t next : from) {
      bool all = next != first && joined.size() < each_ &&
                 std::all_of(joined.begin(), joined.end(), [&](std::size_t other) {
                   return are_linked(*room_.host, other, next);
                 });
      if (all) joined.push_back(next);
    }
    if (joined.size() == each_) return joined;
  }
  return {};
}

// gpu_tile of them on each NUMA node that is used.
std::vector<std::size_t> GpuPicker::tiled(const std::vector<std::size_t>& from) const {
  std::map<std::int32_t, std::vector<std::size_t>> nodes;
  for (std::size_t gpu : from) nodes[room_.host->capacity.gpus[gpu].numa].push_back(gpu);
  std::size_t tile = task_.gpu_tile;
  if (task_.gpu_tile == kEvenTile)
    tile = (each_ + nodes.size() - 1) / std::max<std::size_t>(1, nodes.size());
  std::vector<std::size_t> chosen;
  for (auto& [node, gpus] : nodes) {
    if (gpus.size() < tile || chosen.size() + tile > each_) continue;
    chosen.insert(chosen.end(), gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(tile));
  }
  return chosen;
}

void GpuPicker::take(std::size_t gpu) {
  GpuUse& use = uses_[gpu];
  if (!task_.gpu_shared || use == GpuUse::Coming) {
    use = GpuUse::Taken;
    return;
  }
  GpuPart& part = parts_[gpu];
  auto need = milli_of(room_.host->capacity.gpus[gpu], task_);
  auto now = static_cast<std::uint32_t>(kWhole) - part.held;
  if (need > now) part.coming -= need - now;
  part.held += std::min(need, now);
  part.mps_uid = task_.mps_uid;
  use = GpuUse::Shared;
}

std::vector<std::uint16_t> GpuPicker::pick(When when) {
  auto chosen = candidates(when);
  if (task_.gpu_linked && each_ > 1) chosen = linked(chosen);
  else if (task_.gpu_tile > 0) chosen = tiled(chosen);
  if (chosen.size() < each_) return {};
  chosen.resize(each_);
  std::sort(chosen.begin(), chosen.end());
  std::vector<std::uint16_t> taken;
  for (std::size_t gpu : chosen) {
    take(gpu);
    taken.push_back(static_cast<std::uint16_t>(gpu));
  }
  return taken;
}

std::int64_t GpuPicker::count(When when, std::int64_t most) {
  std::int64_t tasks = 0;
  while (tasks < most && !pick(when).empty()) ++tasks;
  return tasks;
}

bool GpuPicker::claim(std::uint16_t gpu) {
  if (gpu >= uses_.size()) return false;
  if (left(gpu, When::Now) < milli_of(room_.host->capacity.gpus[gpu], task_)) return false;
  take(gpu);
  return true;
}

void GpuPicker::commit(HostCapacity& room) const {
  room.gpus = uses_;
  room.parts = parts_;
}

}  // namespace wm::sched
