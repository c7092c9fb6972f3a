// Role: what a submission takes from where it is made, as this process sees it. Effects: system
// calls.
#pragma once

#include "libwm/model/config/config.h"
#include "libwm/submit/submission.h"

namespace wm::cmd {

/// This user, folder, host, environment and terminal, at this moment. @thread main
Surroundings surroundings_here();
/// The same, with the units that the cluster gives to sizes without one. @thread main
Surroundings surroundings_here(const ClusterConf& conf);

}  // namespace wm::cmd
