// Role: tells the master what happens at the web door, for its record of acts. A log-on does
// not wait for it: acts are gathered, and told by a thread, again and again while the master is
// away. Used by wlogind, and by wgatewayd in a private cluster.
//
//   add(act) ─► gathered, 10,000 at most ─thread─► Master::note
#pragma once

#include <memory>

#include "libwm/model/config/config.h"
#include "libwm/model/verbs/token_verbs.h"

namespace wm::client {

/// See the head of this file. @thread any
class DoorRecord {
 public:
  explicit DoorRecord(const ClusterConf& conf);
  DoorRecord(const DoorRecord&) = delete;
  DoorRecord& operator=(const DoorRecord&) = delete;
  /// Tells what it can within two seconds; what it cannot is in the log.
  ~DoorRecord();

  /// Told soon. A log-on by name and password with each of many requests is told once in ten
  /// minutes an address (`repeated`). @cost O(log n)
  void add(DoorAct act, bool repeated = false);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace wm::client
