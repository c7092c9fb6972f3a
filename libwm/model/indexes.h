// Role: indexes of a cluster's state: what a walk over all objects would find, kept up by the
// events that change the objects. Functions of the state, so they are not written to snapshots
// but made again from them. Held by model/cluster.h; changed by libwm/fsm and here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/model/table.h"

namespace wm {

struct Cluster;
struct Host;

/// The jobs that hold slots on one host, and how many each. Sorted by job.
using JobsOnHost = std::vector<std::pair<JobId, std::uint32_t>>;

/// A value that is copied once between two freezes, at its first change. @thread as Table
template <class T>
class Frozen {
 public:
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// The value to change. @cost a copy after freeze, else O(1)
  T& edit() {
    if (std::exchange(shared_, false)) value_ = std::make_shared<T>(*value_);
    return *value_;
  }
  /// As it is now, for readers. @cost O(1)
  Frozen freeze() {
    shared_ = true;
    return *this;
  }

 private:
  std::shared_ptr<T> value_ = std::make_shared<T>();
  bool shared_ = false;
};

struct Indexes {
  Table<JobsOnHost> jobs_on;                           ///< by host number; empty ones are absent
  Frozen<std::map<std::string, HostId>> host_numbers;  ///< by name
  std::uint32_t hosts_missing = 0;                     ///< configured, but never registered
  Frozen<std::set<JobId>> set_back;                    ///< not over, and with setbacks
  Frozen<std::set<JobId>> delivering;                  ///< with a host in outcome.delivers_on
  Frozen<std::set<HostId>> gaps;                       ///< with any in faults.gaps

  /// A copy for readers. @cost O(chunks)   @thread the writer's
  Indexes freeze();
};

/// A task takes its slot, or its slot is free again. @cost O(jobs on its host)
void index_slot(Indexes& indexes, JobId job, HostId host, bool takes);
/// A host that was not known before. @cost O(log hosts)
void index_host(Cluster& cluster, const Host& host);
/// A job may have setbacks by now, or none any more. @cost O(log such jobs), and a look-up of it
void index_setbacks(Cluster& cluster, JobId job);
/// What it leaves is being written by now, or not any more. @cost as index_setbacks
void index_delivery(Cluster& cluster, JobId job);
/// Its configuration has a gap by now, or none any more. @cost O(log hosts)
void index_gaps(Cluster& cluster, HostId host);
/// The configuration has changed. @cost O(hosts log hosts)
void index_config(Cluster& cluster);
/// All of them anew, of a state that was read. @cost O(state)
void build_indexes(Cluster& cluster);

}  // namespace wm
