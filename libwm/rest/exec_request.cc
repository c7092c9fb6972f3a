// One table of options, one reader per kind of value.
#include "libwm/rest/exec_request.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/rest/assets.h"
#include "libwm/rest/frameworks.h"
#include "libwm/rest/json_text.h"

namespace wm::rest {
namespace {

using Read = Result<void> (*)(const std::string& value, ExecRequest& request);

struct Row {
  std::string_view name;
  bool has_value = true;
  Read read = nullptr;  ///< null: accepted, without a meaning here
};

constexpr std::uint32_t kMost = 100000;

Result<std::uint32_t> number(std::string_view text, std::uint32_t least = 1) {
  std::uint32_t value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() || value < least || value > kMost)
    return fail(Code::BadArgument, "'" + std::string(text) + "': a number from " +
                                       std::to_string(least) + " to " + std::to_string(kMost) +
                                       " is wanted");
  return value;
}

// "0.25" CPUs: what a host gives is whole ones.
Result<std::uint32_t> cores(const std::string& text) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > kMost)
    return fail(Code::BadArgument, "'" + text + "': a number of CPUs is wanted");
  return static_cast<std::uint32_t>(value + 0.999);
}

template <std::string ExecRequest::*kField>
Result<void> text(const std::string& value, ExecRequest& request) {
  request.*kField = value;
  return {};
}

template <std::uint32_t ExecRequest::*kField>
Result<void> count(const std::string& value, ExecRequest& request) {
  WM_TRY(request.*kField, number(value));
  return {};
}

Result<void> read_devices(const std::string& value, ExecRequest& request) {
  WM_TRY(request.devices, cores(value));
  return {};
}

Result<Device> device_in(const std::string& value) {
  if (value == "cpu") return Device::Cpu;
  if (value == "gpu") return Device::Gpu;
  return fail(Code::BadArgument, "'" + value + "': cpu or gpu is wanted");
}

Result<void> read_device(const std::string& value, ExecRequest& request) {
  WM_TRY(request.device, device_in(value));
  return {};
}

Result<void> read_driver_device(const std::string& value, ExecRequest& request) {
  WM_TRY(request.driver.device, device_in(value));
  return {};
}

// One driver is what there is: more of them are told about.
Result<void> read_drivers(const std::string& value, ExecRequest& request) {
  WM_TRY(auto drivers, number(value, 0));
  if (drivers > 1) request.unused.emplace_back("--numDriver");
  return {};
}

Result<void> read_prebuilt_command(const std::string& value, ExecRequest&) {
  if (value == "train") return {};
  return fail(Code::BadArgument, "'" + value + "': train is what there is");
}

Result<void> read_driver_selector(const std::string& value, ExecRequest& request) {
  request.driver.selector = value;
  return {};
}

Result<void> read_affinity(const std::string& value, ExecRequest& request) {
  if (value != "preferred" && value != "required")
    return fail(Code::BadArgument, "'" + value + "': preferred or required is wanted");
  request.affinity_rule = value;
  return {};
}

// For the client itself: it is no option of the execution.
Result<void> of_client(const std::string&, ExecRequest&) { return {}; }

Result<std::string> memory_in(const std::string& value) {
  auto size = parse_bytes(value);
  if (!size || size->value == 0)
    return fail(Code::BadArgument, "'" + value + "': a size such as 8g is wanted");
  return std::to_string((size->value + (1 << 20) - 1) >> 20) + "M";
}

Result<void> read_memory(const std::string& value, ExecRequest& request) {
  WM_TRY(request.memory, memory_in(value));
  return {};
}

/// A limit of the workers or of the driver.
template <TaskLimits& (*kOf)(ExecRequest&)>
Result<void> read_memory_limit(const std::string& value, ExecRequest& request) {
  WM_TRY(kOf(request).memory, memory_in(value));
  return {};
}
template <TaskLimits& (*kOf)(ExecRequest&), std::uint32_t TaskLimits::*kField>
Result<void> read_limit(const std::string& value, ExecRequest& request) {
  WM_TRY(kOf(request).*kField, cores(value));
  return {};
}
TaskLimits& of_worker(ExecRequest& request) { return request.worker_limits; }
TaskLimits& of_driver(ExecRequest& request) { return request.driver.limits; }

Result<void> read_driver_memory(const std::string& value, ExecRequest& request) {
  WM_TRY(request.driver.memory, memory_in(value));
  return {};
}

