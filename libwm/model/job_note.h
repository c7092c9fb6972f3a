// Role: messages that people and programs leave at a job (bpost, bread). Values; only libwm/fsm
// changes them, by events.
//
// @source LSF: bpost, bread, and external() of bsub -w
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/units.h"

namespace wm {

/// What may be left at one job.
inline constexpr std::uint32_t kMostNotes = 128;         ///< their indexes are below
inline constexpr std::size_t kMostNoteText = 512;        ///< @units bytes
inline constexpr std::size_t kMostNoteData = 64 * 1024;  ///< of all attachments @units bytes

/// One message; a new one takes the place of that with its index.
struct JobNote {
  std::uint32_t index = 0;
  std::string by, text;
  WallTime at{};
  std::string file;  ///< name of what is attached; empty: nothing is
  std::string data;  ///< its bytes
  bool operator==(const JobNote&) const = default;
};
using JobNotes = std::vector<JobNote>;

}  // namespace wm
