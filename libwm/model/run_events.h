// Role: events about what has run, as its owner keeps it: words of their own beside the record, and
// its deletion. They change no job: the archive (archive.db) is made of them. A part of event.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"

namespace wm {

/// What an owner says of a run, beside what it is. Empty: nothing is said.
struct RunWords {
  std::string name;               ///< shown in place of the job's
  std::string description, note;  ///< for people
  std::vector<std::string> tags;  ///< each once, rising
  bool starred = false;
  bool shelved = false;  ///< left out of lists unless they ask for it
  bool operator==(const RunWords&) const = default;
};
/// Of one run. @units bytes, but the number of tags
inline constexpr std::size_t kMostRunName = 256, kMostRunText = 16u << 10, kMostRunTags = 64,
                             kMostRunTag = 128;

/// These are a run's words from now on. A job that is not known any more may have them, too.
struct RunDescribed {
  JobId run;
  RunWords words;
  std::string by;
};
/// Its owner has deleted a run: its record goes, accounting keeps it. Of one that the master knew
/// still a JobPurged comes first. With an index: one element of an array.
struct RunDeleted {
  JobId run;
  std::string by;
};

}  // namespace wm
