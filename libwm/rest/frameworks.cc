#include "libwm/rest/frameworks.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libwm/base/joined.h"
#include "libwm/base/json.h"
#include "libwm/rest/assets.h"
#include "libwm/rest/exec_words.h"
#include "libwm/rest/json_text.h"
#include "libwm/rest/letters.h"

namespace wm::rest {
namespace {

constexpr std::string_view kPrebuilt[] = {"AlexNet", "VGG16", "ResNet18", "MNIST"};

// Names of older versions that mean what one of WMLA's six does, or what is not to be had here.
std::vector<Framework> built_in() {
  std::vector<Framework> all{
      {"PyTorch", "SingleNodePytorchTrain", "pytorch", "4G", false, false, "torch",
       "One worker that runs a PyTorch script"},
      {"distPyTorch", "DistributePyTorchTrain", "pytorch", "4G", true, false, "torch",
       "A fixed number of workers that meet by MASTER_ADDR, RANK and WORLD_SIZE"},
      {"tensorflow", "SingleNodeTensorflowTrain", "tensorflow", "8G", false, false, "tensorflow",
       "One worker that runs a TensorFlow script"},
      {"disttensorflow", "DistributeTensorflow2xTrain", "tensorflow", "8G", true, false,
       "tensorflow",
       "A fixed number of workers that meet by TF_CONFIG; --numPs of them keep parameters"},
      {"edtPyTorch", "ElasticPyTorchTrain", "pytorch", "4G", true, true, "torch",
       "An elastic job: workers come and go while it trains, at most --numWorker of them"},
      {"edtTensorflow", "ElasticTensorflow1xTrain", "tensorflow", "8G", true, true, "tensorflow",
       "An elastic job: a model of Keras by FabricModel; workers come and go while it trains"},
  };
  all[0].aliases = {"PyTorch041", "pytorch-onnx", "SingleNodePytorchTrain"};
  all[1].aliases = {"ddlPyTorch", "DistributePyTorchTrain"};
  all[2].aliases = {"tensorflow1100", "tensorflow200_alpha", "keras", "SingleNodeTensorflowTrain"};
  all[3].aliases = {"ddlTensorFlow", "DistributeTensorflow2xTrain"};
  all[4].aliases = {"ElasticPyTorchTrain"};
  all[5].aliases = {"edtKeras", "ElasticTensorflow1xTrain"};
  return all;
}

struct Gone {
  std::string_view name, why;
};
constexpr Gone kGone[] = {
    {"PowerAICaffeIBM", "IBM's build of Caffe is not available here"},
    {"ddlCaffe", "IBM's build of Caffe is not available here"},
    {"caffe", "Caffe is not available here"},
    {"autoai-ts", "AutoAI is not available here"},
};

bool same(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// "pytorch-onnx_1.1-py3.6" and "pytorch-onnx 1.1-py 3.6" without what comes after the name.
std::string_view without_version(std::string_view name) {
  for (std::size_t i = 1; i + 1 < name.size(); ++i)
    if ((name[i] == ' ' || name[i] == '_') && is_digit(name[i + 1])) return name.substr(0, i);
  return name;
}

bool is_called(const Framework& framework, std::string_view name) {
  auto fits = [&](std::string_view own) { return same(own, name); };
  return fits(framework.name) ||
         std::any_of(framework.aliases.begin(), framework.aliases.end(), fits);
}

// "import torch", "from torch.nn import …", also indented.
bool imports(std::string_view script, std::string_view module) {
  for (std::size_t at = 0; at < script.size();) {
    auto end = std::min(script.find('\n', at), script.size());
    auto line = script.substr(at, end - at);
    at = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    for (std::string_view word : {"import ", "from "}) {
      if (!line.starts_with(word)) continue;
      auto rest = line.substr(word.size());
      if (!rest.starts_with(module)) continue;
      rest.remove_prefix(module.size());
      if (rest.empty() || std::string_view(" .,\r").find(rest[0]) != std::string_view::npos)
        return true;
    }
  }
  return false;
}

/// Reads the keys of one object into a framework.
struct FrameworkReader {
  const SortedJson& json;
  Result<void> done = {};

  const SortedJson* find(std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (json.contains(name) && !json[name].is_null()) return &json[name];
    return nullptr;
  }
  void wrong(const char* name, const char* wanted) {
    if (done) done = fail(Code::BadArgument, std::string(name) + ": " + wanted + " is wanted");
  }
  void text(std::initializer_list<const char*> names, std::string& into) {
    const auto* found = find(names);
    if (found == nullptr) return;
    if (found->is_string()) into = found->get<std::string>();
    else wrong(*names.begin(), "a text");
  }
  void list(std::initializer_list<const char*> names, std::vector<std::string>& into) {
    const auto* found = find(names);
    if (found == nullptr) return;
    bool fine = found->is_array() && std::all_of(found->begin(), found->end(),
                                                 [](const SortedJson& v) { return v.is_string(); });
    if (fine) into = found->get<std::vector<std::string>>();
    else wrong(*names.begin(), "a list of texts");
  }
  void count(const char* name, std::uint32_t& into) {
    const auto* found = find({name});
    if (found == nullptr) return;
    if (found->is_number_unsigned() && *found > 0 && *found <= 100000)
      into = found->get<std::uint32_t>();
    else wrong(name, "a number from 1 to 100000");
  }
  void pairs(const char* name, std::map<std::string, std::string>& into) {
    const auto* found = find({name});
    if (found == nullptr) return;
    if (!found->is_object()) return wrong(name, "an object of texts");
    for (const auto& [key, value] : found->items())
      if (value.is_string()) into[key] = value.get<std::string>();
      else wrong(name, "an object of texts");
  }
};

}  // namespace

std::span<const Framework> frameworks() {
  static const auto all = built_in();
  return all;
}

std::span<const std::string_view> prebuilt_models() { return kPrebuilt; }

Result<Framework> find_framework(std::span<const Framework> known, std::string_view name) {
  auto short_name = without_version(name);
  std::string names;
  for (const auto& framework : known) {
    if (is_called(framework, name) || is_called(framework, short_name)) return framework;
    names += (names.empty() ? "" : ", ") + framework.name;
  }
  for (const auto& gone : kGone)
    if (same(gone.name, short_name))
      return fail(Code::Impossible,
                  "framework " + std::string(gone.name) + ": " + std::string(gone.why));
  return fail(Code::BadArgument, "framework '" + std::string(name) + "' is not known: " + names);
}

Result<Framework> find_framework(std::string_view name) {
  return find_framework(frameworks(), name);
}

bool continues_name(std::string_view before, std::string_view word) {
  auto number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
  };
  if (before.ends_with("-py")) return number(word);
  auto at = word.find("-py");
  if (at == word.npos || !number(word.substr(0, at))) return false;
  return at + 3 == word.size() || number(word.substr(at + 3));
}

Result<void> check_code(const Framework& framework, std::string_view file,
                        std::string_view script) {
  bool torch = framework.backend == "pytorch", tensor = framework.backend == "tensorflow";
  if (!torch && !tensor) return {};
  bool has_torch = imports(script, "torch") || imports(script, "fabric_model");
  bool has_tensor = imports(script, "tensorflow") || imports(script, "keras");
  bool wrong = torch ? has_tensor && !has_torch
                     : has_torch && !has_tensor && !imports(script, "fabric_model");
  if (!wrong) return {};
  return fail(Code::Impossible,
              "framework " + framework.name + " does not fit the code: " + std::string(file) +
                  " imports " + (torch ? "tensorflow and not torch" : "torch and not tensorflow"));
}

std::string prelude_of(const Framework& framework) {
  std::string text;
  if (!framework.env_modules.empty()) {
    text += ". \"${MODULESHOME:-/usr/share/modules}/init/sh\" && module load";
    for (const auto& name : framework.env_modules) text += " " + shell_quoted(name);
    text += " && ";
  }
  if (!framework.conda_env.empty())
    text += ". " + shell_quoted(framework.conda_home + "/etc/profile.d/conda.sh") +
            " && conda activate " + shell_quoted(framework.conda_env) + " && ";
  if (!framework.venv.empty())
    text += ". " + shell_quoted(framework.venv + "/bin/activate") + " && ";
  return text;
}

Result<Framework> parse_framework(std::string_view text, std::span<const Framework> known) {
  constexpr std::size_t kLongest = 64 << 10;
  auto json = text.size() > kLongest ? SortedJson() : json_or_null<SortedJson>(text);
  if (!json.is_object()) return fail(Code::BadArgument, "framework: a JSON object is wanted");
  FrameworkReader read{json};
  std::string name, like, mode;
  read.text({"name"}, name);
  read.text({"like"}, like);
  Framework framework;
  if (!like.empty()) {
    WM_TRY(framework, find_framework(known, like));
  }
  framework.name = name;
  framework.aliases.clear();
  framework.origin = "user";
  std::vector<std::string> lines;
  read.list({"desc"}, lines);
  if (!lines.empty()) framework.summary = joined(lines);
  read.text({"summary"}, framework.summary);
  read.text({"appName", "app_name"}, framework.app_name);
  read.text({"frameworkVersion", "version"}, framework.version);
  read.text({"backend"}, framework.backend);
  read.text({"workerMemory", "memory"}, framework.memory);
  read.text({"module"}, framework.module);
  read.text({"device"}, framework.device);
  read.text({"venv"}, framework.venv);
  read.text({"condaHome", "conda_home"}, framework.conda_home);
  read.text({"condaEnv", "conda_env"}, framework.conda_env);
  read.list({"modules", "env_modules"}, framework.env_modules);
  read.list({"aliases"}, framework.aliases);
  read.count("maxWorkers", framework.most_workers);
  read.pairs("exports", framework.exports);
  read.text({"execMode"}, mode);
  if (!mode.empty()) framework.distributed = mode == "distributed";
  if (!read.done) return read.done.error();
  if (!is_asset_name(framework.name))
    return fail(Code::BadArgument, "name: letters, digits, '.', '_' and '-' are wanted");
  if (framework.device != "any" && framework.device != "cpu" && framework.device != "gpu")
    return fail(Code::BadArgument, "device: any, cpu or gpu is wanted");
  if (framework.app_name.empty()) framework.app_name = "dlicmd" + framework.name;
  return framework;
}

}  // namespace wm::rest