Result<void> read_driver_devices(const std::string& value, ExecRequest& request) {
  WM_TRY(request.driver.devices, cores(value));
  return {};
}

Result<void> read_env(const std::string& value, ExecRequest& request) {
  auto equals = value.find('=');
  if (equals == 0 || equals == value.npos)
    return fail(Code::BadArgument, "'" + value + "': NAME=VALUE is wanted");
  request.env.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  return {};
}

Result<void> read_label(const std::string& value, ExecRequest& request) {
  auto equals = value.find('=');
  if (equals == 0 || equals == value.npos)
    return fail(Code::BadArgument, "'" + value + "': NAME=VALUE is wanted");
  if (is_own_label(value))
    return fail(Code::BadArgument, "'" + value + "': names that begin with wm- are not for labels");
  request.labels[value.substr(0, equals)] = value.substr(equals + 1);
  return {};
}

Result<void> read_model_dir(const std::string& value, ExecRequest& request) {
  auto end = value.find_last_not_of('/');
  auto whole = value.substr(0, end == value.npos ? 0 : end + 1);
  request.model_dir = whole.substr(whole.rfind('/') + 1);
  return {};
}

Result<void> read_policy(const std::string& value, ExecRequest& request) {
  if (value == "Always") request.image_policy = "always";
  else if (value == "Never") request.image_policy = "never";
  else if (value == "IfNotPresent") request.image_policy.clear();
  else return fail(Code::BadArgument, "'" + value + "': Always, Never or IfNotPresent is wanted");
  return {};
}

// The file comes beside the code, without its folders.
template <std::string ExecRequest::*kField>
Result<void> read_file_name(const std::string& value, ExecRequest& request) {
  request.*kField = value.substr(value.rfind('/') + 1);
  if ((request.*kField).empty()) return fail(Code::BadArgument, "a file is wanted");
  return {};
}

// "type=data_asset,name=N,project=P": one after the other, in any order.
std::string value_in(std::string_view pairs, std::string_view name) {
  while (!pairs.empty()) {
    auto pair = pairs.substr(0, pairs.find(','));
    pairs.remove_prefix(std::min(pair.size() + 1, pairs.size()));
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
      return std::string(pair.substr(name.size() + 1));
  }
  return "";
}

// type=data_asset is ours: a data asset of a project, as an item of dataSource has it.
void read_data_asset(const std::string& value, ExecRequest& request) {
  SortedJson item{{"type", "data_asset"}, {"asset", {{"name", value_in(value, "name")}}}};
  if (auto project = value_in(value, "project"); !project.empty())
    item["asset"]["project"] = project;
  for (const char* key : {"staging", "volume"})
    if (auto said = value_in(value, key); !said.empty()) item[key] = said;
  request.sources.push_back(wm::to_text(item));
}

// type=fs,data_path=REL; type=fs alone is the root.
Result<void> read_datastore(const std::string& value, ExecRequest& request) {
  if (value_in(value, "type") == "data_asset") {
    read_data_asset(value, request);
    return {};
  }
  auto at = value.find("data_path=");
  if (at == value.npos) return {};
  auto path = value.substr(at + 10);
  path = path.substr(0, path.find(','));
  request.data_path = path == "/" ? "" : path;
  return {};
}

Result<void> read_edt_options(const std::string& value, ExecRequest& request) {
  auto at = value.find("maxWorkers=");
  if (at == value.npos) return {};
  auto most = value.substr(at + 11);
  return count<&ExecRequest::workers>(most.substr(0, most.find(',')), request);
}

Result<void> read_gpus(const std::string& value, ExecRequest& request) {
  WM_TRY(request.devices, number(value));
  request.device = Device::Gpu;
  return {};
}

