// wgatewayd: checks who comes in at the web door: reads its options and keys, listens on its
// socket, answers nginx.
//
//   wgatewayd --folder DIR --origin URL [--apps-origin URL] [--login DIR] [--state DIR] [--conf
//   DIR]
//
// With --login, wlogind of that folder checks passwords and signs tokens. Without it the cluster is
// a private one: DIR holds api.key, which its one user logs on with, and gets token.seed and
// token.pub.
#include <signal.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "daemons/wgatewayd/gate.h"
#include "libwm/base/clock.h"
#include "libwm/base/log.h"
#include "libwm/base/options.h"
#include "libwm/conf/load.h"
#include "libwm/files/whole_file.h"
#include "libwm/http/listen.h"
#include "libwm/http/token_files.h"
#include "libwm/proc/accounts.h"
#include "libwm/proc/ready.h"

namespace wm::gateway {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string conf{conf::kDefaultDir}, folder, state, origin, apps_origin, login;
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  if (const char* folder = std::getenv("WM_CONF_DIR")) options.conf = folder;
  const OptionRow rows[] = {{"--conf", &options.conf},
                            {"--folder", &options.folder},
                            {"--state", &options.state},
                            {"--origin", &options.origin},
                            {"--apps-origin", &options.apps_origin},
                            {"--login", &options.login}};
  WM_TRY(read_options(argc, argv, rows));
  if (options.folder.empty() || options.origin.empty())
    return fail(Code::BadArgument, "--folder and --origin are wanted (see wgatewayd(8))");
  if (options.state.empty()) options.state = options.folder;
  if (options.apps_origin == options.origin)
    return fail(Code::BadArgument, "--apps-origin: what jobs show needs another host name");
  return options;
}

Result<std::string> api_key_in(const std::string& folder) {
  auto found = read_file(folder + "/api.key");
  auto key = found ? *found : "";
  key.erase(key.find_last_not_of(" \r\n") + 1);
  constexpr std::size_t kShortest = 16;
  if (key.size() < kShortest)
    return fail(Code::NotFound, folder + "/api.key: a key of 16 characters at least is wanted");
  return key;
}

// One user: the account that runs this.
Result<std::unique_ptr<Doorman>> alone(const Options& options, const std::string& cluster,
                                       client::DoorRecord& record) {
  WM_TRY(auto own, proc::account(::getuid()));
  WM_TRY(auto api_key, api_key_in(options.folder));
  auto sbin = fs::read_symlink("/proc/self/exe").parent_path();
  auto socket = options.folder + "/" + std::to_string(::getuid()) + ".sock";
  std::vector<std::string> command{sbin / "wuserd",
                                   "--conf",
                                   options.conf,
                                   "--socket",
                                   socket,
                                   "--token-key",
                                   options.folder + "/token.pub"};
  return private_doorman({cluster, own.name, api_key, ::getuid(), options.folder, command, socket},
                         record);
}

Result<std::unique_ptr<Doorman>> doorman_of(const Options& options, const ClusterConf& conf,
                                            client::DoorRecord& record) {
  if (options.login.empty()) return alone(options, conf.name, record);
  if (auto own = proc::account(::getuid()); own && own->name == conf.master_user)
    return fail(Code::Denied,
                "it must not run as master_user: one fault of HTTP would be the cluster");
  return login_doorman(options.login);
}

Result<void> run(const Options& options) {
  if (sodium_init() < 0) return fail(Code::System, "libsodium does not start");
  WM_TRY(auto conf, conf::load_cluster(options.conf));
  log::open("wgatewayd", "", log::level_named(conf.log_level));
  client::DoorRecord record(conf);  // with wlogind it is wlogind that tells
  WM_TRY(auto doorman, doorman_of(options, conf, record));
  auto now = now_s();
  WM_TRY(auto app_key, http::own_app_key(options.state));
  Gate gate;
  gate.cluster = conf.name;
  gate.origin = options.origin;
  gate.apps_origin = options.apps_origin;
  gate.app_key = app_key;
  gate.doorman = std::move(doorman);
  gate.revoked = std::make_unique<Revoked>(options.state + "/revoked", now);
  gate.revocations = std::make_unique<RevocationWatch>(conf, *gate.doorman, *gate.revoked);
  WM_TRY(auto socket, http::listen_at(options.folder + "/gateway.sock", 0600));
  http::ServerOptions bounds;
  bounds.connections = 1024;  // log-ons that wait for something take a fifth of them at most
  bounds.admits = [](uid_t uid) { return uid == ::getuid(); };
  proc::tell_ready();
  log::info("wgatewayd_up", {{"origin", options.origin}});
  return http::serve(socket, bounds, [&](http::Exchange& exchange) { answer(gate, exchange); });
}

}  // namespace
}  // namespace wm::gateway

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(077);
  auto options = wm::gateway::parse(argc, argv);
  auto done = options ? wm::gateway::run(*options) : wm::Result<void>(options.error());
  if (done) return 0;
  std::fprintf(stderr, "wgatewayd: %s\n", done.error().text.c_str());
  return options ? 1 : 2;
}
