// wpolicyd: runs the site's policy of submissions (submit_policy of wm.conf) for wmasterd, as the
// account wm-policy, which owns nothing and reads no store. One question a connection, each on one
// of a few threads; what is asked and answered is in libwm/proc/policy_command.h.
//
//   wpolicyd [--conf DIR]
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <vector>

#include "libwm/base/log.h"
#include "libwm/base/options.h"
#include "libwm/conf/folders.h"
#include "libwm/conf/load.h"
#include "libwm/files/own_folder.h"
#include "libwm/http/listen.h"
#include "libwm/proc/accounts.h"
#include "libwm/proc/policy_command.h"
#include "libwm/proc/ready.h"

namespace wm::policy {
namespace {

constexpr int kAtOnce = 16;  // as many as submit_policy_at_once allows

constexpr const char* kHelp =
    "wpolicyd: runs submit_policy for wmasterd (see wpolicyd(8))\n"
    "  --conf DIR  configuration directory (WM_CONF_DIR, /etc/wm)\n"
    "  --help      this text\n"
    "  --version   version\n";

// Exit status to give at once, or -1 to go on.
int read_options(int argc, char** argv, std::string& conf) {
  if (const char* folder = std::getenv("WM_CONF_DIR")) conf = folder;
  bool help = false, version = false;
  const OptionRow rows[] = {{"--conf", &conf}, {"--help", &help}, {"--version", &version}};
  if (auto read = wm::read_options(argc, argv, rows); !read) {
    std::cerr << "wpolicyd: " << read.error().text << " (see wpolicyd --help)\n";
    return 2;
  }
  if (help) return std::cout << kHelp, 0;
  if (version) return std::cout << "wpolicyd " WM_VERSION "\n", 0;
  return -1;
}

// The folder of the socket, by root's hand where it is not there yet.
Result<void> begin_as(const proc::Account& who, const std::string& folder) {
  if (::geteuid() != 0 && ::geteuid() != who.uid)
    return fail(Code::Denied, "started by uid " + std::to_string(::geteuid()) +
                                  ": start it as root or as " + who.name);
  if (::geteuid() == 0) {
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
      return system_error("mkdir " + folder);
    if (::chown(folder.c_str(), who.uid, who.gid) != 0) return system_error("chown " + folder);
    WM_TRY(proc::become(who));
  }
  struct stat is {};
  if (::stat(folder.c_str(), &is) != 0) return system_error(folder);
  if (is.st_uid == who.uid && (is.st_mode & 022) == 0) return {};
  return fail(Code::Denied, folder + ": is not " + who.name + "'s alone");
}

[[noreturn]] void serve(int listening, uid_t master) {
  for (;;) {
    Fd connection(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
    if (connection) proc::answer_policy(connection.get(), master);
  }
}

Result<void> run(const std::string& conf_dir) {
  WM_TRY(auto conf, conf::load_cluster(conf_dir));
  log::open("wpolicyd", "", log::level_named(conf.log_level));
  WM_TRY(auto who, proc::account(proc::kPolicyAccount));
  WM_TRY(auto master, proc::account(conf.master_user));
  auto socket = conf::policy_socket(conf.dirs);
  WM_TRY(begin_as(who, socket.substr(0, socket.rfind('/'))));
  if (::chdir("/") != 0) return system_error("chdir /");
  // Who may ask is told by the account at the other end.
  WM_TRY(int listening, http::listen_at(socket, 0666));
  proc::tell_ready();
  log::info("wpolicyd_up", {{"socket", socket}, {"master_user", conf.master_user}});
  std::vector<std::thread> threads;
  for (int i = 0; i < kAtOnce; ++i)
    threads.emplace_back([listening, uid = master.uid] { serve(listening, uid); });
  for (auto& thread : threads) thread.join();
  return {};
}

}  // namespace
}  // namespace wm::policy

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::string conf = "/etc/wm";
  if (int status = wm::policy::read_options(argc, argv, conf); status >= 0) return status;
  auto done = wm::policy::run(conf);
  if (done) return 0;
  std::fprintf(stderr, "wpolicyd: %s\n", done.error().text.c_str());
  return 1;
}
