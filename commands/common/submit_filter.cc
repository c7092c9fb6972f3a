#include "commands/common/submit_filter.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "libwm/base/clock.h"
#include "libwm/submit/file_text.h"

namespace wm::cmd {
namespace {

namespace fs = std::filesystem;

constexpr int kAbort = 97;
constexpr auto kLook = std::chrono::milliseconds(5);

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

// A folder for the two files, gone with it.
class Exchange {
 public:
  Exchange() {
    std::error_code ec;
    name_ = (fs::temp_directory_path(ec) / "bsub.XXXXXX").string();
    if (!::mkdtemp(name_.data())) name_.clear();
  }
  ~Exchange() {
    std::error_code ec;
    if (!name_.empty()) fs::remove_all(name_, ec);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  bool is_there() const { return !name_.empty(); }
  std::string parameters() const { return name_ + "/parameters"; }
  std::string modifications() const { return name_ + "/modifications"; }

 private:
  std::string name_;
};

std::vector<std::string> environment_with(const Exchange& files, const std::string& additional) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) all.emplace_back(*entry);
  all.push_back("LSB_SUB_PARM_FILE=" + files.parameters());
  all.push_back("LSB_SUB_MODIFY_FILE=" + files.modifications());
  all.push_back("LSB_SUB_ABORT_VALUE=" + std::to_string(kAbort));
  all.push_back("LSB_SUB_ADDITIONAL=" + additional);
  return all;
}

Result<pid_t> start(const std::string& program, std::vector<std::string> environment) {
  posix_spawnattr_t how;
  ::posix_spawnattr_init(&how);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  // Standard output is for what clients parse.
  ::posix_spawn_file_actions_adddup2(&files, 2, 1);
  std::vector<char*> entries;
  for (auto& entry : environment) entries.push_back(entry.data());
  entries.push_back(nullptr);
  char* words[] = {const_cast<char*>(program.c_str()), nullptr};
  pid_t pid = 0;
  int error = ::posix_spawn(&pid, program.c_str(), &files, &how, words, entries.data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&how);
  if (error != 0) return fail(Code::System, program + ": " + std::strerror(error));
  return pid;
}

// Its wait status. @errors Timeout: ended, with all of its process group
Result<int> end_of(pid_t pid, const std::string& program, Duration limit) {
  const auto until = steady_now() + limit;
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) != pid) {
    if (steady_now() < until) {
      std::this_thread::sleep_for(kLook);
      continue;
    }
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    return fail(Code::Timeout, program + ": not done within " + format_duration(limit));
  }
  return status;
}

Result<void> run_one(const std::string& program, const SiteScripts& site,
                     const std::string& command, Parsed& options) {
  Exchange files;
  if (!files.is_there()) return fail(Code::System, "no folder for temporary files can be made");
  std::ofstream(files.parameters()) << filter_parameters(options, command);
  WM_TRY(auto pid, start(program, environment_with(files, options.first("a").value_or(""))));
  WM_TRY(int status, end_of(pid, program, site.submit_filter_time));
  if (WIFEXITED(status) && WEXITSTATUS(status) == kAbort)
    return fail(Code::Denied, "Request aborted by esub");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return fail(Code::System, program + ": ended with status " + std::to_string(status));
  return take_modifications(file_text(files.modifications()), options);
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
