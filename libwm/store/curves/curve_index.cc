#include "libwm/store/curves/curve_index.h"

#include <array>
#include <cmath>
#include <optional>

#include "libwm/store/curves/curve_rows.h"
#include "libwm/store/sqlite/schema.h"

namespace wm::store {
namespace {

constexpr std::array<const char*, 1> kCurveSteps = {
    "CREATE TABLE source (file TEXT PRIMARY KEY, inode INTEGER NOT NULL,"
    "  read INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE series (id INTEGER PRIMARY KEY, grp TEXT NOT NULL, name TEXT NOT NULL,"
    "  count INTEGER NOT NULL, marks BLOB NOT NULL, UNIQUE (grp, name));"
    "CREATE TABLE part (series INTEGER NOT NULL, level INTEGER NOT NULL, number INTEGER NOT NULL,"
    "  entries BLOB NOT NULL, PRIMARY KEY (series, level, number)) WITHOUT ROWID;"};
const Schema kCurveSchema = {"index of metrics", 0x574d6375, kCurveSteps};

std::uint64_t divided_up(std::uint64_t value, std::uint64_t by) { return (value + by - 1) / by; }

// How many entries that level has of so many values.
std::uint64_t entries_at(unsigned level, std::uint64_t count) {
  for (; level > 0; --level) count = divided_up(count, kCurveFan);
  return count;
}

// The coarsest: one row holds it.
unsigned top_level(std::uint64_t count) {
  unsigned level = 0;
  for (; count > kCurveRow; ++level) count = divided_up(count, kCurveFan);
  return level;
}

std::string packed_marks(const CurveFacts& facts) {
  return packed_row(0, {bucket_of(facts.last), bucket_of(facts.least), bucket_of(facts.most)});
}

Result<CurveFacts> facts_in(const Statement& row) {
  CurveFacts facts;
  facts.id = row.number(0);
  facts.name = {row.text(1), row.text(2)};
  facts.count = static_cast<std::uint64_t>(row.number(3));
  WM_TRY(auto marks, unpacked_row(0, row.text(4)));
  if (marks.size() != 3 || facts.count == 0) return fail(Code::Damaged, "a series without marks");
  auto point = [](const CurveBucket& b) { return CurvePoint{b.last_step, b.time_s, b.sum}; };
  facts.last = point(marks[0]), facts.least = point(marks[1]), facts.most = point(marks[2]);
  return facts;
}

void note(CurveFacts& facts, const CurvePoint& point) {
  if (facts.count == 0 || point.value < facts.least.value) facts.least = point;
  if (facts.count == 0 || point.value > facts.most.value) facts.most = point;
  facts.last = point;
  ++facts.count;
}

bool overlaps(const CurveBucket& bucket, double from, double to) {
  return bucket.high_step >= from && bucket.low_step <= to;
}

// Calls `take` with the number and the entry of each in the ranges. @cost their rows
template <class Take>
Result<void> each_entry(Connection& db, std::int64_t series, unsigned level,
                        const CurveRanges& ranges, const Take& take) {
  std::uint64_t at = ~std::uint64_t{0};
  std::vector<CurveBucket> row;
  for (const auto& [first, end] : ranges) {
    for (auto number = first; number < end; ++number) {
      if (number / kCurveRow != at) {
        at = number / kCurveRow;
        WM_TRY(row, read_row(db, series, level, at));
      }
      if (number % kCurveRow >= row.size()) return fail(Code::Damaged, "a row is too short");
      take(number, row[number % kCurveRow]);
    }
  }
  return {};
}

}  // namespace

/// The growing end of a series: the last row of each level.
class CurveIndex::Series {
 public:
  Series(Connection& db, std::int64_t id, std::uint64_t count) : db_(db), id_(id), count_(count) {}

  Result<void> add(const CurvePoint& point) {
    std::uint64_t number = count_++;
    for (unsigned level = 0;; ++level, number /= kCurveFan) {
      WM_TRY(enter(level, number, bucket_of(point)));
      if (number < kCurveRow) return {};  // as top_level
    }
  }
  Result<void> flush() {
    for (unsigned level = 0; level < ends_.size(); ++level) WM_TRY(write(level));
    return {};
  }

 private:
  struct End {
    std::uint64_t row = 0;
    std::vector<CurveBucket> entries;
  };

  Result<void> write(unsigned level) {
    const auto& end = *ends_[level];
    return write_row(db_, id_, level, end.row, end.entries);
  }
  // The value goes into that entry, which is the last one or a new one.
  Result<void> enter(unsigned level, std::uint64_t number, const CurveBucket& value) {
    if (level == ends_.size()) ends_.emplace_back();
    auto& end = ends_[level];
    const auto row = number / kCurveRow;
    if (!end) {
      end.emplace();
      end->row = row;
      WM_TRY(end->entries, read_row(db_, id_, level, row));
      if (end->entries.empty() && row == 0 && level > 0) {
        WM_TRY(end->entries, first_of(level));
      }
    } else if (end->row != row) {
      WM_TRY(write(level));
      *end = {row, {}};
    }
    const auto at = number % kCurveRow;
    if (at > end->entries.size()) return fail(Code::Damaged, "a row is too short");
    if (at == end->entries.size()) end->entries.emplace_back();
    join(end->entries[at], value);
    return {};
  }
  // A level begins when the one below has filled its first row.
  Result<std::vector<CurveBucket>> first_of(unsigned level) {
    WM_TRY(auto below, read_row(db_, id_, level - 1, 0));
    std::vector<CurveBucket> entries(divided_up(below.size(), kCurveFan));
    for (std::size_t i = 0; i < below.size(); ++i) join(entries[i / kCurveFan], below[i]);
    return entries;
  }

