// blaunch: inside a job, runs a command on hosts of its allocation, in their part of the job,
// as rsh would. On this host without help, elsewhere through the job's agents.
// @source LSF blaunch (lsf-surface, "blaunch"); what Open MPI's and MPICH's launchers call
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <span>
#include <sstream>

#include "commands/common/command.h"
#include "commands/common/together.h"
#include "libwm/base/exit_status.h"
#include "libwm/base/fan_out.h"
#include "libwm/client/launch.h"
#include "libwm/proc/process.h"

namespace wm::cmd::blaunch {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"n", Kind::Flag, "", "Standard input is /dev/null"},
    {"z", Kind::Text, "\"host ...\"", "Run it on each of these hosts"},
    {"u", Kind::Text, "file", "Run it on each host in this file, one a line"},
    {"group", Kind::Text, "name", "On the hosts of this group of the job"},
    {"no-shell", Kind::Flag, "", "Run the program itself, not through a shell"},
    {"use-login-shell", Kind::Flag, "", "Through the owner's login shell"},
    {"no-wait", Kind::Flag, "", "Do not wait for the end"},
};
constexpr const char* kHostVariable = "WM_HOST";
/// Commands that one blaunch starts itself; of more it has others start a share each.
constexpr const char* kWidthVariable = "WM_LAUNCH_WIDTH";
constexpr std::uint32_t kWidth = 32;
/// To a blaunch that starts a share: the number of its first command.
constexpr const char* kFirstVariable = "WM_LAUNCH_FIRST";

/// A variable's number from 1; without one `otherwise`.
std::uint32_t number_in(const char* variable, std::uint32_t otherwise) {
  auto number = std::atoi(environment(variable).value_or("0").c_str());
  return number > 0 ? static_cast<std::uint32_t>(number) : otherwise;
}

/// One command on one host.
struct Run {
  std::string host;
  std::uint32_t task = 0;  ///< 1-based; 0: as rsh, not one of several
};

/// What is the same for all of them.
struct Manner {
  std::vector<std::string> argv;
  std::string group;  ///< the job's group that has their hosts; empty: the caller's own
  std::string hosts;  ///< all of that group, "hostA 4 hostB 2"; empty: the caller's own
  bool no_input = false;
  /// Is the caller there already, in the same part of the job? @cost O(1)
  bool is_here(const Run& run) const {
    return group.empty() && run.host == environment(kHostVariable).value_or("");
  }
};

