#include "daemons/wlogind/shared_agents.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "daemons/wlogind/agents.h"
#include "libwm/base/clock.h"
#include "libwm/files/fd.h"
#include "libwm/files/whole_file.h"
#include "libwm/login/share_words.h"

namespace wm::login {
namespace {

constexpr Bytes kLongestShares{1 << 20};
constexpr std::int64_t kBetweenStarts = 60;  // seconds

Error nothing_shared(const std::string& owner) {
  return fail(Code::Denied, owner + " shares nothing with this account");
}

std::vector<std::string> group_names(const proc::Account& account) {
  std::vector<std::string> names;
  for (gid_t id : proc::groups_of(account))
    if (auto known = proc::group(id)) names.push_back(known->name);
  return names;
}

// In a process that is the owner's from here to its end.
[[noreturn]] void look_as(const proc::Account& owner, const proc::Account& guest,
                          const std::vector<std::string>& groups, const std::string& path) {
  if (!proc::become(owner)) ::_exit(2);
  auto text = read_file(path, kLongestShares);
  ::_exit(text && shares_name(*text, guest.name, groups) ? 0 : 1);
}

Result<void> check_shared(const proc::Account& owner, const proc::Account& guest,
                          const AgentPlan& plan) {
  auto top = plan.results.empty() ? owner.home : plan.results;
  auto path = top + "/" + owner.name + "/" + rest::kSharesFile;
  auto groups = group_names(guest);
  pid_t child = ::fork();
  if (child == 0) look_as(owner, guest, groups, path);
  int status = 1;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return system_error("fork");
  return status == 0 ? Result<void>() : Result<void>(nothing_shared(owner.name));
}

// A wuserd that ends at once is not started again and again. The folder is root's.
Result<void> check_pace(const std::string& path) {
  struct stat is {};
  if (::stat(path.c_str(), &is) == 0 && now_s() - is.st_mtime < kBetweenStarts)
    return fail(Code::Limit, "it was started less than a minute ago");
  Fd mark(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!mark || ::futimens(mark.get(), nullptr) != 0) return system_error(path);
  return {};
}

}  // namespace

bool shares_name(const std::string& text, const std::string& user,
                 const std::vector<std::string>& groups) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    bool is_group = line.starts_with('@');
    bool meant = is_group ? std::ranges::find(groups, line.substr(1)) != groups.end()
                          : !line.empty() && line == user;
    if (meant) return true;
  }
  return false;
}

Result<void> start_for_guest(const proc::Account& owner, const proc::Account& guest,
                             const AgentPlan& plan) {
  WM_TRY(check_shared(owner, guest, plan));
  if (agent_runs(owner, plan)) return {};
  WM_TRY(check_pace(plan.folder + "/" + std::to_string(owner.uid) + ".shared"));
  WM_TRY(agent_of(owner, plan));
  return {};
}

}  // namespace wm::login