  Connection& db_;
  std::int64_t id_;
  std::uint64_t count_;
  std::vector<std::optional<End>> ends_;
};

CurveIndex::~CurveIndex() = default;

Result<std::unique_ptr<CurveIndex>> CurveIndex::open(const std::string& path) {
  std::unique_ptr<CurveIndex> made(new CurveIndex(path));
  WM_TRY(made->connect());
  return made;
}

// No WAL: results may lie on a network file system, where its shared memory does not work. It is
// made of other files, so that it need not be durable.
Result<void> CurveIndex::connect() {
  OpenOptions open;
  open.path = path_;
  open.wal = false;
  open.sync_commits = false;
  WM_TRY(db_, Connection::open(open));
  return prepare(*db_, kCurveSchema);
}

Result<CurveSource> CurveIndex::source(std::string_view file) {
  auto ask = db_->use("SELECT inode, read FROM source WHERE file = ?");
  ask.bind_text(file);
  WM_TRY(bool there, ask.step());
  if (!there) return CurveSource{};
  return CurveSource{static_cast<std::uint64_t>(ask.number(0)),
                     static_cast<std::uint64_t>(ask.number(1))};
}

Result<void> CurveIndex::append(std::string_view file, const CurveSource& read,
                                const CurveBatch& batch) {
  Transaction all(*db_);
  WM_TRY(all.begin());
  WM_TRY(auto series, db_->number("SELECT count(*) FROM series"));
  for (const auto& [name, points] : batch) {
    if (points.empty()) continue;
    WM_TRY(auto facts, find_or_make(name));
    bool is_new = facts.count == 0;
    if (is_new && static_cast<std::size_t>(series) >= kMostCurves) continue;
    series += is_new;
    WM_TRY(append_to(std::move(facts), points));
  }
  auto mark = db_->use("INSERT OR REPLACE INTO source VALUES (?, ?, ?)");
  mark.bind_text(file)
      .bind(static_cast<std::int64_t>(read.inode))
      .bind(static_cast<std::int64_t>(read.offset));
  WM_TRY(mark.run());
  return all.commit();
}

// Without values: there is none of that name.
Result<CurveFacts> CurveIndex::find_or_make(const CurveName& name) {
  auto ask = db_->use("SELECT id, grp, name, count, marks FROM series WHERE grp = ? AND name = ?");
  ask.bind_text(name.first).bind_text(name.second);
  WM_TRY(bool there, ask.step());
  if (there) return facts_in(ask);
  CurveFacts facts;
  facts.name = name;
  return facts;
}

Result<void> CurveIndex::append_to(CurveFacts facts, const std::vector<CurvePoint>& points) {
  if (facts.count == 0) {
    WM_TRY(facts.id, db_->number("SELECT 1 + coalesce(max(id), 0) FROM series"));
  }
  Series series(*db_, facts.id, facts.count);
  for (const auto& point : points) {
    WM_TRY(series.add(point));
    note(facts, point);
  }
  WM_TRY(series.flush());
  auto marks = packed_marks(facts);
  auto put = db_->use("INSERT OR REPLACE INTO series VALUES (?, ?, ?, ?, ?)");
  put.bind(facts.id)
      .bind_text(facts.name.first)
      .bind_text(facts.name.second)
      .bind(static_cast<std::int64_t>(facts.count))
      .bind_bytes(marks);
  return put.run();
}

Result<void> CurveIndex::clear() {
  Transaction all(*db_);
  WM_TRY(all.begin());
  WM_TRY(db_->exec("DELETE FROM source; DELETE FROM series; DELETE FROM part"));
  return all.commit();
}

Result<std::vector<CurveFacts>> CurveIndex::facts() {
  std::vector<CurveFacts> all;
  auto ask = db_->use("SELECT id, grp, name, count, marks FROM series ORDER BY grp, name");
  while (true) {
    WM_TRY(bool there, ask.step());
    if (!there) return all;
    WM_TRY(auto facts, facts_in(ask));
    all.push_back(std::move(facts));
  }
}

Result<std::vector<CurveBucket>> CurveIndex::read(std::int64_t series, double from, double to,
                                                  std::size_t most) {
  auto ask = db_->use("SELECT count FROM series WHERE id = ?");
  ask.bind(series);
  WM_TRY(bool there, ask.step());
  if (!there) return std::vector<CurveBucket>();
  const auto count = static_cast<std::uint64_t>(ask.number(0));
  auto level = top_level(count);
  CurveRanges ranges{{0, entries_at(level, count)}};
  std::vector<CurveBucket> found;
  while (true) {
    CurveRanges inside;
    found.clear();
    WM_TRY(each_entry(*db_, series, level, ranges, [&](std::uint64_t number, const auto& entry) {
      if (!overlaps(entry, from, to)) return;
      found.push_back(entry);
      if (!inside.empty() && inside.back().second == number) ++inside.back().second;
      else inside.emplace_back(number, number + 1);
    }));
    if (level == 0) return found;
    ranges = finer(inside, entries_at(level - 1, count));
    if (size_of(ranges) > kCurveFan * most) return found;
    --level;
  }
}

}  // namespace wm::store
