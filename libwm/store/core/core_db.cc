// Role: see core_db.h: which side runs what, and what happens after a failure.
#include "libwm/store/core/core_db.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "libwm/base/backoff.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/store/core/core_rows.h"
#include "libwm/store/core/core_schema.h"
#include "libwm/store/core/history.h"

namespace wm::store {
namespace {

constexpr Duration kFirstLook = std::chrono::milliseconds(5);
constexpr Duration kLongestLook = std::chrono::milliseconds(200);

}  // namespace

CoreDb::CoreDb(CoreOptions options)
    : options_(std::move(options)), reserve_(options_.dir + "/store_reserve", options_.reserve) {}

CoreDb::~CoreDb() {
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

Result<std::unique_ptr<CoreDb>> CoreDb::open(const CoreOptions& options) {
  struct stat st {};
  if (::stat(options.dir.c_str(), &st) != 0 || !S_ISDIR(st.st_mode))
    return fail(Code::NotFound, "store directory '" + options.dir + "' does not exist");
  std::unique_ptr<CoreDb> made(new CoreDb(options));
  WM_TRY(made->lock_dir());
  WM_TRY(made->start());
  if (made->low_space_) return made;
  WM_TRY(bool reserved, made->reserve_.make(false));
  made->low_space_ = !reserved;
  return made;
}

Result<void> CoreDb::lock_dir() {
  std::string path = options_.dir + "/store_lock";
  lock_fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_fd_ < 0) return fail(Code::Store, path + ": cannot open: " + std::strerror(errno));
  // A process that was killed in the middle of a write has it until the disk has answered.
  auto end = steady_now() + options_.busy_limit;
  for (Backoff tries(kFirstLook, kLongestLook, random_number());
       ::flock(lock_fd_, LOCK_EX | LOCK_NB) != 0; tries.sleep())
    if (steady_now() >= end)
      return fail(Code::Conflict, options_.dir + ": another process has this store open");
  return {};
}

Result<void> CoreDb::connect(Side& side, OpenOptions open) {
  open.path = options_.dir + "/core.db";
  open.vfs = options_.vfs;
  open.busy_limit = options_.busy_limit;
  Fault why = Fault::None;
  auto db = Connection::open(open, &why);
  if (!db) fault_ = why;
  WM_TRY(side.db, std::move(db));
  return {};
}

// Opens all sides and proves that writing works. A disk that is full of our own reserve
// must not keep the master from starting.
Result<void> CoreDb::start() {
  for (;;) {
    close_sides();
    auto opened = open_sides();
    if (opened) {
      fault_ = Fault::None;
      return {};
    }
    if (commit_.db && commit_.db->fault() != Fault::None) fault_ = commit_.db->fault();
    if (opened.error().code == Code::Damaged) fault_ = Fault::Damaged;
    close_sides();
    if (fault_ != Fault::NoSpace || !reserve_.release()) return opened;
    low_space_ = true;
  }
}

void CoreDb::close_sides() {
  for (Side* side : {&read_, &chores_, &commit_}) side->db.reset();
}

Result<void> CoreDb::open_sides() {
  WM_TRY(connect(commit_, {.checkpoint_pages = 4 * options_.checkpoint_pages}));
  WM_TRY(prepare(*commit_.db, kCoreSchema));
  WM_TRY(check_sound(*commit_.db));
  WM_TRY(settle_history({options_.dir, options_.vfs}));
  WM_TRY(connect(read_, {.read_only = true}));
  WM_TRY(connect(chores_, {.checkpoint_pages = options_.checkpoint_pages}));
  WM_TRY(last_, select_last_seq(*commit_.db));
  return probe_commit(*commit_.db);
}

// ---- commit side ---------------------------------------------------------------------

Result<void> CoreDb::append(const Batch& batch) {
  std::lock_guard turn(commit_.turn);
  if (fault_ != Fault::None || !commit_.db)
    return fail(Code::Store, options_.dir + ": the store is stopped (" +
                                 std::string(fault_name(fault_)) + ") until it is reopened");
  Seq last = last_;
  for (const auto& event : batch.events)
    if (event.seq.value != ++last.value)
      return fail(Code::BadArgument, "event " + std::to_string(event.seq.value) +
                                         " out of sequence: expected " +
                                         std::to_string(last.value));
  auto done = write(batch);
  if (!done && commit_.db->fault() == Fault::NoSpace && reserve_.release()) {
    low_space_ = true;
    done = write(batch);
  }
  if (done) last_ = last;
  else fault_ = commit_.db->fault();
  return done;
}

Result<void> CoreDb::write(const Batch& batch) {
  Transaction whole(*commit_.db);
  WM_TRY(whole.begin());
  WM_TRY(insert_batch(*commit_.db, batch));
  return whole.commit();
}

Result<void> CoreDb::reopen() {
  std::scoped_lock turns(commit_.turn, read_.turn, chores_.turn);
  return start();
}

// ---- read and chores ------------------------------------------------------------------

template <class Act>
auto CoreDb::on(Side& side, Act act) -> decltype(act(*side.db)) {
  std::lock_guard turn(side.turn);
  if (!side.db)
    return fail(Code::Store, options_.dir + ": the store is closed after a failure (" +
                                 std::string(fault_name(fault_)) + ")");
  auto result = act(*side.db);
  // A sync that failed here may have lost pages of the shared log: nobody writes on.
  if (!result && &side == &chores_ && side.db->fault() == Fault::Io) fault_ = Fault::Io;
  return result;
}

Result<std::string> CoreDb::store_id() { return on(read_, select_store_id); }

Result<Seq> CoreDb::last_seq() { return on(read_, select_last_seq); }

Result<std::vector<EventRow>> CoreDb::read_events(Seq from, ReadLimit limit) {
  WM_TRY(auto rows, on(read_, [&](Connection& db) { return select_events(db, from, limit); }));
  if (!rows.empty() && rows.front().seq > from)
    return fail(Code::NotFound,
                "event " + std::to_string(from.value) + " is in the history: " + options_.dir +
                    "/core.db begins with " + std::to_string(rows.front().seq.value));
  return rows;
}

Result<std::string> CoreDb::blob(const Hash& hash) {
  return on(read_, [&](Connection& db) { return select_blob(db, hash); });
}

Result<std::optional<std::string>> CoreDb::reply(const RequestKey& key) {
  return on(read_, [&](Connection& db) { return select_reply(db, key); });
}

Result<std::optional<Snapshot>> CoreDb::latest_snapshot() { return on(read_, select_snapshot); }

Result<void> CoreDb::write_snapshot(const Snapshot& snapshot) {
  return on(chores_, [&](Connection& db) { return insert_snapshot(db, snapshot); });
}

Result<std::size_t> CoreDb::archive_events(Seq through) {
  return on(chores_, [&](Connection& db) {
    return move_to_history(db, {options_.dir, options_.vfs}, through);
  });
}

Result<std::size_t> CoreDb::drop_blobs(const std::set<Hash>& keep, Seq through) {
  return on(chores_, [&](Connection& db) { return delete_blobs(db, keep, through); });
}

Result<std::size_t> CoreDb::drop_replies(WallTime before) {
  return on(chores_, [&](Connection& db) { return delete_replies(db, before); });
}

Result<std::size_t> CoreDb::drop_history(WallTime before) {
  return on(chores_, [&](Connection&) {
    return wm::store::drop_history({options_.dir, options_.vfs}, before);
  });
}

Result<bool> CoreDb::make_reserve() {
  std::lock_guard turn(commit_.turn);  // append releases what is made here
  WM_TRY(bool there, reserve_.make(true));
  if (there) low_space_ = false;
  return there;
}

}  // namespace wm::store