Error not_in_a_job() {
  return fail(Code::BadArgument, "blaunch: LSB_JOBID is not set: it runs inside a job only");
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// "hostA 4 hostB 2" as one entry a slot.
std::vector<std::string> allocation() {
  std::vector<std::string> slots;
  auto words = words_of(environment("LSB_MCPU_HOSTS").value_or(""));
  for (std::size_t i = 0; i + 1 < words.size(); i += 2)
    slots.insert(slots.end(),
                 static_cast<std::size_t>(std::max(1, std::atoi(words[i + 1].c_str()))), words[i]);
  return slots;
}

/// The other way round.
std::string counted(const std::vector<std::string>& slots) {
  std::string text;
  for (auto at = slots.begin(); at != slots.end();) {
    auto end = std::find_if(at, slots.end(), [&](const auto& host) { return host != *at; });
    text += (text.empty() ? "" : " ") + *at + " " + std::to_string(end - at);
    at = end;
  }
  return text;
}

Result<std::vector<std::string>> hosts_in(const std::string& path) {
  std::ifstream in(path);
  if (!in) return fail(Code::NotFound, "blaunch: " + path + ": cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return words_of(text.str());
}

std::vector<Run> numbered(const std::vector<std::string>& hosts) {
  std::vector<Run> runs;
  runs.reserve(hosts.size());
  auto first = number_in(kFirstVariable, 1);
  for (const auto& host : hosts)
    runs.push_back({host, first + static_cast<std::uint32_t>(runs.size())});
  return runs;
}

Result<client::LaunchDoor> door() {
  auto socket = environment("WM_LAUNCH_SOCKET");
  if (socket) return client::LaunchDoor{*socket, "", std::chrono::seconds(30)};
  return fail(Code::Unavailable, "blaunch: this job has no other hosts (WM_LAUNCH_SOCKET)");
}

Result<std::vector<std::string>> slots_of(const std::string& group) {
  if (group.empty()) return allocation();
  WM_TRY(auto agent, door());
  auto slots = client::slots_of_group(agent, group);
  if (!slots) return fail(slots.error().code, "blaunch: " + slots.error().text);
  return slots;
}

/// Where to run; takes a host's name off the front of the words. Without any host: once a slot.
Result<std::vector<Run>> find_runs(const Parsed& options, const std::vector<std::string>& slots,
                                   std::vector<std::string>& words) {
  auto is_ours = [&](const std::string& host) {
    return std::find(slots.begin(), slots.end(), host) != slots.end();
  };
  std::vector<std::string> hosts;
  if (auto list = options.first("z")) hosts = words_of(*list);
  if (auto file = options.first("u")) {
    WM_TRY(hosts, hosts_in(*file));
  }
  auto group = options.first("group");
  auto whose = group ? "group <" + *group + ">" : "this job";
  for (const auto& host : hosts)
    if (!is_ours(host))
      return fail(Code::BadArgument, "blaunch: host <" + host + "> is not one of " + whose + "'s");
  if (!hosts.empty()) return numbered(hosts);
  if (words.size() < 2 || !is_ours(words.front())) return numbered(slots);
  Run run{words.front()};
  words.erase(words.begin());
  return std::vector<Run>{run};
}

/// As rsh: the words are one line for a shell, which takes the quotes that callers put into
/// them.
std::vector<std::string> command_line(const Parsed& options,
                                      const std::vector<std::string>& words) {
  if (options.has("no-shell")) return words;
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + word;
  if (options.has("use-login-shell"))
    return {environment("SHELL").value_or("/bin/sh"), "-l", "-c", line};
  return {"/bin/sh", "-c", line};
}

/// Which task of its group the caller is says nothing of a command in another.
bool is_of_caller(std::string_view entry) {
  for (const char* name :
       {"WM_GROUP_RANK=", "WM_GROUP_PORT=", "TF_CONFIG=", "LSB_MCPU_HOSTS=", "LSB_HOSTS="})
    if (entry.starts_with(name)) return true;
  return false;
}

std::vector<std::string> environment_for(const Run& run, const Manner& manner) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view whole(*entry);
    bool task = whole.starts_with("LSF_PM_TASKID=") || whole.starts_with("LSB_TASKID=");
    bool ours = whole.starts_with(std::string(kFirstVariable) + "=");
    bool callers = !manner.group.empty() && is_of_caller(whole);
    if (!ours && !callers && (run.task == 0 || !task)) entries.emplace_back(whole);
  }
  if (!manner.group.empty()) entries.push_back("LSB_MCPU_HOSTS=" + manner.hosts);
  if (run.task == 0) return entries;
  for (const char* name : {"LSF_PM_TASKID=", "LSB_TASKID="})
    entries.push_back(name + std::to_string(run.task));
  return entries;
}

[[noreturn]] void become_command(const Run& run, const Manner& manner) {
  if (manner.no_input && std::freopen("/dev/null", "r", stdin) == nullptr) ::close(0);
  auto env = environment_for(run, manner);
  std::vector<char*> words, variables;
  for (const auto& word : manner.argv) words.push_back(const_cast<char*>(word.c_str()));
  for (const auto& entry : env) variables.push_back(const_cast<char*>(entry.c_str()));
  words.push_back(nullptr);
  variables.push_back(nullptr);
  environ = variables.data();
  ::execvp(words[0], words.data());
  complain("blaunch: " + manner.argv[0] + ": cannot be run\n");
  ::_exit(errno == ENOENT ? 127 : 126);
}

