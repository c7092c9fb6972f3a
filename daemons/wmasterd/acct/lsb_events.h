// Role: lsb.events as programs written for LSF read it: lines of what has happened to jobs,
// appended to $LSB_SHAREDIR/CLUSTER/logdir/lsb.events where wm.conf says lsb_events. Lines are made
// on the loop and written by a thread of their own, so that a slow disk holds nobody up. Nothing of
// WM reads the file: what a crash, or a full disk, keeps from being written is missing from it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::master {

/// The lines of these events, "" of those that the file does not tell: JOB_NEW of a submission,
/// JOB_START of a dispatch, JOB_STATUS of other changes, and at an end that and JOB_FINISH.
/// `after`: what they have made of the cluster. Pure.
/// @cost O(text)   @source LSF: lsb.events, lsb.acct (lsf-surface 4)
std::string lsb_lines(const std::vector<Event>& events, const Cluster& after);

/// Where the lines go. Empty: nowhere, no key asks for them. @cost O(1)
std::string lsb_events_path(const ClusterConf& cluster);

/// @thread take: the loop's
class LsbEvents {
 public:
  LsbEvents();
  ~LsbEvents();
  /// Has the lines of these events appended, if the configuration of `after` wants it. What comes
  /// while more than 64 MiB wait is dropped. @cost O(text)
  void take(const std::vector<Event>& events, const Cluster& after);

 private:
  struct Part {
    std::string path, lines;
    bool open_to_all = true;  ///< they hold nothing that others may not see
  };
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  std::vector<Part> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool ending_ = false;

  bool failing_ = false;  // the last part could not be written; of thread_ alone
  std::thread thread_;
};

}  // namespace wm::master
