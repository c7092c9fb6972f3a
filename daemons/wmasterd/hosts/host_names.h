// Role: hosts as people read them. Used by views.cc and history.cc. Pure.
#pragma once

#include <string>
#include <vector>

#include "libwm/model/cluster.h"

namespace wm::master {

/// Their names, sorted: numbers follow who registered first. "?": it is gone.
/// @cost O(hosts named x log)
std::vector<std::string> names_of(const Cluster& cluster, const std::vector<HostId>& hosts);

}  // namespace wm::master
