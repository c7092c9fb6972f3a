#include "libwm/rest/again.h"

#include <algorithm>
#include <vector>

#include "libwm/rest/exec_json.h"

namespace wm::rest {
namespace {

constexpr std::string_view kEnvOption = "--msd-env", kResume = "WM_RESUME_FROM=";

std::vector<std::string> blank_words(std::string_view text) {
  std::vector<std::string> words;
  constexpr std::string_view kBlanks = " \t\n";
  for (auto from = text.find_first_not_of(kBlanks); from != text.npos;) {
    auto end = text.find_first_of(kBlanks, from);
    words.emplace_back(text.substr(from, end - from));
    from = text.find_first_not_of(kBlanks, std::min(end, text.size()));
  }
  return words;
}

}  // namespace

std::string again_args(std::string_view args, const std::string& from) {
  auto words = blank_words(args);
  auto theirs = std::find(words.begin(), words.end(), "--");
  for (auto at = words.begin(); at != words.end() && at < theirs && at + 1 != theirs;) {
    bool said = *at == kEnvOption && at + 1 != words.end() && (at + 1)->starts_with(kResume);
    if (!said) {
      ++at;
      continue;
    }
    at = words.erase(at, at + 2);
    theirs = std::find(words.begin(), words.end(), "--");
  }
  if (!from.empty()) {
    auto start = std::find(words.begin(), words.end(), "--exec-start");
    auto behind = words.end() - start > 2 ? start + 2 : words.end();
    words.insert(behind, {std::string(kEnvOption), std::string(kResume) + from});
  }
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Result<ExecRequest> request_again(const JobSpec& spec, const std::string& args) {
  const auto& exec = spec.exec;
  WM_TRY(auto request, parse_exec(args));
  if (!exec.data.empty())
    WM_TRY(add_exec_data("{\"dataSource\":" + list_json(exec.data) + "}", request));
  request.labels = exec.labels;
  if (!spec.groups.empty() || request.device != Device::Unsaid) return request;
  auto gpus = spec.task.milli_gpus / 1000;
  request.device = gpus > 0 ? Device::Gpu : Device::Cpu;
  request.devices = std::max(1u, gpus > 0 ? gpus : spec.task.milli_cpus / 1000);
  if (gpus > 0 && !spec.task.gpu_mig.empty()) {
    request.gpu_kind = "slice";
    request.mig = spec.task.gpu_mig;
  }
  return request;
}

}  // namespace wm::rest
