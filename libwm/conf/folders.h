// Role: which daemon has which folders below those of wm.conf. Each has its own, so that neither
// account, modes nor a restart of one (systemd hands a unit's folders to the unit's account)
// touch what is the other's.
//
//   state_dir/master  log_dir/master                       wmasterd, of master_user
//   state_dir/node/HOST  run_dir/node/HOST  log_dir/node   wnoded and wshepherd, of host_user
//   run_dir/policy                                         wpolicyd, of wm-policy
//
// Used by the daemons and by badmin ckconfig; etc/systemd names the same.
#pragma once

#include <string>

#include "libwm/model/config/config.h"

namespace wm::conf {

/// The master's. Log: empty for standard error.
struct MasterFolders {
  std::string state, log;
};
/// @cost O(text)   @thread any
MasterFolders master_folders(const DirConf& dirs);

/// Those of a host of that name. Log: empty for standard error.
struct NodeFolders {
  std::string state, run, log;
};
/// @cost O(text)   @thread any
NodeFolders node_folders(const DirConf& dirs, const std::string& host);

/// Where wpolicyd listens. @cost O(text)   @thread any
std::string policy_socket(const DirConf& dirs);

}  // namespace wm::conf
