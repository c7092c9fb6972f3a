// wuserd: the web door of one user, under that user's account: reads its options, listens on its
// socket, answers what nginx passes on.
//
//   wuserd --socket PATH|--listen-fd N [--guests-fd N] --token-key FILE [--conf DIR]
//     [--web-user NAME]
//   wuserd --openapi   prints the document of the interface
#include <signal.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>

#include "daemons/wuserd/cluster/routes.h"
#include "daemons/wuserd/door/door.h"
#include "daemons/wuserd/door/life.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/spaces/spaces.h"
#include "libwm/base/log.h"
#include "libwm/base/options.h"
#include "libwm/conf/load.h"
#include "libwm/files/own_folder.h"
#include "libwm/http/listen.h"
#include "libwm/http/token_files.h"
#include "libwm/proc/accounts.h"
#include "libwm/proc/ready.h"

namespace wm::user {
namespace {

struct Options {
  std::string conf{conf::kDefaultDir}, socket, listen_fd, guests_fd, token_key, web_user;
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  if (const char* folder = std::getenv("WM_CONF_DIR")) options.conf = folder;
  const OptionRow rows[] = {
      {"--conf", &options.conf},           {"--socket", &options.socket},
      {"--listen-fd", &options.listen_fd}, {"--guests-fd", &options.guests_fd},
      {"--token-key", &options.token_key}, {"--web-user", &options.web_user}};
  WM_TRY(read_options(argc, argv, rows));
  if (options.socket.empty() == options.listen_fd.empty() || options.token_key.empty())
    return fail(Code::BadArgument,
                "--socket or --listen-fd, and --token-key are wanted (see wuserd(8))");
  return options;
}

Result<uid_t> uid_of(const std::string& user) {
  if (user.empty()) return ::getuid();
  WM_TRY(auto found, proc::account(user));
  return found.uid;
}

Result<std::unique_ptr<Site>> make_site(const Options& options) {
  WM_TRY(auto own, proc::account(::getuid()));
  WM_TRY(auto conf, conf::load_cluster(options.conf));
  std::string user = own.name, home = own.home;
  auto shared = conf.dirs.results.empty() ? home : conf.dirs.results;
  auto results = shared + "/" + user;
  // What is in it acts as this user: code that jobs run, keys, settings.
  if (auto made = OwnFolder::make(shared, results, own.uid); !made) return made.error();
  auto site = std::make_unique<Site>(std::move(conf), user, home, results);
  site->conf_dir = options.conf;
  const char* own_dir = std::getenv("WM_USER_DIR");
  site->door_dir = std::filesystem::path(options.token_key).parent_path();
  site->own_dir = own_dir != nullptr ? own_dir : home + "/.config/wm";
  WM_TRY(site->keys, http::PublicKeys::open(options.token_key));
  std::error_code ec;
  std::filesystem::create_directories(site->records.incoming(), ec);
  if (ec) return fail(Code::System, site->records.incoming() + ": " + ec.message());
  return site;
}

// A socket that wlogind made and passed on, or one of our own; run() admits by the account.
Result<int> listen_as(const Options& options) {
  if (options.listen_fd.empty()) return http::listen_at(options.socket, 0666);
  return static_cast<int>(std::strtol(options.listen_fd.c_str(), nullptr, 10));
}

// Other users' wuserd, for what this one's user shares with them.
void serve_guests(Site& site, const std::string& fd) {
  std::thread([&site, socket = static_cast<int>(std::strtol(fd.c_str(), nullptr, 10))] {
    http::ServerOptions bounds;
    bounds.connections = 512;
    bounds.of_one_account = 16;  // a stranger's idle ones keep no member out
    auto over = http::serve(socket, bounds, [&](http::Exchange& exchange) {
      OpenRequests::Entry entry(site.open, exchange.descriptor(), [] { return true; });
      answer_guest(site, exchange);
    });
    log::error("guests_closed", {{"why", over.error().text}});
  }).detach();
}

Result<void> run(const Options& options) {
  // Its sockets and its lock are inherited, and end with it: not with what it starts.
  (void)::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (sodium_init() < 0) return fail(Code::System, "libsodium does not start");
  WM_TRY(auto web, uid_of(options.web_user));
  WM_TRY(auto site, make_site(options));
  log::open("wuserd", "", log::level_named(site->conf.log_level));
  WM_TRY(auto socket, listen_as(options));
  http::ServerOptions bounds;
  bounds.connections = 2048;  // an event stream is one for as long as its page is open
  bounds.admits = [web](uid_t uid) { return uid == web; };
  bounds.failure = [](const http::Head& head, int status, const std::string& text) {
    return error_reply(head.target, status, text);
  };
  watch_life(*site);
  if (!options.guests_fd.empty()) {
    if (auto noted = note_shares(*site); !noted)
      log::warn("shares_not_noted", {{"why", noted.error().text}});
    serve_guests(*site, options.guests_fd);
  }
  proc::tell_ready();
  log::info("wuserd_up", {{"user", site->user}, {"socket", options.socket}});
  return http::serve(socket, bounds, [&](http::Exchange& exchange) { answer(*site, exchange); });
}

}  // namespace
}  // namespace wm::user

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(077);
  ::setenv("PATH", wm::user::kPath, 1);
  if (argc == 2 && std::string_view(argv[1]) == "--openapi")
    return std::puts(wm::user::openapi_document().c_str()) < 0 ? 1 : 0;
  auto options = wm::user::parse(argc, argv);
  auto done = options ? wm::user::run(*options) : wm::Result<void>(options.error());
  if (done) return 0;
  std::fprintf(stderr, "wuserd: %s\n", done.error().text.c_str());
  return options ? 1 : 2;
}
