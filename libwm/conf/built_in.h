// Role: what exists without being configured, so that an empty directory is a cluster.
// Called by parse() only. The root plan and the master's own host, which are made from
// other values, are added there.
#pragma once

#include <vector>

#include "libwm/model/config/config.h"

namespace wm::conf {

/// The profiles batch, inference, notebook and training: `start`, which is [default] of apps.conf,
/// but for what makes each of them that profile. Sections of apps.conf with these names start from
/// them. @cost O(1)   @thread any
std::vector<AppConf> built_in_apps(const AppConf& start);

/// The queue "normal", as `start`, which is [default] of queues.conf: there when queues.conf names
/// no queue. @cost O(1)
QueueConf built_in_queue(const QueueConf& start);

}  // namespace wm::conf
