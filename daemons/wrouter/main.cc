// wrouter: takes the requests of one inference service and hands them to its kernels. A task of the
// service's job, as its owner.
//
//   wrouter FOLDER     of the service: profile.json, key; makes router, router.sock
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "daemons/wrouter/room.h"
#include "daemons/wrouter/wishes.h"
#include "libwm/base/log.h"
#include "libwm/conf/load.h"
#include "libwm/http/listen.h"
#include "libwm/http/server.h"
#include "libwm/proc/ready.h"

namespace wm::router {
namespace {

constexpr std::size_t kLongestBody = 32 << 20;
constexpr const char* kSeries = "/series?seconds=";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<std::string> contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(Code::NotFound, path + ": " + std::strerror(errno));
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

Result<wire::SharedKey> read_key(const std::string& folder) {
  auto path = folder + "/key";
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return fail(Code::NotFound, path + ": no key");
  bool own = facts.st_uid == ::getuid() && (facts.st_mode & 077) == 0;
  if (!own) return fail(Code::Denied, path + ": others may read it");
  WM_TRY(auto bytes, contents(path));
  wire::SharedKey key{};
  if (bytes.size() != key.size()) return fail(Code::Damaged, path + ": no key");
  std::memcpy(key.data(), bytes.data(), bytes.size());
  return key;
}

Result<JobId> own_job() {
  auto job = parse_job_id(variable("LSB_JOBID"));
  if (!job) return fail(Code::BadArgument, "LSB_JOBID is not set: wrouter runs as a task of a job");
  return JobId{job->job, 0};
}

// Of this host, where a name is said everywhere.
wire::Endpoint own_place() {
  wire::Endpoint at;
  at.host = variable("MASTER_ADDR");
  at.port = static_cast<std::uint16_t>(std::atoi(variable("WM_GROUP_PORT").c_str()));
  bool numeric = at.host.find_first_not_of("0123456789.:") == std::string::npos;
  if (!numeric) at.host.clear();
  return at;
}

// Readers find the whole text or none.
Result<void> tell_place(const std::string& folder, std::string place) {
  if (place.starts_with("0.0.0.0:") || place.starts_with(":"))
    place = variable("MASTER_ADDR") + place.substr(place.rfind(':'));
  auto fresh = folder + "/router.new";
  std::ofstream(fresh) << place << "\n";
  if (::rename(fresh.c_str(), (folder + "/router").c_str()) != 0)
    return fail(Code::System, fresh + ": " + std::strerror(errno));
  return {};
}

Result<serve::Profile> read_own(const std::string& folder) {
  WM_TRY(auto text, contents(folder + "/profile.json"));
  return serve::read_profile(variable("REDHARE_MODEL_NAME"), variable("USER"), text, {});
}

// POST /profile: the file was changed.
http::Reply reread(Room& room, const std::string& folder) {
  auto profile = read_own(folder);
  if (!profile) return {400, {}, profile.error().text + "\n"};
  room.adopt(std::move(*profile));
  return {200, {}, ""};
}

void answer(Room& room, const std::string& folder, http::Exchange& exchange) {
  const auto& head = exchange.head();
  if (head.method == "POST" && head.target == "/profile") {
    (void)exchange.reply(reread(room, folder));
    return;
  }
  if (head.method == "GET" && head.target == "/state") {
    (void)exchange.reply({200, {{"Content-Type", "application/json"}}, room.state()});
    return;
  }
  if (head.method == "GET" && head.target.starts_with(kSeries)) {
    auto seconds = std::atoll(head.target.c_str() + std::strlen(kSeries));
    (void)exchange.reply({200, {{"Content-Type", "application/json"}}, room.series(seconds)});
    return;
  }
  if (head.method != "POST" || head.target != "/inference") {
    (void)exchange.reply({404, {}, "no such address\n"});
    return;
  }
  auto body = http::read_body(exchange, kLongestBody);
  if (!body) {
    int status = body.error().code == Code::Limit ? 413 : 400;
    (void)exchange.reply({status, {}, body.error().text + "\n"});
    return;
  }
  auto made = room.ask(std::move(*body));
  http::Reply reply{made.status, {}, std::move(made.body)};
  reply.fields.emplace_back("Content-Type", "text/plain; charset=utf-8");
  if (made.retry_after > 0)
    reply.fields.emplace_back("Retry-After", std::to_string(made.retry_after));
  (void)exchange.reply(reply);
}

// A socket's path has 107 bytes; a folder's descriptor makes any path short.
Result<int> listen_in(const std::string& folder) {
  int dir = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return fail(Code::System, folder + ": " + std::strerror(errno));
  return http::listen_at("/proc/self/fd/" + std::to_string(dir) + "/router.sock", 0600);
}

Result<void> run(const std::string& folder) {
  if (sodium_init() < 0) return fail(Code::System, "libsodium does not start");
  auto conf_dir = variable("WM_CONF_DIR");
  WM_TRY(auto conf,
         conf::load_cluster(conf_dir.empty() ? std::string(conf::kDefaultDir) : conf_dir));
  log::open("wrouter", "", log::level_named(conf.log_level));
  WM_TRY(auto job, own_job());
  WM_TRY(auto key, read_key(folder));
  WM_TRY(auto profile, read_own(folder));
  Wishes wishes(conf, job);
  Room room(profile, key, [&](std::uint32_t kernels) { wishes.set(kernels); });
  WM_TRY(auto place, room.listen(own_place()));
  WM_TRY(auto socket, listen_in(folder));
  WM_TRY(tell_place(folder, place));
  std::thread([&room, &folder, socket] {
    http::ServerOptions bounds;
    bounds.connections = 4096;
    bounds.admits = [](uid_t uid) { return uid == ::getuid() || uid == 0; };
    (void)http::serve(socket, bounds, [&](http::Exchange& x) { answer(room, folder, x); });
    std::_Exit(1);
  }).detach();
  proc::tell_ready();
  log::info("router_up", {{"service", profile.name}, {"kernels_at", place}});
  room.run();
  return {};
}

}  // namespace
}  // namespace wm::router

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(077);
  if (argc != 2) {
    std::fprintf(stderr, "usage: wrouter FOLDER (see wrouter(8))\n");
    return 2;
  }
  auto done = wm::router::run(argv[1]);
  if (done) return 0;
  std::fprintf(stderr, "wrouter: %s\n", done.error().text.c_str());
  return 1;
}
