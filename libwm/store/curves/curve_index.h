// Role: metrics.idx, the values that a run reported, by series, at resolutions of 1, 16, 256, …
// values an entry. It is made of the run's own files and may be thrown away.
//
//   lines of a file ─► append ─► metrics.idx ─► read: at most so many buckets of a range of steps
//
//   level 0   ■■■■■■■■■■■■■■■■ ■■■■■■■■■■■■■■■■ ■■■       values
//   level 1   ■                ■                ■         16 of them
//   level 2   ■                                           256; the last of each level still grows
//
// Entries lie 256 a row (CURVE-1), so that a reading touches few rows. What is appended and how far
// its file was read change together (CURVE-2): a killed reader neither loses nor doubles a line.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/store/curves/bucket.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// How far a file was read. Another `inode`, or fewer bytes than `offset`: it is another file.
struct CurveSource {
  std::uint64_t inode = 0, offset = 0;
  bool operator==(const CurveSource&) const = default;
};

/// Group and name of a series: "train", "loss".
using CurveName = std::pair<std::string, std::string>;

/// A series as a whole: exact, whatever its length.
struct CurveFacts {
  std::int64_t id = 0;
  CurveName name;
  std::uint64_t count = 0;
  CurvePoint last, least, most;  ///< the newest value; the first of the least and of the greatest
  bool operator==(const CurveFacts&) const = default;
};

/// Values of several series, each in the order of its file.
using CurveBatch = std::map<CurveName, std::vector<CurvePoint>>;

/// Series beyond these are passed over.
inline constexpr std::size_t kMostCurves = 20'000;

/// @thread one at a time   @owns its connection
class CurveIndex {
 public:
  /// Opens it (0600), making it when missing. @errors Damaged: not ours, newer, or unsound: it may
  /// be removed; Store
  static Result<std::unique_ptr<CurveIndex>> open(const std::string& path);
  ~CurveIndex();

  /// How far that file was read. @errors Store, Damaged
  Result<CurveSource> source(std::string_view file);
  /// Values that stand in `file` before `read.offset`. All or nothing.
  /// @errors Store, Damaged   @cost O(values × levels), and a row or two a series and level
  Result<void> append(std::string_view file, const CurveSource& read, const CurveBatch& batch);
  /// Forgets all values and how far files were read. @errors Store, Damaged
  Result<void> clear();

  /// By group and name. @errors Store, Damaged   @cost O(series)
  Result<std::vector<CurveFacts>> facts();
  /// The values with steps in [from, to], at the finest level that has at most 16 × `most` entries
  /// there: buckets in the order in which they were reported. Those at the edges may reach beyond.
  /// @errors Store, Damaged   @cost O(most), whatever the series' length
  Result<std::vector<CurveBucket>> read(std::int64_t series, double from, double to,
                                        std::size_t most);

 private:
  class Series;

  explicit CurveIndex(std::string path) : path_(std::move(path)) {}
  Result<void> connect();
  Result<CurveFacts> find_or_make(const CurveName& name);
  Result<void> append_to(CurveFacts facts, const std::vector<CurvePoint>& points);

  std::string path_;
  std::unique_ptr<Connection> db_;
};

}  // namespace wm::store
