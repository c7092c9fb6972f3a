// Role: see sqlite.h. The only file of the product that calls SQLite.
#include "libwm/store/sqlite/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace wm::store {
namespace {

constexpr Duration kBusyStep = std::chrono::microseconds(250);

// SQLite would make the file with the umask's bits; scripts and environments live in it. A
// file that exists is not opened here: closing any descriptor of it would drop the locks
// that this process's other connections hold.
Result<void> make_file(const OpenOptions& options) {
  int fd = ::open(options.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, options.mode);
  if (fd >= 0) ::close(fd);
  else if (errno != EEXIST)
    return fail(Code::Store, options.path + ": cannot make it: " + std::strerror(errno));
  struct stat st {};
  if (::stat(options.path.c_str(), &st) != 0)
    return fail(Code::Store, options.path + ": cannot look at it: " + std::strerror(errno));
  if ((st.st_mode & 0777) == options.mode) return {};
  if ((st.st_mode & 0777 & ~options.mode) == 0 && fd < 0) return {};
  if (::chmod(options.path.c_str(), options.mode) == 0) return {};
  return fail(Code::Store, options.path + ": cannot set its permissions: " + std::strerror(errno));
}

std::string_view remedy(Fault fault) {
  switch (fault) {
    case Fault::NoSpace: return "; free space on this file system";
    case Fault::Io: return "; the device or its permissions need a look";
    case Fault::Busy: return "; another program holds it, close that one";
    case Fault::Damaged: return "; restore it from a backup, or move it away to start empty";
    case Fault::None: break;
  }
  return "";
}

}  // namespace

// ---- Statement -----------------------------------------------------------------------

Statement::~Statement() {
  if (!stmt_) return;
  sqlite3_reset(stmt_);
  sqlite3_clear_bindings(stmt_);
}

Statement& Statement::bind(std::int64_t value) {
  if (stmt_) sqlite3_bind_int64(stmt_, next_++, value);
  return *this;
}

Statement& Statement::bind_text(std::string_view value) {
  if (stmt_)
    sqlite3_bind_text64(stmt_, next_++, value.data() ? value.data() : "", value.size(),
                        SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_bytes(std::string_view value) {
  if (stmt_)
    sqlite3_bind_blob64(stmt_, next_++, value.data() ? value.data() : "", value.size(),
                        SQLITE_STATIC);
  return *this;
}

Result<bool> Statement::step() {
  if (!stmt_) return db_->prepare_error();
  int code = sqlite3_step(stmt_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return db_->failure(code);
}

Result<void> Statement::run() {
  for (;;) {
    WM_TRY(bool row, step());
    if (!row) break;
  }
  sqlite3_reset(stmt_);
  next_ = 1;
  return {};
}

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(stmt_, column); }

std::string Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(stmt_, column);
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(stmt_, column));
  return bytes ? std::string(static_cast<const char*>(bytes), size) : std::string();
}

// ---- Connection ----------------------------------------------------------------------

Result<std::unique_ptr<Connection>> Connection::open(const OpenOptions& options, Fault* why) {
  if (why) *why = Fault::Io;
  if (!options.read_only) WM_TRY(make_file(options));
  std::unique_ptr<Connection> made(new Connection(options));
  int flags =
      SQLITE_OPEN_NOMUTEX | (options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  const char* vfs = options.vfs.empty() ? nullptr : options.vfs.c_str();
  int code = sqlite3_open_v2(options.path.c_str(), &made->db_, flags, vfs);
  auto opened = code == SQLITE_OK ? made->start() : Result<void>(made->failure(code));
  if (opened) return made;
  if (why) *why = made->fault();
  return opened.error();
}

Result<void> Connection::start() {
  sqlite3_extended_result_codes(db_, 1);
  sqlite3_busy_handler(db_, &Connection::on_busy, this);
  WM_TRY(exec("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA secure_delete=OFF"));
  WM_TRY(exec(options_.sync_commits ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL"));
  if (options_.read_only) return {};
  if (!options_.wal) return exec("PRAGMA journal_mode=DELETE");
  WM_TRY(set_journal());
  return exec("PRAGMA wal_autocheckpoint=" + std::to_string(options_.checkpoint_pages));
}

Result<void> Connection::set_journal() {
  auto ask = use("PRAGMA journal_mode=WAL");
  WM_TRY(ask.step());
  if (ask.text(0) == "wal") return {};
  return fail(Code::Store, path() +
                               ": this file system has no shared memory for a write-ahead"
                               " log (SQLite stays in mode " +
                               ask.text(0) + "); use a local disk");
}

Connection::~Connection() {
  for (auto& [sql, stmt] : statements_) sqlite3_finalize(stmt);
  sqlite3_close(db_);
}

int Connection::on_busy(void* self, int count) {
  auto limit = static_cast<Connection*>(self)->options_.busy_limit;
  if (count * kBusyStep >= limit) return 0;
  ::usleep(static_cast<unsigned>(kBusyStep.count()));
  return 1;
}

Error Connection::failure(int code) {
  int extended = db_ ? sqlite3_extended_errcode(db_) : code;
  if ((extended & 0xff) != (code & 0xff)) extended = code;
  int system = db_ ? sqlite3_system_errno(db_) : 0;
  fault_ = fault_of(extended, system);
  bool io = fault_ == Fault::Io || fault_ == Fault::NoSpace;
  std::string text = path() + ": " + (db_ ? sqlite3_errmsg(db_) : sqlite3_errstr(code));
  if (io && system != 0) text += std::string(" (") + std::strerror(system) + ")";
  text += remedy(fault_);
  return fail(fault_ == Fault::Damaged ? Code::Damaged : Code::Store, std::move(text));
}

Result<void> Connection::exec(const std::string& sql) {
  int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return {};
}

void Connection::give_way() const { ::usleep(static_cast<unsigned>(4 * kBusyStep.count())); }

void Connection::undo() {
  // SQLite may have rolled back by itself; then this fails, which changes nothing.
  (void)sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

Statement Connection::use(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found != statements_.end()) return Statement(*this, found->second);
  sqlite3_stmt* stmt = nullptr;
  int code = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                                SQLITE_PREPARE_PERSISTENT, &stmt, nullptr);
  if (code == SQLITE_OK) statements_.emplace(sql, stmt);
  else prepare_error_ = failure(code);
  return Statement(*this, stmt);
}

Result<std::int64_t> Connection::number(std::string_view sql) {
  auto ask = use(sql);
  WM_TRY(bool row, ask.step());
  return row ? ask.number(0) : 0;
}

std::size_t Connection::changes() const { return static_cast<std::size_t>(sqlite3_changes64(db_)); }

// ---- Transaction -----------------------------------------------------------------------

Transaction::~Transaction() {
  if (open_) db_.undo();
}

Result<void> Transaction::begin() {
  WM_TRY(db_.exec("BEGIN IMMEDIATE"));
  open_ = true;
  return {};
}

Result<void> Transaction::commit() {
  WM_TRY(db_.exec("COMMIT"));
  open_ = false;
  return {};
}

}  // namespace wm::store
