// Role: what badmin ckconfig finds wrong beside the files of configuration: accounts, folders and
// the key of this machine. Pure: what is there comes in as functions and values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/conf/findings.h"
#include "libwm/model/config/config.h"

namespace wm::cmd {

using conf::Finding;
using conf::Findings;

/// What stat(2) says of a path.
struct FileFacts {
  std::uint32_t uid = 0;
  std::uint32_t mode = 0;  ///< permission bits
  bool is_folder = false;
};

/// This machine as the checks see it.
struct Machine {
  std::function<std::optional<std::uint32_t>(const std::string&)> uid_of;  ///< of an account
  /// None: not there, or in a folder that this caller may not enter.
  std::function<std::optional<FileFacts>(const std::string&)> file;
  std::string host;  ///< its name in hosts.conf
  /// May this command be a policy's, of root or that account? None: it is not looked at.
  std::function<Result<void>(const std::string& path, std::uint32_t owner)> policy_command = {};
};

/// Accounts of the daemons, their folders, the folders of jobs, MUNGE's key and socket, the policy
/// of submissions.
/// @cost a lookup each
Findings check_machine(const ClusterConf& conf, const Machine& machine);

/// Is lsf.conf or lsb.params, called `file`, what `wanted`, made of wm.conf, says? `found`: its
/// text; none: there is no such file. One that somebody wrote by hand is left alone. @cost O(text)
Findings check_lsf_conf(const std::string& file, const std::optional<std::string>& found,
                        const std::string& wanted);

}  // namespace wm::cmd
