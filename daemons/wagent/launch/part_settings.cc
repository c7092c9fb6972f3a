#include "daemons/wagent/launch/part_settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "libwm/launch/container.h"

namespace wm::wagent {
namespace {

/// Says where a process is, and so is never taken from another host.
bool is_ours(std::string_view name) {
  if (name.starts_with("WM_AGENT_") || name == "WM_NODE_SOCKET" || name == launch::kTaskVariable)
    return false;
  for (const char* prefix : {"WM_", "LSF_"})
    if (name.starts_with(prefix)) return true;
  for (const char* word : {"HOSTNAME", "LSB_DJOB_HOSTFILE", "OMPI_MCA_orte_default_hostfile",
                           "OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_default_hostfile",
                           "PRTE_MCA_prte_tmpdir_base", "CUDA_VISIBLE_DEVICES"})
    if (name == word) return true;
  return false;
}

launch::Account own_account() {
  launch::Account account{::geteuid(), ::getegid(), {}};
  std::vector<gid_t> groups(static_cast<std::size_t>(::getgroups(0, nullptr)));
  ::getgroups(static_cast<int>(groups.size()), groups.data());
  account.groups.assign(groups.begin(), groups.end());
  return account;
}

std::vector<launch::ResourceCap> caps_in(const std::string& text) {
  std::vector<launch::ResourceCap> caps;
  std::istringstream words(text);
  launch::ResourceCap cap;
  char equals = 0;
  while (words >> cap.resource >> equals >> cap.amount) caps.push_back(cap);
  return caps;
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::uint64_t number_in(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 10);
}

/// A file of the job's, by its variables.
template <class Text>
launch::OutputFile file_in(const Text& text, const std::string& name) {
  launch::OutputFile file;
  file.path = text((name + "_FILE").c_str());
  file.name = text((name + "_NAME").c_str());
  file.limit_bytes = number_in(text((name + "_LIMIT").c_str()));
  return file;
}

/// Goes where it is told and becomes the command; stays where it is if there is no such folder.
constexpr const char* kGoAndBecome = R"(cd -- "$1" 2>/dev/null; shift; exec "$@")";

}  // namespace

PartSettings read_part_settings(const Lookup& lookup, char** environment) {
  auto text = [&](const char* name) {
    const char* value = lookup(name);
    return std::string(value != nullptr ? value : "");
  };
  PartSettings part;
  part.host = text("WM_AGENT_NAME");
  part.launch_socket = text("WM_LAUNCH_SOCKET");
  part.console_socket = text("WM_AGENT_CONSOLE");
  part.munge_socket = text("WM_AGENT_MUNGE");
  part.rank_hosts = text("WM_AGENT_RANKS");
  part.rank_socket = text("WM_AGENT_RANK_SOCKET");
  part.tag = !text("WM_AGENT_TAG").empty();
  auto err = text("WM_AGENT_ERR");
  if (!err.empty()) part.tag_err = std::atoi(err.c_str());
  part.output.socket = text("WM_AGENT_OUTPUT_SOCKET");
  part.output.others = static_cast<std::uint32_t>(number_in(text("WM_AGENT_OUTPUT_OTHERS")));
  part.output.out = file_in(text, "WM_AGENT_OUTPUT");
  part.output.err = file_in(text, "WM_AGENT_ERRORS");
  part.caps = caps_in(text("WM_AGENT_CAPS"));
  part.container = lines_in(text("WM_AGENT_CONTAINER"));
  part.account = own_account();
  for (char** entry = environment; *entry != nullptr; ++entry) {
    std::string_view whole(*entry);
    if (is_ours(whole.substr(0, whole.find('=')))) part.own_env.emplace_back(whole);
  }
  return part;
}

std::vector<std::string> environment_of(const std::vector<std::string>& callers,
                                        const std::vector<std::string>& ours) {
  std::map<std::string, std::string> by_name;
  for (const auto* list : {&callers, &ours})
    for (const auto& entry : *list) by_name[entry.substr(0, entry.find('='))] = entry;
  std::vector<std::string> result;
  for (auto& [name, entry] : by_name) result.push_back(std::move(entry));
  return result;
}

std::vector<std::string> placed_like_caller(std::vector<std::string> argv, const std::string& cwd,
                                            const std::vector<std::string>& callers_env,
                                            const PartSettings& part) {
  auto inside = std::string(launch::kInsideVariable) + "=";
  bool is_inside = std::any_of(callers_env.begin(), callers_env.end(),
                               [&](const auto& entry) { return entry.starts_with(inside); });
  if (part.container.empty() || !is_inside) return argv;
  auto whole = part.container;
  whole.insert(whole.end(), {"/bin/sh", "-c", kGoAndBecome, "sh", cwd});
  whole.insert(whole.end(), argv.begin(), argv.end());
  return whole;
}

}  // namespace wm::wagent