Result<int> run_elsewhere(const Run& run, const Manner& manner,
                          const std::vector<std::string>& more_env = {}) {
  WM_TRY(auto agent, door());
  LaunchStart start;
  start.host = run.host;
  start.group = manner.group;
  start.argv = manner.argv;
  start.env = environment_for(run, manner);
  start.env.insert(start.env.end(), more_env.begin(), more_env.end());
  char cwd[PATH_MAX] = "";
  if (::getcwd(cwd, sizeof cwd) != nullptr) start.cwd = cwd;
  start.no_input = manner.no_input;
  WM_TRY(auto launch, client::Launch::open(agent, start));
  WM_TRY(auto ended, launch.run({!manner.no_input, false}));
  if (ended.refused) return fail(Code::Unavailable, "blaunch: " + ended.text);
  return shell_status(ended.status);
}

/// One run in this process; here or there.
int run_one(const Run& run, const Manner& manner) {
  if (manner.is_here(run)) become_command(run, manner);
  auto code = run_elsewhere(run, manner);
  if (code) return *code;
  complain(code.error().text + "\n");
  return kRefused;
}

/// What a blaunch elsewhere is to run for its share.
std::vector<std::string> share_line(std::span<const Run> share, const Manner& manner) {
  std::string hosts;
  for (const auto& run : share) hosts += (hosts.empty() ? "" : " ") + run.host;
  std::vector<std::string> line{"blaunch"};
  if (manner.no_input) line.emplace_back("-n");
  if (!manner.group.empty()) line.insert(line.end(), {"-group", manner.group});
  line.insert(line.end(), {"-no-shell", "-z", hosts});
  line.insert(line.end(), manner.argv.begin(), manner.argv.end());
  return line;
}

int run_all(std::span<const Run> runs, const Manner& manner);

/// One command, or several by a blaunch on the host of the first.
int run_share(std::span<const Run> share, Manner manner) {
  const auto& first = share.front();
  manner.no_input = manner.no_input || first.task > 1;
  if (share.size() == 1) return run_one(first, manner);
  if (manner.is_here(first)) return run_all(share, manner);
  auto whole = manner;
  whole.argv = share_line(share, manner);
  auto code =
      run_elsewhere({first.host}, whole, {kFirstVariable + ("=" + std::to_string(first.task))});
  if (code) return *code;
  complain(code.error().text + "\n");
  return kRefused;
}

/// Several at once.
int run_all(std::span<const Run> runs, const Manner& manner) {
  auto width = number_in(kWidthVariable, kWidth);
  if (width < 2) width = 2;  // or a share would never be cut
  std::vector<Work> works;
  for (const auto& share : shares(static_cast<std::uint32_t>(runs.size()), width))
    works.push_back([=] { return run_share(runs.subspan(share.first, share.count), manner); });
  auto code = run_together(works);
  if (code) return *code;
  complain("blaunch: " + code.error().text + "\n");
  return kRefused;
}

Result<int> run(const Parsed& options) {
  if (!environment("LSB_JOBID")) return not_in_a_job();
  auto words = options.words;
  auto group = options.first("group").value_or("");
  WM_TRY(auto slots, slots_of(group));
  WM_TRY(auto runs, find_runs(options, slots, words));
  if (words.empty()) return fail(Code::BadArgument, "blaunch: no command is given");
  bool no_wait = options.has("no-wait");
  Manner manner{command_line(options, words), group, group.empty() ? "" : counted(slots),
                options.has("n") || no_wait};
  if (no_wait && ::fork() != 0) return 0;
  if (runs.size() == 1) return run_one(runs.front(), manner);
  return run_all(runs, manner);
}

}  // namespace
}  // namespace wm::cmd::blaunch

int main(int argc, char** argv) {
  using namespace wm::cmd::blaunch;
  return main_of({"blaunch",
                  "blaunch [-n] [-group name] [-u host_file | -z \"host ...\" | host] [-no-shell] "
                  "command [argument ...]",
                  kOptions, wm::cmd::Words::Last},
                 argc, argv, run);
}
