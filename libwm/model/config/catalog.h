// Role: what a site, and a user for himself, offers to executions: frameworks, storage volumes,
// hardware specifications. Values of frameworks.conf, volumes.conf and hwspecs.conf; the master
// knows none of them: the user's own door compiles them into the job that the user signs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wm {

/// How the workers of a framework are started. @source wmla-surface 1.4
struct Framework {
  std::string name;      ///< WMLA's, or the site's
  std::string app_name;  ///< of an execution that names none
  std::string backend;   ///< pytorch, tensorflow, …
  std::string memory;    ///< that WMLA's would ask for
  bool distributed = false;
  bool elastic = false;
  std::string module;  ///< what Python has to be able to import; empty: nothing
  std::string summary;
  std::vector<std::string> aliases = {};      ///< other names, of older versions
  std::string version = {};                   ///< as it is shown
  std::string device = "any";                 ///< any, cpu, gpu: what it can run on
  std::uint32_t most_workers = 1024;          ///< of a distributed one
  std::vector<std::string> env_modules = {};  ///< of environment modules, loaded first
  std::string venv = {};                      ///< folder of a Python virtual environment
  std::string conda_home = {}, conda_env = {};
  std::string refusal = {};  ///< why it cannot be started here at all; empty: it can
  std::string origin = {};   ///< empty: built in; site, user
  std::map<std::string, std::string> exports = {};  ///< environment of every task
  bool operator==(const Framework&) const = default;
};

/// A folder that all hosts see, under a name.
struct Volume {
  std::string name, path, description;
  std::vector<std::string> groups;  ///< of accounts, one of which a user must have; empty: all
  bool read_only = false;           ///< nothing is downloaded to it
  bool operator==(const Volume&) const = default;
};

/// A request for one worker under a name.
struct HardwareSpec {
  std::string name, description;
  std::uint32_t cpus = 1;
  std::string memory;         ///< "16G"; empty: what the queue gives
  std::uint32_t gpus = 0;     ///< 0: it computes on CPUs
  std::string kind = "full";  ///< full, generic, slice
  std::string mig;            ///< of a slice: profile, 1g.10gb
  bool operator==(const HardwareSpec&) const = default;
};

}  // namespace wm
