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
#include "libwm/base/fan_out.h"
#include "libwm/client/launch.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"n", Kind::Flag, "", "Standard input is /dev/null"},
    {"z", Kind::Text, "\"host ...\"", "Run it on each of these hosts"},
    {"u", Kind::Text, "file", "Run it on each host in this file, one a line"},
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

/// Where to run; takes a host's name off the front of the words. Without any host: once a slot.
Result<std::vector<Run>> find_runs(const Parsed& options, std::vector<std::string>& words) {
  auto slots = allocation();
  auto is_ours = [&](const std::string& host) {
    return std::find(slots.begin(), slots.end(), host) != slots.end();
  };
  std::vector<std::string> hosts;
  if (auto list = options.first("z")) hosts = words_of(*list);
  if (auto file = options.first("u")) {
    WM_TRY(hosts, hosts_in(*file));
  }
  for (const auto& host : hosts)
    if (!is_ours(host))
      return fail(Code::BadArgument, "blaunch: host <" + host + "> is not one of this job's");
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

std::vector<std::string> own_environment(const Run& run) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view whole(*entry);
    bool task = whole.starts_with("LSF_PM_TASKID=") || whole.starts_with("LSB_TASKID=");
    bool ours = whole.starts_with(std::string(kFirstVariable) + "=");
    if (!ours && (run.task == 0 || !task)) entries.emplace_back(whole);
  }
  if (run.task == 0) return entries;
  for (const char* name : {"LSF_PM_TASKID=", "LSB_TASKID="})
    entries.push_back(name + std::to_string(run.task));
  return entries;
}

[[noreturn]] void become_command(const Run& run, const std::vector<std::string>& argv,
                                 bool no_input) {
  if (no_input && std::freopen("/dev/null", "r", stdin) == nullptr) ::close(0);
  auto env = own_environment(run);
  std::vector<char*> words, variables;
  for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  for (const auto& entry : env) variables.push_back(const_cast<char*>(entry.c_str()));
  words.push_back(nullptr);
  variables.push_back(nullptr);
  environ = variables.data();
  ::execvp(words[0], words.data());
  complain("blaunch: " + argv[0] + ": cannot be run\n");
  ::_exit(errno == ENOENT ? 127 : 126);
}

Result<int> run_elsewhere(const Run& run, const std::vector<std::string>& argv, bool no_input,
                          const std::vector<std::string>& more_env = {}) {
  auto socket = environment("WM_LAUNCH_SOCKET");
  if (!socket)
    return fail(Code::Unavailable, "blaunch: this job has no other hosts (WM_LAUNCH_SOCKET)");
  LaunchStart start;
  start.host = run.host;
  start.argv = argv;
  start.env = own_environment(run);
  start.env.insert(start.env.end(), more_env.begin(), more_env.end());
  char cwd[PATH_MAX] = "";
  if (::getcwd(cwd, sizeof cwd) != nullptr) start.cwd = cwd;
  start.no_input = no_input;
  WM_TRY(auto launch, client::Launch::open({*socket, "", std::chrono::seconds(30)}, start));
  WM_TRY(auto ended, launch.run({!no_input, false}));
  if (ended.refused) return fail(Code::Unavailable, "blaunch: " + ended.text);
  return code_of(ended.status);
}

/// One run in this process; here or there.
int run_one(const Run& run, const std::vector<std::string>& argv, bool no_input) {
  if (run.host == environment(kHostVariable).value_or("")) become_command(run, argv, no_input);
  auto code = run_elsewhere(run, argv, no_input);
  if (code) return *code;
  complain(code.error().text + "\n");
  return kRefused;
}

/// What a blaunch elsewhere is to run for its share.
std::vector<std::string> share_line(std::span<const Run> share,
                                    const std::vector<std::string>& argv, bool no_input) {
  std::string hosts;
  for (const auto& run : share) hosts += (hosts.empty() ? "" : " ") + run.host;
  std::vector<std::string> line{"blaunch", "-no-shell", "-z", hosts};
  if (no_input) line.insert(line.begin() + 1, "-n");
  line.insert(line.end(), argv.begin(), argv.end());
  return line;
}

int run_all(std::span<const Run> runs, const std::vector<std::string>& argv, bool no_input);

/// One command, or several by a blaunch on the host of the first.
int run_share(std::span<const Run> share, const std::vector<std::string>& argv, bool no_input) {
  const auto& first = share.front();
  no_input = no_input || first.task > 1;
  if (share.size() == 1) return run_one(first, argv, no_input);
  if (first.host == environment(kHostVariable).value_or("")) return run_all(share, argv, no_input);
  auto code = run_elsewhere({first.host}, share_line(share, argv, no_input), no_input,
                            {kFirstVariable + ("=" + std::to_string(first.task))});
  if (code) return *code;
  complain(code.error().text + "\n");
  return kRefused;
}

/// Several at once.
int run_all(std::span<const Run> runs, const std::vector<std::string>& argv, bool no_input) {
  auto width = number_in(kWidthVariable, kWidth);
  if (width < 2) width = 2;  // or a share would never be cut
  std::vector<Work> works;
  for (const auto& share : shares(static_cast<std::uint32_t>(runs.size()), width))
    works.push_back(
        [=, &argv] { return run_share(runs.subspan(share.first, share.count), argv, no_input); });
  auto code = run_together(works);
  if (code) return *code;
  complain("blaunch: " + code.error().text + "\n");
  return kRefused;
}

Result<int> run(const Parsed& options) {
  if (!environment("LSB_JOBID")) return not_in_a_job();
  auto words = options.words;
  WM_TRY(auto runs, find_runs(options, words));
  if (words.empty()) return fail(Code::BadArgument, "blaunch: no command is given");
  auto argv = command_line(options, words);
  bool no_wait = options.has("no-wait");
  bool no_input = options.has("n") || no_wait;
  if (no_wait && ::fork() != 0) return 0;
  if (runs.size() == 1) return run_one(runs.front(), argv, no_input);
  return run_all(runs, argv, no_input);
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"blaunch",
                  "blaunch [-n] [-u host_file | -z \"host ...\" | host] [-no-shell] command "
                  "[argument ...]",
                  kOptions, Words::Last},
                 argc, argv, run);
}
