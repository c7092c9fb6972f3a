// Role: how far a host follows the master: what it does as a user is what the user signed, what
// profile, queue and site add (prolog, epilog, copy command, sendmail, folders) is what this host's
// own configuration says. Of the master's is where and how many, and what a submitter leaves open.
// Pure.
#pragma once

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"
#include "libwm/model/node/node.h"

namespace wm::node {

/// Is every field by which the host acts as the user just as the user signed it, script and
/// environment among them? Does not check the signature itself.
/// @errors Denied: names the field; Damaged: what was signed does not read
/// @cost O(specification, script, environment)
Result<void> check_as_signed(const HostOrder& order);

/// Do both carry the same signature of the same owner over the same bytes?
bool same_signature(const HostOrder& a, const HostOrder& b);

/// What this host's configuration says of a job's profile and queue, and of what is done around
/// every job here, some of it as root.
struct OwnCommands {
  AppConf app;
  SideCommands queue_side;
  JobControls queue_controls;
  DirConf dirs;
  SiteScripts scripts;
  bool lost_output_fails = true;
  Bytes folder_limit{0};
};

/// @errors Version: the profile or the queue is not in this host's configuration
Result<OwnCommands> own_commands(const Config& config, const JobSpec& job);

/// Puts what is run of them in place of what the master sent; of how the job is led the master
/// decides.
void put_own(HostOrder& order, const OwnCommands& own);

}  // namespace wm::node
