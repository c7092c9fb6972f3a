#include "commands/common/submit_filter.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>
#include <vector>

#include "libwm/base/exit_status.h"
#include "libwm/files/temp_folder.h"
#include "libwm/files/whole_file.h"
#include "libwm/proc/process.h"
#include "libwm/submit/file_text.h"

namespace wm::cmd {
namespace {

namespace fs = std::filesystem;

constexpr int kAbort = 97;
constexpr const char* kParameters = "/parameters";  // in a folder of their own, gone with it
constexpr const char* kModifications = "/modifications";

// An option by LSF's name for it.
struct Variable {
  std::string_view name, option;
  bool flag = false;
};
constexpr Variable kVariables[] = {
    {"LSB_SUB_QUEUE", "q"},
    {"LSB_SUB_JOB_NAME", "J"},
    {"LSB_SUB_PROJECT_NAME", "P"},
    {"LSB_SUB_NUM_PROCESSORS", "n"},
    {"LSB_SUB_RES_REQ", "R"},
    {"LSB_SUB_OUT_FILE", "o"},
    {"LSB_SUB_ERR_FILE", "e"},
    {"LSB_SUB_IN_FILE", "i"},
    {"LSB_SUB_HOSTS", "m"},
    {"LSB_SUB_DEPEND_COND", "w"},
    {"LSB_SUB_APP", "app"},
    {"LSB_SUB_USER_GROUP", "G"},
    {"LSB_SUB_MEM_LIMIT", "M"},
    {"LSB_SUB_RUN_LIMIT", "W"},
    {"LSB_SUB_GPU_REQ", "gpu"},
    {"LSB_SUB_PLAN", "plan"},
    {"LSB_SUB_PRE_EXEC", "E"},
    {"LSB_SUB_EXCLUSIVE", "x", true},
    {"LSB_SUB_RERUNNABLE", "r", true},
    {"LSB_SUB_HOLD", "H", true},
    {"LSB_SUB_ELASTIC", "ar", true},
};

std::string shell_quoted(const std::string& value) {
  std::string text = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\' || c == '$' || c == '`') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + "\"";
}

// A value of a line, without a shell's quotes.
std::string unquoted(std::string_view value) {
  bool quotes = value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
                value.back() == value.front();
  if (!quotes) return std::string(value);
  std::string text;
  for (std::size_t i = 1; i + 1 < value.size(); ++i) {
    if (value[i] == '\\' && value.front() == '"' && i + 2 < value.size()) ++i;
    text += value[i];
  }
  return text;
}

std::vector<std::string> environment_with(const std::string& folder,
                                          const std::string& additional) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) all.emplace_back(*entry);
  all.push_back("LSB_SUB_PARM_FILE=" + folder + kParameters);
  all.push_back("LSB_SUB_MODIFY_FILE=" + folder + kModifications);
  all.push_back("LSB_SUB_ABORT_VALUE=" + std::to_string(kAbort));
  all.push_back("LSB_SUB_ADDITIONAL=" + additional);
  return all;
}

Result<void> run_one(const std::string& program, const SiteScripts& site,
                     const std::string& command, Parsed& options) {
  std::error_code ec;
  WM_TRY(auto files, TempFolder::make(fs::temp_directory_path(ec).string(), "bsub."));
  WM_TRY(replace_file(files.path() + kParameters, filter_parameters(options, command), 0600));
  proc::Start start{{program}};
  start.environment = environment_with(files.path(), options.first("a").value_or(""));
  start.descriptors = {{STDERR_FILENO, STDOUT_FILENO}};  // standard output is what clients parse
  WM_TRY(auto process, proc::Process::start(start));
  auto status = process.wait(site.submit_filter_time);
  if (!status)
    return fail(Code::Timeout,
                program + ": not done within " + format_duration(site.submit_filter_time));
  auto code = shell_status(*status);
  if (code == kAbort) return fail(Code::Denied, "Request aborted by esub");
  if (code != 0) return fail(Code::System, program + ": ended with status " + std::to_string(code));
  return take_modifications(file_text(files.path() + kModifications), options);
}

// The names of -a "mpi(4) gpu": mpi, gpu.
std::vector<std::string> applications(const Parsed& options) {
  std::vector<std::string> names;
  for (const auto& value : options.all("a")) {
    std::string name;
    int depth = 0;
    for (char c : value + " ") {
      depth += (c == '(') - (c == ')');
      bool in_name = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
      if (in_name && depth == 0) name += c;
      else if (c == ' ' && !name.empty()) names.push_back(std::exchange(name, ""));
    }
  }
  return names;
}

}  // namespace

std::string filter_parameters(const Parsed& options, const std::string& command) {
  std::string text = "LSB_SUB_COMMAND_LINE=" + shell_quoted(command) + "\n";
  for (const auto& variable : kVariables) {
    auto value = options.first(variable.option);
    if (!value) continue;
    text += std::string(variable.name) + "=" + shell_quoted(variable.flag ? "Y" : *value) + "\n";
  }
  return text;
}

Result<void> take_modifications(std::string_view text, Parsed& options) {
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == line.npos || line.front() == '#') continue;
    auto equals = line.find('=');
    auto variable = std::ranges::find(kVariables, line.substr(0, equals), &Variable::name);
    if (equals == line.npos || variable == std::end(kVariables))
      return fail(Code::BadArgument,
                  "submit_filter: '" + std::string(line) + "' is no option that it can change");
    auto value = unquoted(line.substr(equals + 1));
    bool away = value.empty() || (variable->flag && value != "Y");
    if (away) options.options.erase(std::string(variable->option));
    else options.options[std::string(variable->option)] = {variable->flag ? "" : value};
  }
  return {};
}

Result<void> filter_submission(const SiteScripts& site, const std::string& command,
                               Parsed& options) {
  if (site.submit_filter.empty()) return {};
  WM_TRY(run_one(site.submit_filter, site, command, options));
  for (const auto& name : applications(options)) {
    auto program = site.submit_filter + "." + name;
    if (::access(program.c_str(), X_OK) == 0) WM_TRY(run_one(program, site, command, options));
  }
  return {};
}

}  // namespace wm::cmd
