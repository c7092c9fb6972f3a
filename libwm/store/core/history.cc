// Role: see history.h.
#include "libwm/store/core/history.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "libwm/store/core/core_rows.h"
#include "libwm/store/core/core_schema.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {
namespace {

constexpr std::size_t kMoveRows = 2000;
// How often a visit looks again for events that moved to the history while it ran.
constexpr int kVisitRounds = 3;

std::string month_file(WallTime time) {
  std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  char name[32];
  std::snprintf(name, sizeof name, "history-%04d%02u.db", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()));
  return name;
}

// Names in ascending order, which is the order of time and of sequence.
std::vector<std::string> history_names(const std::string& dir) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(dir, none)) {
    auto name = entry.path().filename().string();
    if (name.size() == 17 && name.starts_with("history-") && name.ends_with(".db"))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string file_for(const EventRow& event, const std::string& newest) {
  return std::max(month_file(event.time), newest);
}

Result<std::unique_ptr<Connection>> open_history(const StoreFiles& files, const std::string& name,
                                                 bool read_only) {
  OpenOptions open;
  open.path = files.dir + "/" + name;
  open.vfs = files.vfs;
  open.wal = false;
  open.read_only = read_only;
  WM_TRY(auto db, Connection::open(open));
  if (!read_only) WM_TRY(prepare(*db, kHistorySchema));
  return db;
}

Result<void> write_history(const StoreFiles& files, const std::string& name,
                           std::span<const EventRow> events) {
  WM_TRY(auto db, open_history(files, name, false));
  Transaction whole(*db);
  WM_TRY(whole.begin());
  {
    auto row = db->use("INSERT OR IGNORE INTO event VALUES (?,?,?,?,?)");
    for (const auto& e : events) {
      row.bind(stored(e.seq)).bind(stored(e.time)).bind(e.type).bind(e.version);
      WM_TRY(row.bind_bytes(e.payload).run());
    }
  }
  return whole.commit();
}

Result<void> delete_events(Connection& core, Seq first, Seq last) {
  auto row = core.use("DELETE FROM event WHERE seq BETWEEN ? AND ?");
  return row.bind(stored(first)).bind(stored(last)).run();
}

// Shows what one file has from `next` on; moves `next` past it.
Result<void> visit_file(Connection& db, Seq& next, const EventVisitor& visitor) {
  for (;;) {
    WM_TRY(auto rows, select_events(db, next, {}));
    if (rows.empty() || rows.front().seq != next) return {};
    for (const auto& row : rows) {
      WM_TRY(visitor(row));
      ++next.value;
    }
  }
}

// The sequence that comes after a gap, or 0 when all events were shown.
Result<Seq> visit_all_files(const StoreFiles& files, Seq& next, const EventVisitor& visitor) {
  for (const auto& name : history_names(files.dir)) {
    WM_TRY(auto db, open_history(files, name, true));
    WM_TRY(visit_file(*db, next, visitor));
  }
  OpenOptions open;
  open.path = files.dir + "/core.db";
  open.vfs = files.vfs;
  open.read_only = true;
  WM_TRY(auto core, Connection::open(open));
  WM_TRY(visit_file(*core, next, visitor));
  WM_TRY(auto later, select_events(*core, next, {.rows = 1}));
  return later.empty() ? Seq{} : later.front().seq;
}

}  // namespace

Result<std::size_t> move_to_history(Connection& core, const StoreFiles& files, Seq through) {
  WM_TRY(auto older, select_older_snapshot(core));
  through = std::min(through, older);
  auto names = history_names(files.dir);
  std::string newest = names.empty() ? "" : names.back();
  std::size_t moved = 0;
  for (;;) {
    WM_TRY(auto rows, select_events(core, Seq{}, {.rows = kMoveRows}));
    while (!rows.empty() && rows.back().seq > through) rows.pop_back();
    if (rows.empty()) return moved;
    newest = file_for(rows.front(), newest);
    while (file_for(rows.back(), newest) != newest) rows.pop_back();
    WM_TRY(write_history(files, newest, rows));
    WM_TRY(delete_events(core, rows.front().seq, rows.back().seq));
    moved += rows.size();
    core.give_way();
  }
}

Result<std::size_t> drop_history(const StoreFiles& files, WallTime before) {
  auto names = history_names(files.dir);
  const std::string kept = month_file(before);
  std::size_t dropped = 0;
  for (; dropped + 1 < names.size() && names[dropped] < kept; ++dropped) {
    WM_TRY(auto db, open_history(files, names[dropped], true));
    // The clock may have been set back: a file may have events younger than its month.
    WM_TRY(auto newest, db->number("SELECT coalesce(max(time), 0) FROM event"));
    if (WallTime(Duration(newest)) >= before) break;
    std::error_code error;
    std::filesystem::remove(files.dir + "/" + names[dropped], error);
    if (error) return fail(Code::System, files.dir + "/" + names[dropped] + ": " + error.message());
  }
  return dropped;
}

Result<Seq> first_event(const StoreFiles& files) {
  auto names = history_names(files.dir);
  names.push_back("core.db");
  for (const auto& name : names) {
    OpenOptions open;
    open.path = files.dir + "/" + name;
    open.vfs = files.vfs;
    open.wal = name == "core.db";
    open.read_only = true;
    WM_TRY(auto db, Connection::open(open));
    WM_TRY(auto first, db->number("SELECT coalesce(min(seq), 0) FROM event"));
    if (first > 0) return Seq{static_cast<std::uint64_t>(first)};
  }
  return Seq{};
}

Result<void> settle_history(const StoreFiles& files) {
  auto names = history_names(files.dir);
  if (names.empty()) return {};
  WM_TRY(open_history(files, names.back(), false));
  return {};
}

Result<Seq> visit_events(const StoreFiles& files, Seq from, const EventVisitor& visitor) {
  Seq next = from;
  for (int round = 1;; ++round) {
    WM_TRY(auto later, visit_all_files(files, next, visitor));
    if (!later) return Seq{next.value - 1};
    // A gap can be events on their way to the history while we looked at core.db.
    if (round < kVisitRounds) continue;
    return fail(Code::Damaged, files.dir + ": event " + std::to_string(next.value) +
                                   " is in no file, the next is " + std::to_string(later.value) +
                                   "; restore the history files from a backup, unless "
                                   "keep_history has dropped them");
  }
}

}  // namespace wm::store
