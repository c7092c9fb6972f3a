// Role: see archive_db.h: writing. Reading is in archive_reader.cc, asking in archive_query.cc.
#include "libwm/store/archive/archive_db.h"

#include <cstdio>
#include <filesystem>

#include "libwm/store/archive/archive_columns.h"
#include "libwm/store/archive/archive_schema.h"

namespace wm::store {
namespace {

constexpr const char* kPutRun =
    "INSERT OR REPLACE INTO run VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr const char* kPutWords = "INSERT OR REPLACE INTO run_word VALUES (?,?,?,?,?,?,?)";

Result<void> write_run(Connection& db, const RunRow& r, const RunWords& words) {
  auto text = whole_text(r, words);
  auto s = db.use(kPutRun);
  s.bind(r.job).bind(stored(r.seq)).bind(r.uid).bind_text(r.user).bind_text(shown_name(r, words));
  s.bind(static_cast<int>(r.state)).bind(static_cast<int>(r.kind)).bind(std::int64_t{r.search});
  s.bind(std::int64_t{words.starred}).bind(std::int64_t{words.shelved});
  for (const auto* t : {&r.queue, &r.app, &r.plan, &r.project, &r.framework, &r.service, &r.bundle})
    s.bind_text(*t);
  for (auto time : {r.submitted, r.started, r.ended}) s.bind(stored(time));
  s.bind_text(r.name).bind(static_cast<std::int64_t>(r.text.size()));
  return s.bind_text(text).bind_bytes(r.views).run();
}

Result<void> write_text(Connection& db, const RunRow& r, const RunWords& words) {
  auto text = whole_text(r, words);
  auto s = db.use("INSERT INTO run_text (rowid, text) VALUES (?, ?)");
  return s.bind(r.job).bind_text(text).run();
}

Result<void> write_list(Connection& db, const char* sql, const std::vector<std::string>& texts,
                        std::uint32_t job) {
  for (const auto& text : texts) WM_TRY(db.use(sql).bind_text(text).bind(job).run());
  return {};
}

}  // namespace

Result<std::unique_ptr<ArchiveDb>> ArchiveDb::open(const StoreFiles& files) {
  std::unique_ptr<ArchiveDb> made(new ArchiveDb(files));
  WM_TRY(made->connect());
  return made;
}

Result<void> ArchiveDb::connect() {
  OpenOptions open;
  open.path = files_.dir + "/archive.db";
  open.vfs = files_.vfs;
  WM_TRY(db_, Connection::open(open));
  auto fit = prepare(*db_, kArchiveSchema);
  if (!fit) db_.reset();
  return fit;
}

Result<void> ArchiveDb::reopen() {
  db_.reset();
  return connect();
}

Result<void> set_archive_aside(const StoreFiles& files) {
  auto path = files.dir + "/archive.db";
  std::error_code ec;
  for (const char* end : {"-wal", "-shm"}) std::filesystem::remove(path + end, ec);
  std::filesystem::rename(path, path + ".damaged", ec);
  if (ec && std::filesystem::exists(path))
    return fail(Code::System, path + ": cannot be moved aside: " + ec.message());
  return {};
}

Result<void> ArchiveDb::set_aside() {
  db_.reset();
  return set_archive_aside(files_);
}

Result<void> ArchiveDb::is_open() const {
  if (db_) return {};
  return fail(Code::Store, files_.dir + "/archive.db: closed after a failure");
}

Result<Seq> ArchiveDb::last_seq() {
  WM_TRY(is_open());
  WM_TRY(auto last, db_->number("SELECT last_seq FROM mark"));
  return Seq{static_cast<std::uint64_t>(last)};
}

Result<bool> ArchiveDb::is_filled() {
  WM_TRY(is_open());
  WM_TRY(auto filled, db_->number("SELECT filled FROM mark"));
  return filled != 0;
}

Result<void> ArchiveDb::set_filled() {
  WM_TRY(is_open());
  return db_->exec("UPDATE mark SET filled = 1");
}

Result<void> ArchiveDb::step_back(Seq seq) {
  WM_TRY(is_open());
  return db_->use("UPDATE mark SET last_seq = min(last_seq, ?)").bind(stored(seq)).run();
}

Result<std::uint32_t> ArchiveDb::last_job() {
  WM_TRY(is_open());
  WM_TRY(auto last, db_->number("SELECT coalesce(max(job), 0) FROM run"));
  return static_cast<std::uint32_t>(last);
}

Result<void> ArchiveDb::drop_text(std::uint32_t job) {
  std::string text;
  {
    auto ask = db_->use("SELECT text FROM run WHERE job = ?");
    WM_TRY(bool there, ask.bind(job).step());
    if (!there) return {};
    text = ask.text(0);
  }
  auto drop = db_->use("INSERT INTO run_text (run_text, rowid, text) VALUES ('delete', ?, ?)");
  return drop.bind(job).bind_text(text).run();
}

Result<void> ArchiveDb::put(const RunRow& row, bool unless_there) {
  WM_TRY(bool gone, is_run_gone(*db_, {row.job, 0}));
  if (gone) return {};
  if (unless_there) {
    WM_TRY(bool there, db_->use("SELECT 1 FROM run WHERE job = ?").bind(row.job).step());
    if (there) return {};
  }
  WM_TRY(auto words, words_of_run(*db_, row.job));
  WM_TRY(drop_text(row.job));
  WM_TRY(write_run(*db_, row, words));
  WM_TRY(write_text(*db_, row, words));
  WM_TRY(db_->use("DELETE FROM run_label WHERE job = ?").bind(row.job).run());
  return write_list(*db_, "INSERT OR IGNORE INTO run_label VALUES (?, ?)", row.labels, row.job);
}

// What is looked for by words changes with them.
Result<void> ArchiveDb::describe(const RunDescribed& said) {
  const auto& w = said.words;
  auto job = said.run.job;
  WM_TRY(bool gone, is_run_gone(*db_, {job, 0}));
  if (gone) return {};
  auto tags = joined_tags(w.tags);
  auto s = db_->use(kPutWords);
  s.bind(job).bind_text(w.name).bind_text(w.description).bind_text(w.note).bind_text(tags);
  WM_TRY(s.bind(std::int64_t{w.starred}).bind(std::int64_t{w.shelved}).run());
  WM_TRY(db_->use("DELETE FROM run_tag WHERE job = ?").bind(job).run());
  WM_TRY(write_list(*db_, "INSERT OR IGNORE INTO run_tag VALUES (?, ?)", w.tags, job));
  WM_TRY(auto row, row_of_run(*db_, job));
  return row.job ? put(row, false) : Result<void>();
}

Result<void> ArchiveDb::remove_row(std::uint32_t job) {
  WM_TRY(drop_text(job));
  for (const char* table : {"run_label", "run_tag", "run_word", "run"})
    WM_TRY(db_->exec("DELETE FROM " + std::string(table) + " WHERE job = " + std::to_string(job)));
  return {};
}

Result<void> ArchiveDb::remove(JobId run) {
  WM_TRY(
      db_->use("INSERT OR IGNORE INTO run_gone VALUES (?, ?)").bind(run.job).bind(run.index).run());
  return run.index ? Result<void>() : remove_row(run.job);
}

Result<void> ArchiveDb::apply(const std::vector<ArchiveStep>& steps, Seq mark) {
  WM_TRY(is_open());
  Transaction whole(*db_);
  WM_TRY(whole.begin());
  for (const auto& step : steps) {
    if (step.row) WM_TRY(put(*step.row, step.unless_there));
    if (step.said) WM_TRY(describe(*step.said));
    if (step.deleted) WM_TRY(remove(step.deleted));
  }
  if (mark) WM_TRY(db_->use("UPDATE mark SET last_seq = ?").bind(stored(mark)).run());
  return whole.commit();
}

Result<std::size_t> ArchiveDb::forget_where(const std::string& which, WallTime before) {
  std::vector<std::uint32_t> jobs;
  auto sql = "SELECT job FROM run INDEXED BY run_by_end WHERE ended < ? AND " + which +
             " ORDER BY ended LIMIT 1000";
  auto ask = db_->use(sql);
  ask.bind(stored(before));
  for (;;) {
    WM_TRY(bool there, ask.step());
    if (!there) break;
    jobs.push_back(static_cast<std::uint32_t>(ask.number(0)));
  }
  for (auto job : jobs) WM_TRY(remove_row(job));
  return jobs.size();
}

Result<std::size_t> ArchiveDb::forget(const ArchiveKeep& keep, WallTime now) {
  WM_TRY(is_open());
  Transaction whole(*db_);
  WM_TRY(whole.begin());
  std::size_t gone = 0;
  std::string others = "search = 0";
  for (const auto& [app, time] : keep.apps) {
    auto is_app = "app = " + quoted_sql(app);
    if (time > Duration{}) {
      WM_TRY(auto some, forget_where(is_app, now - time));
      gone += some;
    }
    others += " AND NOT " + is_app;
  }
  const auto batch = std::to_string(static_cast<int>(AppType::Batch));
  WM_TRY(auto some, forget_where(others + " AND kind = " + batch, now - keep.batch));
  gone += some;
  if (keep.runs > Duration{}) {
    auto kept = others.substr(std::string_view("search = 0").size());
    WM_TRY(auto more,
           forget_where("(kind <> " + batch + " OR search = 1)" + kept, now - keep.runs));
    gone += more;
  }
  WM_TRY(whole.commit());
  return gone;
}

}  // namespace wm::store
