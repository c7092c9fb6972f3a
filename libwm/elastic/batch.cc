// Integer division with the remainder spread over the first parts.
#include "libwm/elastic/batch.h"

#include <algorithm>

#include "libwm/base/result.h"

namespace wm::elastic {

Part part(std::uint64_t whole, std::uint64_t parts, std::uint64_t index) {
  WM_CHECK(parts > 0 && index < parts);
  const std::uint64_t each = whole / parts;
  const std::uint64_t larger = whole % parts;
  return {index * each + std::min(index, larger), each + (index < larger ? 1 : 0)};
}

std::uint64_t global_batch(std::uint64_t batch_size, std::uint64_t effective, std::uint64_t world) {
  WM_CHECK(batch_size > 0 && world > 0);
  return effective != 0 ? effective : batch_size * world;
}

std::uint64_t bites(std::uint64_t share, std::uint64_t batch_size) {
  WM_CHECK(batch_size > 0);
  return (share + batch_size - 1) / batch_size;
}

}  // namespace wm::elastic
