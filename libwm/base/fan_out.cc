#include "libwm/base/fan_out.h"

#include <algorithm>

namespace wm {

std::uint32_t FanOut::parent(std::uint32_t place) const {
  return place == 0 ? 0 : (place - 1) / width;
}

std::vector<std::uint32_t> FanOut::children(std::uint32_t place) const {
  std::vector<std::uint32_t> below;
  auto first = std::uint64_t{place} * width + 1;
  for (auto child = first; child < first + width && child < count; ++child)
    below.push_back(static_cast<std::uint32_t>(child));
  return below;
}

bool FanOut::is_below(std::uint32_t place, std::uint32_t top) const {
  while (place > top) place = parent(place);
  return place == top;
}

std::uint32_t FanOut::next_hop(std::uint32_t from, std::uint32_t to) const {
  if (from == to) return from;
  if (!is_below(to, from)) return parent(from);
  while (parent(to) != from) to = parent(to);
  return to;
}

std::uint32_t FanOut::depth() const {
  std::uint32_t steps = 0;
  for (auto place = count - 1; place > 0; place = parent(place)) ++steps;
  return steps;
}

std::vector<Share> shares(std::uint32_t count, std::uint32_t width) {
  auto parts = std::min(count, width);
  std::vector<Share> cut;
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < parts; ++i) {
    auto length = count / parts + (i < count % parts ? 1 : 0);
    cut.push_back({first, length});
    first += length;
  }
  return cut;
}

}  // namespace wm
