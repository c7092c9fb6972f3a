// Role: kinds of store failure by what may be done next, beside the Error that people read.
//
//   NoSpace  the write did not happen; goes on when space is free again
//   Io       the device failed: what was written since the last sync is unknown; the
//            database must be closed and opened again, the write is never simply retried
//   Busy     another program holds the database; trying again may help
//   Damaged  the bytes on disk are not a database of ours; a person must act
#pragma once

#include <cstdint>
#include <string_view>

namespace wm::store {

/// Why the store stopped; None while it works.
enum class Fault : std::uint8_t { None, NoSpace, Io, Busy, Damaged };

/// "none", "no_space", "io", "busy", "damaged". @cost O(1)   @thread any
std::string_view fault_name(Fault fault);

/// The kind of a failed SQLite call. `code` is the extended result code, `system_errno` the
/// errno behind it (0 = unknown). A failed sync is Io whatever its errno: a disk that ran
/// full while flushing has lost pages, which is not the same as a refused write.
/// @cost O(1)   @thread any
Fault fault_of(int code, int system_errno);

}  // namespace wm::store
