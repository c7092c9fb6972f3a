#include "libwm/launch/spool.h"

#include <algorithm>

namespace wm::launch {
namespace {

constexpr std::uint64_t kLeastSpool = 64u << 10;
constexpr std::uint64_t kPartOfCapacity = 8;
constexpr std::uint64_t kStreams = 2;
constexpr std::uint64_t kLeastFolder = 64u << 20;

}  // namespace

std::uint64_t spool_limit(std::uint64_t capacity, std::uint32_t slots) {
  if (capacity == 0) return kMostSpool;
  auto streams = kStreams * std::max<std::uint64_t>(slots, 1);
  return std::clamp(capacity / kPartOfCapacity / streams, kLeastSpool, kMostSpool);
}

std::uint64_t folder_share(std::uint64_t capacity, std::uint32_t slots) {
  if (capacity == 0) return kLeastFolder;
  return std::max(kLeastFolder, capacity / 2 / std::max<std::uint64_t>(slots, 1));
}

}  // namespace wm::launch