constexpr Row kRows[] = {
    {"--exec-start", true, text<&ExecRequest::framework>},
    {"--appName", true, text<&ExecRequest::name>},
    {"--consumer", true, text<&ExecRequest::plan>},
    {"--model-main", true, text<&ExecRequest::main>},
    {"--model-dir", true, read_model_dir},
    {"--pbmodel-name", true, text<&ExecRequest::prebuilt>},
    {"--pbmodel-cmd", true, read_prebuilt_command},
    {"--numWorker", true, count<&ExecRequest::workers>},
    {"--workerDeviceNum", true, read_devices},
    {"--workerDeviceType", true, read_device},
    {"--workerMemory", true, read_memory},
    {"--gpuPerWorker", true, read_gpus},
    {"--edt-options", true, read_edt_options},
    {"--cs-datastore-meta", true, read_datastore},
    {"--msd-env", true, read_env},
    {"--msd-priority", true, count<&ExecRequest::priority>},
    {"--msd-pending-timeout", true, count<&ExecRequest::pending_timeout_s>},
    {"--msd-image-name", true, text<&ExecRequest::image>},
    {"--lsf-gpu-syntax", true, text<&ExecRequest::gpu_syntax>},
    {"--conda-env-name", true, text<&ExecRequest::conda_env>},
    {"--conda-home", true, text<&ExecRequest::conda_home>},
    {"--conda-env-yaml", true, read_file_name<&ExecRequest::conda_yaml>},
    {"--conda-package", true, read_file_name<&ExecRequest::conda_package>},
    {"--numPs", true, text<&ExecRequest::parameter_servers>},
    // A driver is not started apart: rank 0 is the driver.
    {"--numDriver", true, read_drivers},
    {"--driverDeviceType", true, read_driver_device},
    {"--driverDeviceNum", true, read_driver_devices},
    {"--driverMemory", true, read_driver_memory},
    {"--driverCPULimit", true, read_limit<of_driver, &TaskLimits::cpus>},
    {"--driverGPULimit", true, read_limit<of_driver, &TaskLimits::gpus>},
    {"--driverMemoryLimit", true, read_memory_limit<of_driver>},
    {"--workerCPULimit", true, read_limit<of_worker, &TaskLimits::cpus>},
    {"--workerGPULimit", true, read_limit<of_worker, &TaskLimits::gpus>},
    {"--workerMemoryLimit", true, read_memory_limit<of_worker>},
    {"--submit-user"},
    {"--cs-rmq-meta"},
    {"--cs-url-meta"},
    {"--cs-url-bearer"},
    {"--msd-attr"},
    {"--msd-label", true, read_label},
    {"--msd-image-pull-secret", true, text<&ExecRequest::image_secret>},
    {"--msd-image-pull-policy", true, read_policy},
    {"--msd-task0-node-selector", true, read_driver_selector},
    {"--msd-task12n-node-selector", true, text<&ExecRequest::worker_selector>},
    {"--msd-podaffinity-rule", true, read_affinity},
    {"--msd-podaffinity-topology-key", true, text<&ExecRequest::affinity_key>},
    {"--msd-pack-id"},
    {"--sc-runasuser"},
    {"--sc-runasgroup"},
    {"--sc-fsgroup"},
    {"--ig"},
    {"--rest-host", true, of_client},
    {"--master-host", true, of_client},
    {"--rest-port", true, of_client},
    {"--dli-rest-port", true, of_client},
    {"--jwt-token", true, of_client},
    {"--query-args", true, of_client},
    {"--debug-level", true, of_client},
    {"--python-version"},
    {"--exclusive", false},
    {"--mpiarg"},
    {"--accelerators"},
};

const Row* row_of(std::string_view name) {
  auto found = std::find_if(std::begin(kRows), std::end(kRows),
                            [&](const Row& row) { return row.name == name; });
  return found == std::end(kRows) ? nullptr : found;
}

