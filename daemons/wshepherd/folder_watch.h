// Role: what the job writes into its attempt's own folder itself. That lies in the host's run
// folder, which all jobs and the daemons share.
//
//   every second: all that is there ─ more than folder_limit for each task ─► end all:
//                                                                        TERM_FOLDERLIMIT
//
// A look costs no more than a part of the time: the next is put off after a long one, and one that
// comes to too many names, or too deep, has found too much. A file that has no name any more is not
// seen. Nothing is looked at before the folder is made, nor while the job is suspended.
#pragma once

#include "daemons/wshepherd/ending.h"
#include "daemons/wshepherd/folder.h"
#include "daemons/wshepherd/side_commands.h"

namespace wm::shepherd {

/// See the head of this file.
class FolderWatch : public Behaviour {
 public:
  FolderWatch(Attempt& attempt, Folder& folder, Enders& enders, SideCommands& sides)
      : attempt_(attempt), folder_(folder), enders_(enders), sides_(sides) {}
  /// Looks when that is due.
  void fire() override;
  std::optional<TimePoint> next() const override;

 private:
  bool is_due() const;
  Bytes limit() const;
  void end_for(const proc::FolderUse& use);

  Attempt& attempt_;
  Folder& folder_;
  Enders& enders_;
  SideCommands& sides_;
  TimePoint look_at_{};
  std::int64_t most_ = 1;  ///< tasks that ran at once
};

}  // namespace wm::shepherd
