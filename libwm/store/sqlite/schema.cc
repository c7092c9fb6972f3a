// Role: the check of a file at opening, and the walk to its newest version. The steps themselves
// stand with each database (core_schema.cc, acct_schema.cc, report_schema.cc).
#include "libwm/store/sqlite/schema.h"

#include <string>

namespace wm::store {
namespace {

// Refuses a file that another program made, or a newer version of ours.
Result<std::int64_t> version_of(Connection& db, const Schema& schema) {
  WM_TRY(auto id, db.number("PRAGMA application_id"));
  WM_TRY(auto version, db.number("PRAGMA user_version"));
  WM_TRY(auto tables, db.number("SELECT count(*) FROM sqlite_schema"));
  const std::string what(schema.what);
  if (id != schema.application_id && (id != 0 || version != 0 || tables != 0))
    return fail(Code::Damaged, db.path() + ": not a WM " + what + " (application id " +
                                   std::to_string(id) + "); move it away to start empty");
  auto ours = static_cast<std::int64_t>(schema.steps.size());
  if (version > ours)
    return fail(Code::Damaged, db.path() + ": " + what + " of version " + std::to_string(version) +
                                   ", this program knows up to " + std::to_string(ours) +
                                   "; run the newer program, or restore a backup from before it");
  return version;
}

}  // namespace

Result<void> prepare(Connection& db, const Schema& schema) {
  WM_TRY(auto version, version_of(db, schema));
  for (auto i = static_cast<std::size_t>(version); i < schema.steps.size(); ++i) {
    Transaction step(db);
    WM_TRY(step.begin());
    WM_TRY(db.exec(schema.steps[i]));
    WM_TRY(db.exec("PRAGMA user_version=" + std::to_string(i + 1)));
    WM_TRY(db.exec("PRAGMA application_id=" + std::to_string(schema.application_id)));
    WM_TRY(step.commit());
  }
  return {};
}

Result<void> check_version(Connection& db, const Schema& schema) {
  WM_TRY(auto version, version_of(db, schema));
  auto ours = static_cast<std::int64_t>(schema.steps.size());
  if (version == ours) return {};
  return fail(Code::Damaged, db.path() + ": " + std::string(schema.what) + " of version " +
                                 std::to_string(version) + ", this program reads version " +
                                 std::to_string(ours) +
                                 ": start the master of this release once, it brings it up");
}

Result<void> check_sound(Connection& db) {
  auto ask = db.use("PRAGMA quick_check(1)");
  WM_TRY(bool row, ask.step());
  if (row && ask.text(0) == "ok") return {};
  return fail(Code::Damaged, db.path() + ": failed the integrity check (" +
                                 (row ? ask.text(0) : "no answer") +
                                 "); restore it from a backup, or recover what is left with "
                                 "sqlite3 .recover");
}

}  // namespace wm::store
