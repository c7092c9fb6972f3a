// Role: what an agent is told about the part of the job it serves beside elastic workers:
// sockets for blaunch and consoles, limits, the identity service. From its environment
// (libwm/launch/part_env.h writes it). Called by main only.
#pragma once

#include <string>
#include <vector>

#include "daemons/wagent/output/output_settings.h"
#include "daemons/wagent/settings.h"
#include "libwm/launch/launcher.h"

namespace wm::wagent {

/// One host's part of the job.
struct PartSettings {
  std::string host;            ///< name, as the master calls it
  std::string launch_socket;   ///< for commands of this host's tasks; empty: none
  std::string console_socket;  ///< for interactive tasks
  std::string munge_socket;    ///< empty: the system's
  std::string rank_hosts;      ///< "node1 2 node2 2"; empty: no ranks that the hosts start
  std::string rank_socket;     ///< where those call
  bool tag = false;            ///< their output is ours to pass on
  int tag_err = -1;            ///< where lines of error output go; -1: where the others do
  OutputSettings output;       ///< of the launchers of all hosts
  launch::Account account;     ///< whom this process is
  std::vector<launch::ResourceCap> caps;
  /// What goes before a command if its caller is in a container of the job; empty: none has one.
  std::vector<std::string> container;
  /// What a command gets whatever its caller's environment says: where it is.
  std::vector<std::string> own_env;
};

/// Reads them; nothing is required. @cost O(environment)   @thread main, before others
PartSettings read_part_settings(const Lookup& lookup, char** environment);

/// The caller's variables with ours over them, as "A=1". @cost O(n log n)
std::vector<std::string> environment_of(const std::vector<std::string>& callers,
                                        const std::vector<std::string>& ours);

/// `argv` in the job's container on this host, in the folder `cwd` as it is seen there, when its
/// caller is in one; else as it is. @cost O(words + variables)
std::vector<std::string> placed_like_caller(std::vector<std::string> argv, const std::string& cwd,
                                            const std::vector<std::string>& callers_env,
                                            const PartSettings& part);

}  // namespace wm::wagent
