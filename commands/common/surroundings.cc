#include "commands/common/surroundings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <filesystem>

#include "commands/common/command.h"
#include "libwm/base/clock.h"
#include "libwm/client/launch.h"
#include "libwm/client/names.h"
#include "libwm/submit/torch_version.h"

namespace wm::cmd {

namespace {

// $PWD where it is this folder: through links, as the user has come here.
std::string folder_as_reached(const std::string& real) {
  auto reached = environment("PWD");
  struct stat here {
  }, there{};
  bool plain = reached && reached->starts_with('/') &&
               std::filesystem::path(*reached).lexically_normal() == *reached;
  bool same = plain && ::stat(reached->c_str(), &here) == 0 && ::stat(".", &there) == 0 &&
              here.st_dev == there.st_dev && here.st_ino == there.st_ino;
  return same ? *reached : real;
}

}  // namespace

Surroundings surroundings_here() {
  Surroundings here;
  here.who.uid = ::getuid();
  here.who.gid = ::getgid();
  // The master names the account: it goes by the uid alone.
  if (auto home = environment("HOME")) here.home = *home;
  else if (auto account = client::find_account(std::to_string(here.who.uid)))
    here.home = account->home;
  char text[PATH_MAX] = "";
  if (::getcwd(text, sizeof text)) here.cwd = folder_as_reached(text);
  if (::gethostname(text, sizeof text - 1) == 0) here.host = text;
  here.umask = ::umask(0);
  ::umask(here.umask);
  here.now = wall_now();
  here.torch_of = torch_of;
  for (char** entry = environ; *entry; ++entry) here.environment.emplace_back(*entry);
  auto size = client::size_of_terminal(STDIN_FILENO);
  here.rows = size.rows;
  here.columns = size.columns;
  return here;
}

Surroundings surroundings_here(const ClusterConf& conf) {
  auto here = surroundings_here();
  here.limit_unit = conf.lsf.limit_unit();
  here.mem_unit = conf.lsf.mem_unit();
  return here;
}

}  // namespace wm::cmd
