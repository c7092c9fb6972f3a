#include "libwm/conf/folders.h"

namespace wm::conf {

MasterFolders master_folders(const DirConf& dirs) {
  return {dirs.state + "/master", dirs.log.empty() ? "" : dirs.log + "/master"};
}

NodeFolders node_folders(const DirConf& dirs, const std::string& host) {
  return {dirs.state + "/node/" + host, dirs.run + "/node/" + host,
          dirs.log.empty() ? "" : dirs.log + "/node"};
}

std::string policy_socket(const DirConf& dirs) { return dirs.run + "/policy/socket"; }

}  // namespace wm::conf
