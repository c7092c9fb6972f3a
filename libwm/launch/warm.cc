#include "libwm/launch/warm.h"

#include <algorithm>
#include <sstream>

#include "libwm/base/joined.h"
#include "libwm/launch/container.h"
#include "libwm/launch/job_command.h"

namespace wm::launch {
namespace {

bool is_plain(char c) {
  constexpr std::string_view kOthers = "_@%+=:,./-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOthers.find(c) != kOthers.npos;
}

/// "python", as virtual environments have it, too; "python3", "/usr/bin/python3.11".
bool is_python(const std::string& program) {
  constexpr std::string_view kName = "python";
  auto name = program.substr(program.rfind('/') + 1);
  bool assigns = program.find('=') != program.npos;  // a variable for the next word
  if (assigns || !name.starts_with(kName)) return false;
  return std::all_of(name.begin() + kName.size(), name.end(),
                     [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

bool is_resized_in_place(const HostOrder& order) {
  return order.team.elastic && order.app.type != AppType::Batch &&
         (order.app.resize == ResizeMode::Auto || order.app.resize == ResizeMode::InPlace);
}

}  // namespace

bool is_standby(const HostOrder& order) {
  return order.tasks.empty() && !order.resolved.exec.service.empty() && order.team.elastic &&
         !order.control.end;
}

std::vector<std::string> python_words(const std::string& command) {
  bool plain =
      std::all_of(command.begin(), command.end(), [](char c) { return c == ' ' || is_plain(c); });
  if (!plain) return {};
  std::istringstream text(command);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  if (!words.empty() && words[0] == "exec") words.erase(words.begin());
  if (words.size() < 2 || !is_python(words[0]) || words[1].starts_with("-")) return {};
  return words;
}

std::optional<KeepWarm> plan_warm(const HostOrder& order, const HostFacts& host) {
  if (!is_resized_in_place(order) || order.app.warm_imports.empty() || !order.blobs.script.empty())
    return std::nullopt;
  auto words = python_words(order.resolved.program.command);
  bool inside = container_driver(order) != "none";  // the parent is not in there
  bool started = !starter_of(order).empty();        // a fork would not be
  if (words.empty() || inside || started) return std::nullopt;
  const OrderedTask nobody;  // its variables are those of any task; a fork gets its own
  KeepWarm warm;
  warm.command = plan_task(order, host, nobody).argv;
  warm.argv = {words[0], host.lib_dir + "/python/fabric_model/warm.py",
               joined(order.app.warm_imports, ",")};
  warm.argv.insert(warm.argv.end(), words.begin(), words.end());
  warm.env = task_environment(order, host, nobody);
  warm.after = is_standby(order) ? Duration{} : kWarmAfter;
  return warm;
}

}  // namespace wm::launch
