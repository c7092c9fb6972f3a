// Role: what several values of a series come to, and which buckets of a level lie in a range of
// steps. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace wm::store {

/// One value of a series. @units time_s: seconds since the epoch; 0: not told
struct CurvePoint {
  double step = 0, time_s = 0, value = 0;
  bool operator==(const CurvePoint&) const = default;
};

/// Values that follow each other, in the order in which they were reported: a run that was resumed
/// reports steps again, so that a bucket may reach back.
struct CurveBucket {
  double low_step = 0, high_step = 0;  ///< of its values
  double last_step = 0, time_s = 0;    ///< of the newest
  double sum = 0, least = 0, most = 0;
  std::uint64_t count = 0;
  bool operator==(const CurveBucket&) const = default;
};

/// Of one value. @cost O(1)
inline CurveBucket bucket_of(const CurvePoint& point) {
  return {point.step,  point.step,  point.step,  point.time_s,
          point.value, point.value, point.value, 1};
}
/// `later` comes behind `bucket`. @cost O(1)
inline void join(CurveBucket& bucket, const CurveBucket& later) {
  if (bucket.count == 0) {
    bucket = later;
    return;
  }
  bucket.low_step = std::min(bucket.low_step, later.low_step);
  bucket.high_step = std::max(bucket.high_step, later.high_step);
  bucket.last_step = later.last_step;
  bucket.time_s = later.time_s;
  bucket.sum += later.sum;
  bucket.least = std::min(bucket.least, later.least);
  bucket.most = std::max(bucket.most, later.most);
  bucket.count += later.count;
}

/// Entries of a level that follow each other: [first, end).
using CurveRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// So many entries of a level make one of the next.
inline constexpr std::uint64_t kCurveFan = 16;

/// The entries of the next finer level that `ranges` are made of, where that has `entries`.
/// @cost O(ranges)
inline CurveRanges finer(const CurveRanges& ranges, std::uint64_t entries) {
  CurveRanges found;
  for (const auto& [first, end] : ranges) {
    auto from = first * kCurveFan, to = std::min(end * kCurveFan, entries);
    if (!found.empty() && found.back().second == from) found.back().second = to;
    else found.emplace_back(from, to);
  }
  return found;
}
inline std::uint64_t size_of(const CurveRanges& ranges) {
  std::uint64_t size = 0;
  for (const auto& [first, end] : ranges) size += end - first;
  return size;
}

}  // namespace wm::store