std::vector<std::string> words_in(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  std::vector<std::string> words;
  for (auto at = text.find_first_not_of(kBlanks); at != text.npos;
       at = text.find_first_not_of(kBlanks, at)) {
    auto end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Reads words one after another.
class Reader {
 public:
  Reader(std::vector<std::string> words, ExecRequest& request)
      : words_(std::move(words)), request_(request) {}

  Result<void> read_all() {
    while (next_ < words_.size()) {
      if (words_[next_] == "--") {
        take_rest(next_ + 1);
        return {};
      }
      WM_TRY(read_one());
    }
    return {};
  }

 private:
  void take_rest(std::size_t from) {
    request_.words.insert(request_.words.end(), words_.begin() + static_cast<std::ptrdiff_t>(from),
                          words_.end());
  }

  // "--exec-start pytorch-onnx 1.1-py 3.6": one name, of which blanks made three words.
  void take_versions(std::string& name) {
    while (next_ < words_.size() && continues_name(name, words_[next_]))
      name += " " + words_[next_++];
  }

  Result<void> read_one() {
    std::string word = words_[next_++];
    if (word == "--user-cmd") {
      request_.user_cmd = true;
      return {};
    }
    auto equals = word.starts_with("--") ? word.find('=') : word.npos;
    const Row* row = row_of(std::string_view(word).substr(0, equals));
    if (row == nullptr) {
      request_.words.push_back(std::move(word));
      return {};
    }
    std::string value;
    if (equals != word.npos) value = word.substr(equals + 1);
    else if (row->has_value && next_ < words_.size()) value = words_[next_++];
    else if (row->has_value)
      return fail(Code::BadArgument, std::string(row->name) + ": a value is missing");
    if (row->name == "--exec-start") take_versions(value);
    if (row->read == nullptr) {
      request_.unused.emplace_back(row->name);
      return {};
    }
    auto read = row->read(value, request_);
    return read ? read : read.error().within(row->name);
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
  ExecRequest& request_;
};

// A number or its text: both are seen.
std::string text_of(const SortedJson& value) {
  return value.is_string() ? value.get<std::string>() : wm::to_text(value);
}

const SortedJson* inside(const SortedJson& object, std::initializer_list<const char*> path) {
  const SortedJson* at = &object;
  for (const char* name : path) {
    if (!at->is_object() || !at->contains(name)) return nullptr;
    at = &at->at(name);
  }
  return at;
}

// How WMLA's form spells these was not seen; both names are ours.
Result<void> read_gpu_kind(const SortedJson& nodes, ExecRequest& request) {
  if (auto kind = inside(nodes, {"gpu", "kind"})) request.gpu_kind = text_of(*kind);
  if (auto mig = inside(nodes, {"gpu", "mig_profile"})) request.mig = text_of(*mig);
  for (char& c : request.gpu_kind)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  const auto& kind = request.gpu_kind;
  if (!kind.empty() && kind != "full" && kind != "generic" && kind != "slice")
    return fail(Code::BadArgument, "gpu.kind '" + kind + "': full, generic or slice is wanted");
  if ((kind == "slice") != !request.mig.empty())
    return fail(Code::BadArgument, "gpu.kind slice and gpu.mig_profile go together");
  return {};
}

Result<void> read_hardware(const SortedJson& nodes, ExecRequest& request) {
  if (auto value = inside(nodes, {"num_nodes"}))
    WM_TRY(count<&ExecRequest::workers>(text_of(*value), request));
  if (auto value = inside(nodes, {"mem", "size"})) WM_TRY(read_memory(text_of(*value), request));
  if (auto value = inside(nodes, {"cpu", "units"})) {
    WM_TRY(read_devices(text_of(*value), request));
    request.device = Device::Cpu;
  }
  auto gpus = inside(nodes, {"gpu", "num_gpu"});
  if (gpus && text_of(*gpus) != "0") WM_TRY(read_gpus(text_of(*gpus), request));
  return read_gpu_kind(nodes, request);
}

void read_sources(const SortedJson& sources, ExecRequest& request) {
  if (!sources.is_array()) return;
  request.sources.clear();  // they win over what args said
  for (const auto& source : sources) {
    request.sources.push_back(wm::to_text(source));
    if (auto paths = inside(source, {"location", "paths"}); paths && paths->is_string())
      request.data_path = paths->get<std::string>();
    if (auto volume = inside(source, {"location", "volume"}); volume && volume->is_string())
      request.volume = volume->get<std::string>();
  }
}

}  // namespace

Result<ExecRequest> parse_exec(std::string_view args) {
  ExecRequest request;
  request.args = args;
  WM_TRY(Reader(words_in(args), request).read_all());
  if (request.framework.empty())
    return fail(Code::BadArgument, "args: --exec-start FRAMEWORK is wanted");
  if (request.user_cmd && request.words.empty())
    return fail(Code::BadArgument, "--user-cmd: -- COMMAND is missing");
  return request;
}

Result<std::string> args_in_data(std::string_view json) {
  WM_TRY(auto object, object_in<SortedJson>(json));
  auto args = inside(object, {"args"});
  return args && args->is_string() ? args->get<std::string>() : std::string();
}

Result<void> add_exec_data(std::string_view json, ExecRequest& request) {
  WM_TRY(auto object, object_in<SortedJson>(json));
  if (auto name = inside(object, {"hardwareSpec", "name"})) request.hardware = text_of(*name);
  if (auto nodes = inside(object, {"hardwareSpec", "nodes"})) {
    auto read = read_hardware(*nodes, request);
    if (!read) return read.error().within("hardwareSpec");
  }
  if (auto sources = inside(object, {"dataSource"})) read_sources(*sources, request);
  // Cloud Pak names a volume by its project and claim: "cpd::digits".
  if (auto at = request.volume.rfind("::"); at != std::string::npos)
    request.volume.erase(0, at + 2);
  return {};
}

}  // namespace wm::rest
