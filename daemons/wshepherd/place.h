// Role: what a shepherd knows of its host: where sockets, attempt folders and exit records
// lie. Given once on the zygote's command line by wnoded.
#pragma once

#include <string>

#include "libwm/launch/launcher.h"
#include "libwm/proc/cgroup.h"

namespace wm::shepherd {

/// Paths and names of this host. Values only.
struct Place {
  std::string run;            ///< sockets and attempt folders; searchable by users
  std::string exits;          ///< the exit records' file
  std::string node;           ///< name of this host
  proc::CgroupRoots cgroups;  ///< where attempts' groups are made; empty: nowhere
  char* title = nullptr;      ///< argv[0] of the zygote, overwritten by its children
  std::size_t title_size = 0;
};

/// "<run>/12-0.1.d": the attempt's own folder, owned by the job's user. @cost O(1)
inline std::string attempt_folder(const Place& place, const launch::AttemptKey& key) {
  return place.run + "/" + to_string(key) + ".d";
}

/// "wm@node1-12-0.1": one machine may carry several hosts, of several clusters. @cost O(1)
inline std::string cgroup_name(const std::string& cluster, const Place& place,
                               const launch::AttemptKey& key) {
  return cluster + "@" + place.node + "-" + to_string(key);
}

/// The group's name before it had the cluster in it: of attempts older than an upgrade. @cost O(1)
inline std::string old_cgroup_name(const Place& place, const launch::AttemptKey& key) {
  return place.node + "-" + to_string(key);
}

}  // namespace wm::shepherd
