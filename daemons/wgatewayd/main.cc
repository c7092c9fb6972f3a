// wgatewayd: checks who comes in at the web door: reads its options and keys, listens on its
// socket, answers nginx.
//
//   wgatewayd --folder DIR --origin URL [--conf DIR]
//
// DIR holds api.key, which the one user of a private cluster logs on with, and gets token.seed,
// token.pub and the sockets.
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "daemons/wgatewayd/gate.h"
#include "libwm/base/log.h"
#include "libwm/conf/load.h"
#include "libwm/proc/ready.h"

namespace wm::gateway {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSeed = 32;

struct Options {
  std::string conf{conf::kDefaultDir}, folder, origin;
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  if (const char* folder = std::getenv("WM_CONF_DIR")) options.conf = folder;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    std::string* value = word == "--conf"     ? &options.conf
                         : word == "--folder" ? &options.folder
                         : word == "--origin" ? &options.origin
                                              : nullptr;
    if (value == nullptr || i + 1 >= argc)
      return fail(Code::BadArgument, "bad option '" + word + "' (see wgatewayd(8))");
    *value = argv[++i];
  }
  if (options.folder.empty() || options.origin.empty())
    return fail(Code::BadArgument, "--folder and --origin are wanted (see wgatewayd(8))");
  return options;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<void> write_file(const std::string& path, const std::string& text, mode_t mode) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  bool fine = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  auto why = std::string(std::strerror(errno));
  if (fd >= 0) ::close(fd);
  if (!fine) return fail(Code::System, path + ": " + why);
  return {};
}

// Made at the first start; the public half is for whoever verifies.
Result<rest::TokenKeys> keys_in(const std::string& folder) {
  auto path = folder + "/token.seed";
  auto seed = read_file(path);
  if (seed.empty()) {
    seed.resize(kSeed);
    randombytes_buf(seed.data(), seed.size());
    WM_TRY(write_file(path, seed, 0600));
  }
  auto keys = rest::token_keys(seed);
  if (!keys) return keys.error().within(path);
  char hex[2 * sizeof(rest::TokenPublicKey) + 1];
  sodium_bin2hex(hex, sizeof hex, keys->open.data(), keys->open.size());
  WM_TRY(write_file(folder + "/token.pub", std::string(hex) + "\n", 0644));
  return keys;
}

Result<std::string> api_key_in(const std::string& folder) {
  auto key = read_file(folder + "/api.key");
  key.erase(key.find_last_not_of(" \r\n") + 1);
  constexpr std::size_t kShortest = 16;
  if (key.size() < kShortest)
    return fail(Code::NotFound, folder + "/api.key: a key of 16 characters at least is wanted");
  return key;
}

Result<void> run(const Options& options) {
  if (sodium_init() < 0) return fail(Code::System, "libsodium does not start");
  WM_TRY(auto conf, conf::load_cluster(options.conf));
  log::open("wgatewayd", "", log::level_named(conf.log_level));
  const passwd* own = ::getpwuid(::getuid());
  if (own == nullptr) return fail(Code::NotFound, "the own account has no name");
  WM_TRY(auto keys, keys_in(options.folder));
  WM_TRY(auto api_key, api_key_in(options.folder));
  auto sbin = fs::read_symlink("/proc/self/exe").parent_path();
  auto agent_socket = options.folder + "/" + std::to_string(::getuid()) + ".sock";
  std::vector<std::string> command{sbin / "wuserd",
                                   "--conf",
                                   options.conf,
                                   "--socket",
                                   agent_socket,
                                   "--token-key",
                                   options.folder + "/token.pub"};
  Gate gate{conf.name,
            own->pw_name,
            options.origin,
            ::getuid(),
            keys,
            {own->pw_name, api_key},
            {command, agent_socket}};
  WM_TRY(auto socket, http::listen_at(options.folder + "/gateway.sock", 0600));
  http::ServerOptions bounds;
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
