// Role: SQLite's result codes to our four kinds of failure.
#include "libwm/store/sqlite/fault.h"

#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace wm::store {

std::string_view fault_name(Fault fault) {
  static constexpr std::array<std::string_view, 5> kNames = {"none", "no_space", "io", "busy",
                                                             "damaged"};
  auto i = static_cast<std::size_t>(fault);
  return i < kNames.size() ? kNames[i] : "unknown";
}

Fault fault_of(int code, int system_errno) {
  const bool no_space = system_errno == ENOSPC || system_errno == EDQUOT;
  const bool sync = code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC;
  switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE: return Fault::None;
    case SQLITE_FULL: return Fault::NoSpace;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN: return no_space && !sync ? Fault::NoSpace : Fault::Io;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return Fault::Busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Fault::Damaged;
    default: return Fault::Io;
  }
}

}  // namespace wm::store
