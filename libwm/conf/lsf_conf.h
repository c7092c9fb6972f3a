// Role: the cluster as programs written for LSF read it: what stands in lsf.conf, and what bparams,
// badmin showconf and lsadmin showconf print. Made of wm.conf alone. Pure.
#pragma once

#include <string>
#include <vector>

#include "libwm/model/config/config.h"

namespace wm::conf {

/// A setting by its LSF name.
struct LsfSetting {
  std::string name, value;
  bool operator==(const LsfSetting&) const = default;
};

/// Where things are on this host. Empty: not known, and not told.
struct LsfPlaces {
  std::string conf_dir;  ///< of wm.conf, and of lsf.conf: LSF_ENVDIR
  std::string bin_dir;   ///< of the commands
};

/// What lsf.conf says, in a fixed order. LSF_UNIT_FOR_LIMITS only where wm.conf says
/// unit_for_limits: without it limits are in KB and rusage[mem] in MB, which clients know.
/// @cost O(1)
/// @source LSF: lsf.conf (lsf-surface 5.1)
std::vector<LsfSetting> lsf_settings(const ClusterConf& cluster, const LsfPlaces& places);

/// What lsb.params would say: times in seconds. @cost O(1)
/// @source LSF: lsb.params (lsf-surface 5.3)
std::vector<LsfSetting> lsb_params(const ClusterConf& cluster);

/// The text of lsf.conf: "NAME=value" from the first column, one "=" a line. @cost O(1)
std::string lsf_conf_text(const ClusterConf& cluster, const LsfPlaces& places);

/// Where programs written for LSF look for lsb.params, below LSF_CONFDIR. @cost O(1)
std::string lsb_params_path(const ClusterConf& cluster);
/// Its text: lsb_params() in a section Parameters. @cost O(1)
/// @source LSF: LSF_CONFDIR/lsbatch/CLUSTER/configdir/lsb.params
std::string lsb_params_text(const ClusterConf& cluster);

/// First line of lsid; `version`: WM's. @cost O(1)
std::string lsid_banner(const ClusterConf& cluster, const std::string& version);

}  // namespace wm::conf
