#include "libwm/store/curves/curve_rows.h"

#include <cstring>

namespace wm::store {
namespace {

constexpr std::size_t kValueSize = sizeof(CurvePoint), kBucketSize = sizeof(CurveBucket);
static_assert(kValueSize == 3 * sizeof(double) && kBucketSize == 8 * sizeof(double),
              "entries are stored as they are");

template <class Entry>
void put(std::string& bytes, const Entry& entry) {
  bytes.append(reinterpret_cast<const char*>(&entry), sizeof entry);
}

template <class Entry>
Entry entry_at(const std::string& bytes, std::size_t at) {
  Entry entry;
  std::memcpy(&entry, bytes.data() + at, sizeof entry);
  return entry;
}

}  // namespace

std::string packed_row(unsigned level, const std::vector<CurveBucket>& entries) {
  std::string bytes;
  bytes.reserve(entries.size() * (level == 0 ? kValueSize : kBucketSize));
  for (const auto& entry : entries) {
    if (level == 0) put(bytes, CurvePoint{entry.last_step, entry.time_s, entry.sum});
    else put(bytes, entry);
  }
  return bytes;
}

Result<std::vector<CurveBucket>> unpacked_row(unsigned level, const std::string& bytes) {
  const std::size_t size = level == 0 ? kValueSize : kBucketSize;
  if (bytes.size() % size != 0 || bytes.size() / size > kCurveRow)
    return fail(Code::Damaged, "a row of " + std::to_string(bytes.size()) + " bytes");
  std::vector<CurveBucket> entries;
  entries.reserve(bytes.size() / size);
  for (std::size_t at = 0; at < bytes.size(); at += size)
    entries.push_back(level == 0 ? bucket_of(entry_at<CurvePoint>(bytes, at))
                                 : entry_at<CurveBucket>(bytes, at));
  return entries;
}

Result<std::vector<CurveBucket>> read_row(Connection& db, std::int64_t series, unsigned level,
                                          std::uint64_t row) {
  auto ask = db.use("SELECT entries FROM part WHERE series = ? AND level = ? AND number = ?");
  ask.bind(series).bind(level).bind(static_cast<std::int64_t>(row));
  WM_TRY(bool there, ask.step());
  if (!there) return std::vector<CurveBucket>();
  return unpacked_row(level, ask.text(0));
}

Result<void> write_row(Connection& db, std::int64_t series, unsigned level, std::uint64_t row,
                       const std::vector<CurveBucket>& entries) {
  auto bytes = packed_row(level, entries);
  auto put = db.use("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)");
  put.bind(series).bind(level).bind(static_cast<std::int64_t>(row)).bind_bytes(bytes);
  return put.run();
}

}  // namespace wm::store
