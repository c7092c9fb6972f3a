// Role: checkpoints of a C++ training in $RESULT_DIR/checkpoint, written by rank 0. One can be
// resumed at any world size: it holds what a newcomer is given.
//
//   checkpoint.wm.<pid>.tmp ──fsync──► rename ──► checkpoint.wm ──► fsync of the folder
//
// Invariant: checkpoint.wm is whole at every instant.
#pragma once

#include <optional>
#include <string>

#include "libwm/trainer/groups/progress.h"

namespace wm::groups {

/// Everything that a newcomer or a member left behind is given.
struct Parcel {
  Progress progress;
  std::string state;  ///< of the Model
  std::string job;    ///< the job that wrote the checkpoint, as WM_JOB has it; empty: not known
  bool operator==(const Parcel&) const = default;
};

/// As bytes: magic and version, the numbers of the progress, the state, the job. @cost O(state)
std::string pack(const Parcel& parcel);
/// @errors empty: not these bytes, cut short, or of another version
std::optional<Parcel> unpack(std::string_view bytes);

/// Writes checkpoint/checkpoint.wm below `result_dir`. False, with the reason in `why`, leaves
/// the one before. @errors disk full or gone   @cost O(state) and two syncs   @thread any
bool save(const std::string& result_dir, const Parcel& parcel, std::string& why);

/// The newest checkpoint below `result_dir`. Empty: there is none, or, with a reason in `why`,
/// it cannot be read. @errors `why`
std::optional<Parcel> load(const std::string& result_dir, std::string& why);

/// What a job begins with: its own newest checkpoint, or one of an unknown job; else that
/// below `resume_from`, which must be there unless this is empty. Another job's that lies in
/// `result_dir`, since numbers of jobs come again, is renamed and kept. @errors `why`
std::optional<Parcel> begin_with(const std::string& result_dir, const std::string& job,
                                 const std::string& resume_from, std::string& why);

}  // namespace wm::groups
