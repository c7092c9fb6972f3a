// Role: indexes of a cluster's state: what a walk over all objects would find, kept up by the
// events that change the objects. Functions of the state, so they are not written to snapshots
// but made again from them. Held by model/cluster.h; changed by libwm/fsm and here.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/model/ordered.h"
#include "libwm/model/table.h"

namespace wm {

struct Cluster;
struct Host;
struct Job;

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

/// A job by what it is looked for; rising by job for each key.
struct JobKey {
  std::uint32_t key = 0;  ///< hash of a name: what is found has to be compared
  std::uint32_t job = 0;  ///< number in Cluster::jobs
  auto operator<=>(const JobKey&) const = default;
};
/// The key of a user, a job's name, a service. @cost O(length)   @source FNV-1a, 32 bits
std::uint32_t key_of(std::string_view name);

/// How many jobs of a user wait.
struct UserWaits {
  std::uint32_t uid = 0;
  std::uint64_t jobs = 0;
  bool operator<(const UserWaits& o) const { return uid < o.uid; }
  bool operator==(const UserWaits&) const = default;
};

/// How many made elements of an array are in each JobState.
using StateCounts = std::array<std::uint32_t, 11>;

struct Indexes {
  Table<JobsOnHost> jobs_on;                           ///< by host number; empty ones are absent
  Frozen<std::map<std::string, HostId>> host_numbers;  ///< by name
  std::uint32_t hosts_missing = 0;                     ///< configured, but never registered
  Frozen<std::set<JobId>> set_back;                    ///< not over, and with setbacks
  Frozen<std::set<JobId>> delivering;                  ///< with a host in outcome.delivers_on
  Frozen<std::set<HostId>> gaps;                       ///< with any in faults.gaps
  Frozen<std::set<HostId>> draining;                   ///< with drains

  Ordered<JobKey> by_user, by_name, services;  ///< by key_of; arrays by their base
  Ordered<JobKey> moved;                       ///< by queue: not over, with a place (btop, bbot)
  Ordered<UserWaits> waits;                    ///< of users with jobs that wait
  std::uint64_t waiting = 0;                   ///< their sum
  Table<StateCounts> arrays;                   ///< by number of the base

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
/// It is drained by now, or not any more. @cost O(log hosts)
void index_draining(Cluster& cluster, HostId host);
/// A job or element was made, or is not what it was. @cost O(log jobs), and O(ranges) of an array
void index_job(Cluster& cluster, JobId job);
/// A job, with its elements, is about to go, or to ask for something else: it is taken out until
/// index_job. @cost O(log jobs)
void unindex_job(Cluster& cluster, std::uint32_t job);
/// Visits the jobs, arrays by their base, that may have the key, rising from `first` on, until a
/// visit returns false. Were all visited?
/// @shape bool visit(const Job&)   @cost O(log jobs + visited)
template <class Jobs, class Visit>
bool each_keyed(const Jobs& jobs, const Ordered<JobKey>& index, std::uint32_t key,
                std::uint32_t first, Visit visit) {
  bool whole = true;
  index.each_from({key, first}, [&](const JobKey& at) {
    if (at.key != key) return false;
    whole = visit(*jobs.find(at.job));
    return whole;
  });
  return whole;
}
/// The configuration has changed. @cost O(hosts log hosts)
void index_config(Cluster& cluster);
/// All of them anew, of a state that was read. @cost O(state)
void build_indexes(Cluster& cluster);

}  // namespace wm
