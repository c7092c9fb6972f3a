// Role: see archive_db.h: records as they are read. What is looked for is in archive_query.cc.
#include <filesystem>

#include "libwm/store/archive/archive_columns.h"
#include "libwm/store/archive/archive_db.h"

namespace wm::store {
namespace {

WallTime time_at(const Statement& ask, int column) {
  return WallTime(Duration(ask.number(column)));
}

Result<std::vector<std::string>> labels_of_run(Connection& db, std::uint32_t job) {
  std::vector<std::string> labels;
  auto ask = db.use("SELECT label FROM run_label WHERE job = ? ORDER BY label");
  ask.bind(job);
  for (;;) {
    WM_TRY(bool there, ask.step());
    if (!there) return labels;
    labels.push_back(ask.text(0));
  }
}

Result<std::vector<std::uint32_t>> gone_of_run(Connection& db, std::uint32_t job) {
  std::vector<std::uint32_t> gone;
  auto ask = db.use("SELECT idx FROM run_gone WHERE job = ? ORDER BY idx");
  ask.bind(job);
  for (;;) {
    WM_TRY(bool there, ask.step());
    if (!there) return gone;
    gone.push_back(static_cast<std::uint32_t>(ask.number(0)));
  }
}

// Of the whole text that which the record's maker gave: behind the job's own name.
std::string own_text(const Statement& ask, const std::string& own_name) {
  auto whole = ask.text(22);
  auto begin = std::min(whole.size(), own_name.size() + 1);
  return whole.substr(begin, static_cast<std::size_t>(ask.number(21)));
}

}  // namespace

std::string quoted_sql(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::string joined_tags(const std::vector<std::string>& tags) {
  std::string text;
  for (const auto& tag : tags) text += (text.empty() ? "" : "\n") + tag;
  return text;
}

std::vector<std::string> split_tags(const std::string& text) {
  std::vector<std::string> tags;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    tags.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return tags;
}

Result<RunRow> row_of_run(Connection& db, std::uint32_t job) {
  RunRow r;
  {
    auto ask = db.use("SELECT * FROM run WHERE job = ?");
    WM_TRY(bool there, ask.bind(job).step());
    if (!there) return r;
    r.job = job;
    r.seq = Seq{static_cast<std::uint64_t>(ask.number(1))};
    r.uid = static_cast<std::uint32_t>(ask.number(2));
    r.user = ask.text(3);
    r.state = static_cast<JobState>(ask.number(5));
    r.kind = static_cast<AppType>(ask.number(6));
    r.search = ask.number(7) != 0;
    int column = 10;
    for (auto* t : {&r.queue, &r.app, &r.plan, &r.project, &r.framework, &r.service, &r.bundle})
      *t = ask.text(column++);
    r.submitted = time_at(ask, 17), r.started = time_at(ask, 18), r.ended = time_at(ask, 19);
    r.name = ask.text(20);
    r.text = own_text(ask, r.name);
    r.views = ask.text(23);
  }
  WM_TRY(r.labels, labels_of_run(db, job));
  return r;
}

Result<RunWords> words_of_run(Connection& db, std::uint32_t job) {
  RunWords words;
  auto ask = db.use("SELECT * FROM run_word WHERE job = ?");
  WM_TRY(bool there, ask.bind(job).step());
  if (!there) return words;
  words.name = ask.text(1), words.description = ask.text(2), words.note = ask.text(3);
  words.tags = split_tags(ask.text(4));
  words.starred = ask.number(5) != 0, words.shelved = ask.number(6) != 0;
  return words;
}

Result<bool> is_run_gone(Connection& db, JobId run) {
  auto ask = db.use("SELECT 1 FROM run_gone WHERE job = ? AND idx IN (0, ?)");
  return ask.bind(run.job).bind(run.index).step();
}

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::open(const StoreFiles& files) {
  OpenOptions open;
  open.path = files.dir + "/archive.db";
  open.vfs = files.vfs;
  open.read_only = true;
  WM_TRY(auto db, Connection::open(open));
  return std::unique_ptr<ArchiveReader>(new ArchiveReader(std::move(db), files));
}

Result<FoundRun> ArchiveReader::words(std::uint32_t job) {
  FoundRun found;
  WM_TRY(found.words, words_of_run(*db_, job));
  WM_TRY(found.gone, gone_of_run(*db_, job));
  return found;
}

Result<FoundRun> ArchiveReader::run(std::uint32_t job) {
  WM_TRY(auto found, words(job));
  WM_TRY(found.row, row_of_run(*db_, job));
  return found;
}

Result<bool> ArchiveReader::is_gone(JobId run) { return is_run_gone(*db_, run); }

Result<ArchiveFacts> ArchiveReader::facts() {
  ArchiveFacts facts;
  WM_TRY(auto runs, db_->number("SELECT count(*) FROM run"));
  WM_TRY(auto described, db_->number("SELECT count(*) FROM run_word"));
  facts.runs = static_cast<std::uint64_t>(runs);
  facts.described = static_cast<std::uint64_t>(described);
  for (const char* end : {"", "-wal"}) {
    std::error_code ec;
    auto size = std::filesystem::file_size(files_.dir + "/archive.db" + end, ec);
    if (!ec) facts.bytes.value += static_cast<std::int64_t>(size);
  }
  return facts;
}

}  // namespace wm::store
