// Role: what somebody wants run, as WMLA's clients say it: the words of dlicmd --exec-start (the
// `args` of POST /execs), with hardwareSpec and dataSource of newer ones. Pure.
//
//   "--exec-start edtPyTorch --numWorker 4 --model-main train.py --lr 0.1" ─► ExecRequest
//
// What is no option of WMLA's is the script's, in order; "--" ends WMLA's options.
// @source the options of dlicmd (wmla-surface 1.3 and 2)
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::rest {

/// What a worker computes on.
enum class Device : std::uint8_t {
  Unsaid,  ///< GPUs where the cluster has any
  Cpu,
  Gpu,
};

/// The most that a task may use. @units memory: as ExecRequest::memory; 0 and empty: not said
struct TaskLimits {
  std::uint32_t cpus = 0, gpus = 0;
  std::string memory;
  bool operator==(const TaskLimits&) const = default;
};

/// What is said of the driver, which is the first task. @units as of the workers
struct DriverWish {
  Device device = Device::Unsaid;
  std::uint32_t devices = 0;
  std::string memory, selector;
  TaskLimits limits;
  bool operator==(const DriverWish&) const = default;
};

/// One request.
struct ExecRequest {
  std::string args;                ///< as they came
  std::string framework;           ///< as it was named
  std::string name;                ///< --appName; empty: the framework's
  std::string plan;                ///< --consumer
  std::string main;                ///< --model-main
  std::string model_dir;           ///< --model-dir: its last part
  std::vector<std::string> words;  ///< the script's, or with user_cmd the whole command
  bool user_cmd = false;
  std::string prebuilt;       ///< --pbmodel-name
  std::string hardware;       ///< name of a hardware specification, of hardwareSpec
  std::string gpu_kind, mig;  ///< of hardwareSpec: full, generic, slice; profile of a slice
  std::uint32_t workers = 1;
  std::uint32_t devices = 1;  ///< of each worker; of CPUs: cores
  Device device = Device::Unsaid;
  std::string memory;  ///< of each worker, "8G"; empty: unsaid
  std::vector<std::pair<std::string, std::string>> env;
  std::string data_path;                      ///< below DATA_DIR, or below the volume
  std::string volume;                         ///< name of a storage volume that the data is on
  std::string data_root;                      ///< its folder; empty: the cluster's data
  std::vector<std::string> sources;           ///< dataSource, each one JSON object
  std::map<std::string, std::string> labels;  ///< --msd-label
  std::uint32_t priority = 0;
  std::uint32_t pending_timeout_s = 0;
  std::string image;         ///< --msd-image-name
  std::string image_policy;  ///< --msd-image-pull-policy: always, never; empty: if it is absent
  std::string image_secret;  ///< --msd-image-pull-secret: its name; in a job its file
  std::string gpu_syntax;    ///< --lsf-gpu-syntax
  std::string conda_env, conda_home;
  std::string conda_yaml;     ///< --conda-env-yaml: file that came with the code; once laid out,
                              ///< whence it is seen where the command starts
  std::string conda_package;  ///< --conda-package: a packed environment, as conda_yaml
  std::string parameter_servers;    ///< --numPs
  DriverWish driver;                ///< --driver…, --msd-task0-node-selector
  TaskLimits worker_limits;         ///< --worker…Limit
  std::string worker_selector;      ///< --msd-task12n-node-selector
  std::string affinity_rule;        ///< --msd-podaffinity-rule: preferred, required
  std::string affinity_key;         ///< --msd-podaffinity-topology-key
  bool tasks_alike = false;         ///< of a trial, which has no groups: its driver is none apart
  std::vector<std::string> unused;  ///< options that have no meaning here, accepted
  bool operator==(const ExecRequest&) const = default;
};

/// From the text of `args`, words separated by blanks without any quoting.
/// @errors BadArgument: no --exec-start, a value that is missing or does not read
Result<ExecRequest> parse_exec(std::string_view args);

/// Adds what the form field `data` says: args (where there were none), dataSource, hardwareSpec.
/// @errors BadArgument: not a JSON object, or a field that does not read
Result<void> add_exec_data(std::string_view json, ExecRequest& request);

/// The text of `args` that such a form field holds; empty: none. @errors BadArgument
Result<std::string> args_in_data(std::string_view json);

}  // namespace wm::rest
