// Role: which Python modules there are on this host for frameworks to run with, asked once each;
// what the default runtime includes, by version.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/rest/frameworks.h"

namespace wm::user {

/// Python of the framework's environment: of its venv, of conda's, else the default one. @cost O(1)
std::string python_of(const Framework& framework);

/// @errors Impossible: the framework's environment is not there, or its module cannot be imported
/// in it, by name   @cost a process at first
Result<void> need_module(const Framework& framework);

/// Folder of a conda that this host has, in PATH or /opt; empty: none. @cost some looks
std::string conda_there();

/// A package of the default runtime.
struct Package {
  std::string name, version;  ///< version empty: it is not there
};
/// Those that scripts of data scientists ask for, there or not. @cost a process at first
std::vector<Package> runtime_packages();

}  // namespace wm::user
