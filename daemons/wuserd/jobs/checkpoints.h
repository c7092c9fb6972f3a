// Role: what a run left to be gone on from: RESULT_DIR/checkpoint as a page lists it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wm::user {

/// A file, or a folder of files.
struct CheckpointFile {
  std::string name;
  std::uint64_t size = 0;
  std::int64_t saved = 0;  ///< seconds
  bool newest = false;     ///< a new run that resumes begins with this one
};

/// The newest first, at most 200; what is being written is left out. @cost a listing, and a stat
/// of each file
std::vector<CheckpointFile> checkpoints_of(const std::string& result_dir);

/// {"checkpoints":[…],"resumable":…}. @cost as checkpoints_of
std::string checkpoints_json(const std::string& result_dir);

}  // namespace wm::user
