#include "libwm/store/core/backup.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "libwm/base/hash.h"
#include "libwm/files/whole_file.h"
#include "libwm/store/core/core_rows.h"
#include "libwm/store/core/core_schema.h"
#include "libwm/store/sqlite/copy.h"
#include "libwm/store/sqlite/schema.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead = "wm backup 1";
// Made anew at a start, or of this machine alone.
const std::set<std::string> kLeftOut = {"store_lock", "store_reserve", "outranked", "MANIFEST"};

bool is_database(const std::string& name) { return name.ends_with(".db"); }
bool is_history(const std::string& name) { return name.starts_with("history-"); }
bool belongs_to_database(const std::string& name) {
  return name.ends_with(".db-wal") || name.ends_with(".db-shm") || name.ends_with(".db-journal");
}

// The order of backup.h.
enum Turn { kDerived, kCore, kHistory, kArchive, kOther };
Turn turn_of(const std::string& name) {
  if (!is_database(name)) return kOther;
  if (is_history(name)) return kHistory;
  if (name == "archive.db") return kArchive;
  return name == "core.db" ? kCore : kDerived;
}

bool is_copied(const std::string& name) {
  return !kLeftOut.contains(name) && !belongs_to_database(name);
}

Result<std::vector<std::string>> names_in(const std::string& folder, int turn) {
  std::vector<std::string> names;
  std::error_code ec;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    auto name = at->path().filename().string();
    if (at->is_regular_file(ec) && is_copied(name) && turn_of(name) == turn) names.push_back(name);
  }
  if (ec) return fail(Code::System, folder + ": " + ec.message());
  std::sort(names.begin(), names.end());
  return names;
}

Result<Seq> seq_of(const std::string& core, std::string& id) {
  WM_TRY(auto db, Connection::open({.path = core, .read_only = true}));
  WM_TRY(check_version(*db, kCoreSchema));
  WM_TRY(id, select_store_id(*db));
  return select_last_seq(*db);
}

Result<void> cut_back(const std::string& history, Seq last) {
  WM_TRY(auto db, Connection::open({.path = history, .wal = false}));
  auto cut = db->use("DELETE FROM event WHERE seq > ?");
  cut.bind(stored(last));
  return cut.run();
}

Result<std::string> hash_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(Code::System, path + ": cannot be read");
  Hasher hasher;
  std::string piece(1 << 20, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0)
    hasher.add(std::string_view(piece).substr(0, static_cast<std::size_t>(in.gcount())));
  if (in.bad()) return fail(Code::System, path + ": cannot be read to its end");
  return hex(hasher.finish());
}

Result<std::string> manifest_of(const std::string& folder, const BackupFacts& facts) {
  std::string text(kHead);
  text += "\nstore " + facts.store + " event " + std::to_string(facts.seq.value) + "\n";
  for (const auto& name : facts.files) {
    WM_TRY(auto hash, hash_of_file(folder + "/" + name));
    text += hash + " " + name + "\n";
  }
  return text;
}

Result<void> copy_one(const std::string& from, const std::string& to) {
  if (is_database(from)) return copy_database(from, to);
  std::error_code ec;
  fs::copy_file(from, to, ec);
  return ec ? Result<void>(fail(Code::System, to + ": " + ec.message())) : Result<void>();
}

Result<void> add_copy(const std::string& from, const std::string& to, BackupFacts& facts) {
  auto name = fs::path(from).filename().string();
  WM_TRY(copy_one(from, to));
  if (turn_of(name) == kCore) {
    WM_TRY(facts.seq, seq_of(to, facts.store));
  }
  if (turn_of(name) == kHistory) WM_TRY(cut_back(to, facts.seq));
  std::error_code ec;
  facts.bytes.value += static_cast<std::int64_t>(fs::file_size(to, ec));
  facts.files.push_back(std::move(name));
  return {};
}

}  // namespace

Result<BackupFacts> copy_stores(const std::string& state, const std::string& to) {
  std::error_code ec;
  if (!fs::exists(state + "/core.db", ec)) return fail(Code::NotFound, state + ": no core.db");
  BackupFacts facts;
  for (int turn : {kDerived, kCore, kHistory, kArchive, kOther}) {
    // Read anew each turn: while core.db was copied a month of history may have begun.
    WM_TRY(auto names, names_in(state, turn));
    for (const auto& name : names) WM_TRY(add_copy(state + "/" + name, to + "/" + name, facts));
  }
  WM_TRY(auto manifest, manifest_of(to, facts));
  WM_TRY(replace_file(to + "/MANIFEST", manifest, 0600));
  WM_TRY(verify_copy(to));
  return facts;
}

Result<void> verify_copy(const std::string& folder) {
  WM_TRY(auto manifest, read_file(folder + "/MANIFEST"));
  std::istringstream lines(manifest);
  std::string line;
  std::getline(lines, line);
  if (line != kHead) return fail(Code::Damaged, folder + "/MANIFEST: not of a WM backup");
  std::getline(lines, line);
  for (std::string hash, name; lines >> hash >> name;) {
    auto found = hash_of_file(folder + "/" + name);
    if (!found || *found != hash)
      return fail(Code::Damaged, folder + "/" + name + ": not what was copied");
  }
  return {};
}

}  // namespace wm::store
