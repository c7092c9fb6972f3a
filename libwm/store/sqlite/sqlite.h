// Role: the little of SQLite that the store uses, with errors as values: a connection, a
// prepared statement, a transaction. Everything else in this library speaks through it.
//
//   Statement s = db.use("INSERT INTO t VALUES (?, ?)");
//   s.bind(1).bind_text("x");
//   WM_TRY(s.run());
//
// A failure is an Error for people (its text names the file and the remedy) and a Fault for
// the program (what may be done next). A connection belongs to one thread at a time.
// Used only inside libwm/store.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/store/sqlite/fault.h"

struct sqlite3;
struct sqlite3_stmt;

namespace wm::store {

/// As stored: microseconds since the Unix epoch. @cost O(1)
inline std::int64_t stored(WallTime time) { return time.time_since_epoch().count(); }
inline std::int64_t stored(Seq seq) { return static_cast<std::int64_t>(seq.value); }

/// How a database file is opened. `mode`: permission bits when writing; an existing file
/// with wider bits is narrowed. `sync_commits`: false = commits become durable in order, but
/// later (for what can be made again). `vfs`: SQLite's file layer by name, empty = the default.
/// @units busy_limit: how long to wait for another connection's write lock
struct OpenOptions {
  std::string path = {};
  std::string vfs = {};
  unsigned mode = 0600;
  bool read_only = false;
  bool wal = true;
  bool sync_commits = true;
  int checkpoint_pages = 1000;
  Duration busy_limit = std::chrono::seconds(5);
};

class Connection;

/// One use of a prepared statement: bound left to right, then stepped; reset when it goes.
/// A statement that could not be prepared says so at its first step.
/// @thread its connection's
class Statement {
 public:
  Statement(Connection& db, sqlite3_stmt* stmt) : db_(&db), stmt_(stmt) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Gives the next parameter its value; text is copied.
  Statement& bind(std::int64_t value);
  Statement& bind_text(std::string_view value);
  /// The bytes are borrowed until the statement is reset.
  Statement& bind_bytes(std::string_view value);

  /// True: a row is there; false: done.
  /// @errors Store, Damaged: as SQLite says
  Result<bool> step();
  /// Steps to the end and makes the statement ready to be bound again.
  /// @errors as step
  Result<void> run();

  /// A column of the current row, from 0; NULL reads as 0 and as empty.
  std::int64_t number(int column) const;
  std::string text(int column) const;

 private:
  Connection* db_;
  sqlite3_stmt* stmt_;
  int next_ = 1;
};

/// An open database file.
/// @thread one at a time   @owns the file handle and its prepared statements
class Connection {
 public:
  /// On failure `why`, when given, tells the kind.
  /// @errors Store, Damaged: the file cannot be opened, made or used in WAL mode
  static Result<std::unique_ptr<Connection>> open(const OpenOptions& options, Fault* why = nullptr);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs one or more statements without parameters or rows.
  /// @errors Store, Damaged
  Result<void> exec(const std::string& sql);
  /// Sleeps for a few of the busy handler's steps, between the pieces of a long chore: a
  /// commit that waits for the write lock would else find it taken again each time it looks.
  void give_way() const;
  /// Rolls back what is open; keeps fault() as the cause left it.
  void undo();
  /// The statement of this text, prepared once per connection. Not to be used nested.
  Statement use(std::string_view sql);
  /// First column of the first row; 0 when there is no row.
  /// @errors Store, Damaged
  Result<std::int64_t> number(std::string_view sql);
  /// Rows changed by the last statement. @cost O(1)
  std::size_t changes() const;

  /// What kind of failure the last failing call met; None before any.
  Fault fault() const { return fault_; }
  const std::string& path() const { return options_.path; }
  /// Why the last statement could not be prepared; set with it.
  const Error& prepare_error() const { return prepare_error_; }
  /// The error of the call that just returned `code`; remembers its kind.
  Error failure(int code);

 private:
  explicit Connection(OpenOptions options) : options_(std::move(options)) {}
  Result<void> start();
  Result<void> set_journal();
  static int on_busy(void* self, int count);

  OpenOptions options_;
  sqlite3* db_ = nullptr;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
  Fault fault_ = Fault::None;
  Error prepare_error_;
};

/// A transaction: undone when it goes out of scope without commit().
/// @thread its connection's
class Transaction {
 public:
  explicit Transaction(Connection& db) : db_(db) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  /// @errors Store: the write lock was not had in busy_limit
  Result<void> begin();
  /// Durable when it returns without error; after an error the outcome is all or nothing.
  /// @errors Store, Damaged
  Result<void> commit();

 private:
  Connection& db_;
  bool open_ = false;
};

}  // namespace wm::store
