// Role: the description of a runtime of inference services as values: which Python, container and
// variables kernels have that name it. Pure.
// @source WMLA: elastic distributed inference, deployment/runtime
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::serve {

/// A runtime of a user's own.
struct Runtime {
  std::string type;                   ///< its name, as of a service
  std::string launcher;               ///< a Python; empty: python3
  std::string conda_home, conda_env;  ///< both or neither
  std::string venv;                   ///< a virtual environment's folder
  std::string image;                  ///< container; empty: the profile's
  std::string before;                 ///< shell text that is run before the kernel
  std::vector<std::pair<std::string, std::string>> envs;
  std::string text;  ///< the whole object, as it is shown and kept
};

/// Names of those that need no description: the Python of the hosts. @cost O(1)
bool is_own_python(std::string_view type);
/// The objects that stand for these, as a list.
std::string own_pythons_json();

/// From the object that clients send. `old`: the text of the one that it replaces; empty: it is
/// new.
/// @errors BadArgument: by the key   @cost O(length)
Result<Runtime> read_runtime(std::string_view given, std::string_view old, WallTime now);

/// What goes before the command of a kernel in a shell: "" or "… && ". @cost O(length)
std::string runtime_prelude(const Runtime& runtime);

}  // namespace wm::serve
