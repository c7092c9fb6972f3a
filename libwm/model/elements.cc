#include "libwm/model/elements.h"

#include <algorithm>

namespace wm {
namespace {

std::uint32_t range_size(const IndexRange& r) {
  return r.to < r.from ? 0 : (r.to - r.from) / r.step + 1;
}

bool reach_over(std::vector<IndexRange> ranges) {
  std::ranges::sort(ranges, {}, &IndexRange::from);
  auto later = [](const auto& one, const auto& next) { return next.from <= one.to; };
  return std::ranges::adjacent_find(ranges, later) != ranges.end();
}

// Ascending indices as the few ranges that a look at the last two of them finds.
std::vector<IndexRange> ranges_of(const std::vector<std::uint32_t>& indices) {
  std::vector<IndexRange> ranges;
  for (auto index : indices) {
    auto* last = ranges.empty() ? nullptr : &ranges.back();
    bool goes_on = last && (last->from == last->to || index - last->to == last->step);
    if (goes_on) *last = {last->from, index, index - last->to};
    else ranges.push_back({index, index, 1});
  }
  return ranges;
}

}  // namespace

std::uint64_t element_count(std::span<const IndexRange> ranges) {
  std::uint64_t n = 0;
  for (const auto& range : ranges) n += range_size(range);
  return n;
}

std::vector<IndexRange> each_once(std::vector<IndexRange> ranges) {
  if (!reach_over(ranges)) return ranges;
  std::vector<std::uint32_t> indices;
  indices.reserve(element_count(ranges));
  for (const auto& range : ranges)
    for (std::uint64_t i = range.from; i <= range.to; i += range.step)
      indices.push_back(static_cast<std::uint32_t>(i));
  std::ranges::sort(indices);
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return ranges_of(indices);
}

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
