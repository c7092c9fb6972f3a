// Role: the one append-only file of a host that remembers how tasks and attempts ended until
// the master has it (`<state>/exits`). Shepherds append, wnoded reads and shrinks.
//
// Format: records one after another: 4-byte magic "WMX1", 4-byte length, 4-byte CRC-32C of the
// bytes, the bytes (to_bytes of an ExitRecord). A torn or damaged stretch is skipped to the
// next magic: one bad record never hides the following ones.
// Invariants: a record is on disk (fdatasync) before append() returns; a writer holds the file
// locked (shared) and checks that it is still the file at that path; the shrinker locks it
// exclusively and puts a new file in its place by rename.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/launch/launcher.h"

namespace wm::proc {

/// CRC-32C (Castagnoli). @source RFC 3720 B.4   @cost O(bytes)
std::uint32_t crc32c(std::string_view bytes);

/// Appends the records with one write and one fdatasync; makes the file if missing.
/// @errors System: with path and reason; the file may then end in a torn record
/// @thread any process
Result<void> append_exits(const std::string& path, const std::vector<launch::ExitRecord>& records);

/// Told of every stretch that is no record: ends of attempts may be missing. One that was torn
/// off at the end of the file is none of these: nobody was told that it is kept.
/// @units at, bytes: of the file
using OnDamage = std::function<void(std::uint64_t at, std::uint64_t bytes)>;

/// All undamaged records, oldest first. A missing file holds none.
/// @errors System   @cost O(file)
Result<std::vector<launch::ExitRecord>> read_exits(const std::string& path,
                                                   const OnDamage& on_damage = nullptr);

/// Bytes of the file now, 0 when it is missing. @cost O(1)
std::uint64_t exits_size(const std::string& path);

/// Leaves only the records that `keep` wants; damaged stretches go. Records appended meanwhile are
/// kept: they are read under the lock. @errors System   @cost O(file)
Result<void> shrink_exits(const std::string& path,
                          const std::function<bool(const launch::ExitRecord&)>& keep,
                          const OnDamage& on_damage = nullptr);

}  // namespace wm::proc
