#include "libwm/model/elements.h"

namespace wm {
namespace {

std::uint32_t range_size(const IndexRange& r) {
  return r.to < r.from ? 0 : (r.to - r.from) / r.step + 1;
}

}  // namespace

std::uint32_t element_count(const JobSpec& spec) {
  std::uint32_t n = 0;
  for (const auto& range : spec.array) n += range_size(range);
  return n;
}

std::uint32_t elements_there(const Job& base) {
  return base.spec().open ? base.elements.next_position : element_count(base.spec());
}

std::uint32_t element_index(const JobSpec& spec, std::uint32_t position) {
  for (const auto& range : spec.array) {
    auto size = range_size(range);
    if (position < size) return range.from + position * range.step;
    position -= size;
  }
  return 0;
}

std::optional<std::uint32_t> element_position(const JobSpec& spec, std::uint32_t index) {
  std::uint32_t before = 0;
  for (const auto& range : spec.array) {
    if (index >= range.from && index <= range.to && (index - range.from) % range.step == 0)
      return before + (index - range.from) / range.step;
    before += range_size(range);
  }
  return std::nullopt;
}

}  // namespace wm
