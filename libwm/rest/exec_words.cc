#include "libwm/rest/exec_words.h"

#include "libwm/base/joined.h"

namespace wm::rest {
namespace {

bool on_gpus(const ExecRequest& request, const ExecPlace& place) {
  return request.device == Device::Gpu || (request.device == Device::Unsaid && place.gpus);
}

Result<void> check_done_here(const ExecRequest& request) {
  auto not_here = [](const char* what) {
    return fail(Code::Impossible, std::string(what) + " is not supported yet");
  };
  if (!request.prebuilt.empty()) return not_here("--pbmodel-name");
  if (!request.image.empty()) return not_here("--msd-image-name");
  if (!request.conda_env.empty()) return not_here("--conda-env-name");
  if (!request.parameter_servers.empty()) return not_here("--numPs");
  return {};
}

// One that leads out of its folder would be read from anywhere.
bool stays_inside(std::string_view path) {
  if (path.starts_with('/')) return false;
  return ("/" + std::string(path) + "/").find("/../") == std::string::npos;
}

Result<std::string> command_of(const ExecRequest& request) {
  std::vector<std::string> words;
  if (!request.user_cmd) {
    if (request.main.empty())
      return fail(Code::BadArgument, "--model-main: which script is to run?");
    if (!stays_inside(request.main))
      return fail(Code::BadArgument, "--model-main " + request.main + ": leads out of the code");
    bool python = request.main.ends_with(".py");
    words = {python ? "python3" : "bash", quoted(request.main)};
  }
  for (const auto& word : request.words) words.push_back(quoted(word));
  return joined(words);
}

std::string gpu_option(const ExecRequest& request) {
  if (!request.gpu_syntax.empty()) return request.gpu_syntax;
  return "num=" + std::to_string(request.devices);
}

// As bsub -env reads them: in quotes a value may hold commas and blanks.
std::string env_option(const ExecRequest& request, const ExecPlace& place) {
  std::string text = "all";
  auto add = [&](const std::string& name, const std::string& value) {
    bool plain = !value.empty() && value.find_first_of(", \t\"'~") == value.npos;
    text += ", " + name + "=" + (plain ? value : "'" + value + "'");
  };
  for (const auto& [name, value] : request.env) add(name, value);
  if (!request.data_path.empty()) add("DATA_DIR", place.data_dir + "/" + request.data_path);
  return text;
}

Result<void> check_env(const ExecRequest& request) {
  for (const auto& [name, value] : request.env)
    if (value.find('\'') != value.npos)
      return fail(Code::BadArgument, "--msd-env " + name + ": a quote in its value");
  if (!request.data_path.empty() && !stays_inside(request.data_path))
    return fail(Code::BadArgument, "data path " + request.data_path + ": leads out of the data");
  return {};
}

std::string size_of(const ExecRequest& request, const Framework& framework) {
  auto most = std::to_string(request.workers);
  if (!framework.distributed && !request.user_cmd) return "1";
  return framework.elastic ? "1," + most : most;
}

}  // namespace

Result<std::vector<std::string>> bsub_words(const ExecRequest& request, const Framework& framework,
                                            const ExecPlace& place) {
  WM_TRY(check_done_here(request));
  WM_TRY(check_env(request));
  WM_TRY(auto command, command_of(request));
  auto name = request.name.empty() ? std::string(framework.app_name) : request.name;
  std::vector<std::string> words{"-app", "training", "-J", name, "-n", size_of(request, framework)};
  auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  if (framework.elastic) words.emplace_back("-ar");
  if (on_gpus(request, place)) add("-gpu", gpu_option(request));
  else if (request.devices > 1)
    add("-R", "affinity[core(" + std::to_string(request.devices) + ")]");
  if (!request.memory.empty()) add("-R", "rusage[mem=" + request.memory + "]");
  if (request.priority > 0) add("-sp", std::to_string(request.priority));
  add("-plan", request.plan);
  add("-o", place.out_file);
  auto env = env_option(request, place);
  if (env != "all") add("-env", env);
  words.push_back(command);
  return words;
}

void give_worker_words(std::string_view script, const Framework& framework, ExecRequest& request) {
  if (!framework.elastic) return;
  auto give = [&](const char* option, std::uint32_t value) {
    if (script.find(option) == script.npos) return;
    request.words.insert(request.words.end(), {option, std::to_string(value)});
  };
  give("--numWorker", request.workers);
  give("--gpuPerWorker", request.devices);
}

std::string quoted(std::string_view word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kSafe) == word.npos) return std::string(word);
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string shell_line(const std::vector<std::string>& bsub_words) {
  std::string line = "bsub";
  for (std::size_t i = 0; i + 1 < bsub_words.size(); ++i) line += " " + quoted(bsub_words[i]);
  if (!bsub_words.empty()) line += " " + bsub_words.back();
  return line;
}

}  // namespace wm::rest
