// Role: how the model of a training run becomes a package: what its deployer asked for as values,
// and the files that a package has beside the model. Pure.
//
//   package/  model.json  README.md  kernel.py (the ready-made one)  model/…  code/…
// @source WMLA: POST /execs/{id}/deploy
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"

namespace wm::serve {

/// In a service's folder: why a kernel ended before it served, a line; see kernel_runner.
inline constexpr const char* kKernelFailed = "kernel.failed";
/// Program that runs a kernel in the folder of a service, and leaves word there if it ends before
/// it serves: python3 run_kernel.py KERNEL. @cost O(1)
std::string_view kernel_runner();

/// What is asked for.
struct Wanted {
  std::string name;
  std::string runtime = "python";
  std::string kernel;  ///< file of the run's code or model; empty: the ready-made one for PyTorch
  std::string weight;  ///< file of the run's model; empty: the one there is
  std::string tag;
  std::vector<std::pair<std::string, std::string>> attributes, environments;
};

/// From {name, runtime, kernel, weight, tag, attributes{}, environments{}}.
/// @errors BadArgument: no object, no name of a service, a value of another type   @cost O(length)
Result<Wanted> read_wanted(std::string_view text);

/// model.json of the package. @shape kernel, weight: paths in the package   @cost O(length)
std::string model_text(const Wanted& wanted);

/// The same model.json for a service of another name. @errors BadArgument: it does not read
Result<std::string> renamed_model(std::string_view text, const std::string& name);

/// kernel.py that serves a PyTorch model as redharetorch does. @cost O(1)
std::string_view ready_kernel();

/// Does a kernel, or one with this framework in model.json, import PyTorch? @cost O(length)
bool is_torch(std::string_view kernel, std::string_view framework);

/// Is a file of this name one that PyTorch saves models in? @cost O(length)
bool is_weight_name(std::string_view name);

}  // namespace wm::serve
