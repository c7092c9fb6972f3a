// Role: how much output of tasks a host keeps in its run folder, and how much else jobs may write
// there. That folder also holds what the daemons write, so users may fill a part of it only.
#pragma once

#include <cstdint>

namespace wm::launch {

/// The most of one stream of one task: enough for bpeek. @units bytes
inline constexpr std::uint64_t kMostSpool = 64u << 20;

/// The limit of each spooled stream on a host with this many slots: if every slot fills both of its
/// streams, an eighth of the file system is used. Between 64 KiB and kMostSpool.
/// @units bytes; `capacity`: of the run folder's file system, 0: not known   @cost O(1)
std::uint64_t spool_limit(std::uint64_t capacity, std::uint32_t slots);

/// What a job may write into its own folder for each slot that it has there, where the site does
/// not say: if every slot fills its part, a half of the file system is used, 64 MiB each at least.
/// @units bytes; `capacity`: as above   @cost O(1)
std::uint64_t folder_share(std::uint64_t capacity, std::uint32_t slots);

}  // namespace wm::launch
