// wrouter: takes the requests of one inference service and hands them to its kernels. A task of the
// service's job, as its owner.
//
//   wrouter FOLDER     of the service: profile.json, key; makes router, router.sock, the second
//                      of several router-1, router-1.sock, …, NAME.load for the others, and
//                      NAME.task: ends with status 0 once a later task has written that
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sodium.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "daemons/wrouter/router.h"
#include "daemons/wrouter/wishes.h"
#include "libwm/base/log.h"
#include "libwm/conf/load.h"
#include "libwm/files/whole_file.h"
#include "libwm/http/listen.h"
#include "libwm/http/server.h"
#include "libwm/proc/channel.h"
#include "libwm/proc/ready.h"
#include "libwm/serve/package.h"
#include "libwm/serve/peers.h"

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

// This host's address as one that it sends to sees it; nothing is sent. Empty: it cannot.
std::string address_towards(const std::string& other) {
  sockaddr_in to{}, own{};
  to.sin_family = AF_INET;
  to.sin_port = htons(1);
  Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  socklen_t size = sizeof own;
  char text[INET_ADDRSTRLEN] = "";
  bool known = ::inet_pton(AF_INET, other.c_str(), &to.sin_addr) == 1 &&
               ::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 &&
               ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) == 0;
  return known ? ::inet_ntop(AF_INET, &own.sin_addr, text, sizeof text) : "";
}

// The first host of its group has the address that the group meets at; another one that by which
// it reaches that.
std::string own_address() {
  auto first = variable("MASTER_ADDR"), hosts = variable("LSB_HOSTS");
  bool numeric = first.find_first_not_of("0123456789.:") == std::string::npos;
  if (hosts.substr(0, hosts.find(' ')) == variable("WM_HOST") || !numeric) return first;
  auto own = address_towards(first);
  return own.empty() ? first : own;
}

// Of this host, where a name is said everywhere.
wire::Endpoint own_place() {
  wire::Endpoint at;
  at.host = own_address();
  at.port = static_cast<std::uint16_t>(std::atoi(variable("WM_GROUP_PORT").c_str()));
  bool numeric = at.host.find_first_not_of("0123456789.:") == std::string::npos;
  if (!numeric) at.host.clear();
  return at;
}

// Where several are on one host the first has the port that was promised to the job there.
Result<std::string> listen(Router& router) {
  auto at = own_place();
  auto place = router.listen(at);
  if (place || at.port == 0) return place;
  at.port = 0;
  return router.listen(at);
}

Result<void> tell_place(const std::string& path, std::string place) {
  if (place.starts_with("0.0.0.0:") || place.starts_with(":"))
    place = own_address() + place.substr(place.rfind(':'));
  return replace_file(path, place + "\n", 0644);
}

// What run_kernel.py has left there. Its words are a user's program's: a line of them is passed on.
KernelFailure failure_in(const std::string& folder) {
  constexpr std::size_t kMost = 500;
  auto path = folder + "/" + serve::kKernelFailed;
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return {};
  auto text = contents(path);
  if (!text) return {};
  auto line = text->substr(0, std::min(text->find('\n'), kMost));
  auto at =
      std::chrono::seconds(facts.st_mtim.tv_sec) + std::chrono::nanoseconds(facts.st_mtim.tv_nsec);
  return {WallTime(std::chrono::duration_cast<Duration>(at)), line};
}

Notes notes_in(const std::string& folder, std::uint32_t rank, std::uint32_t routers) {
  auto path = [folder](std::uint32_t of) {
    return folder + "/" + serve::router_name(of) + ".load";
  };
  return {rank, routers,
          [path, rank](const std::string& note) {
            if (auto kept = replace_file(path(rank), note, 0644); !kept)
              log::warn("note_lost", {{"why", kept.error().text}});
          },
          [path](std::uint32_t of) {
            auto note = contents(path(of));
            return note ? *note : std::string();
          },
          [folder] { return failure_in(folder); }};
}

Result<serve::Profile> read_own(const std::string& folder) {
  WM_TRY(auto text, contents(folder + "/profile.json"));
  return serve::read_profile(variable("REDHARE_MODEL_NAME"), variable("USER"), text, {});
}

// POST /profile: the file was changed.
http::Reply reread(Router& router, const std::string& folder) {
  auto profile = read_own(folder);
  if (!profile) return {400, {}, profile.error().text + "\n"};
  router.adopt(std::move(*profile));
  return {200, {}, ""};
}

// Of the stream that the request is of; 0: of none.
std::uint64_t group_of(const http::Head& head) {
  auto text = head.field("x-wm-group");
  std::uint64_t group = 0;
  std::from_chars(text.data(), text.data() + text.size(), group, 16);
  return group;
}

// What is told at another host's door is in the file.
[[noreturn]] void follow_profile(Router& router, const std::string& folder) {
  auto stamp = [path = folder + "/profile.json"] {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) return std::pair<ino_t, timespec>();
    return std::pair(facts.st_ino, facts.st_mtim);
  };
  auto same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.tv_sec == b.second.tv_sec &&
           a.second.tv_nsec == b.second.tv_nsec;
  };
  for (auto read = stamp();;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    auto now = stamp();
    if (same(now, read)) continue;
    read = now;
    if (auto reply = reread(router, folder); reply.status != 200)
      log::warn("profile_not_taken", {{"why", reply.body}});
  }
}

void answer(Router& router, const std::string& folder, http::Exchange& exchange) {
  const auto& head = exchange.head();
  if (head.method == "POST" && head.target == "/profile") {
    (void)exchange.reply(reread(router, folder));
    return;
  }
  if (head.method == "POST" && (head.target == "/close" || head.target == "/open")) {
    router.close(head.target == "/close");
    (void)exchange.reply({200, {}, ""});
    return;
  }
  if (head.method == "GET" && head.target == "/state") {
    (void)exchange.reply({200, {{"Content-Type", "application/json"}}, router.state()});
    return;
  }
  if (head.method == "GET" && head.target.starts_with(kSeries)) {
    auto seconds = std::atoll(head.target.c_str() + std::strlen(kSeries));
    (void)exchange.reply({200, {{"Content-Type", "application/json"}}, router.series(seconds)});
    return;
  }
  if (head.method != "POST" || head.target != "/inference") {
    (void)exchange.reply({404, {}, "no such address\n"});
    return;
  }
  auto body = http::read_body(exchange, kLongestBody);
  if (!body) {
    auto code = body.error().code;
    int status = code == Code::Limit ? 413 : code == Code::Unavailable ? 503 : 400;
    (void)exchange.reply({status, {}, body.error().text + "\n"});
    return;
  }
  auto made = router.ask(std::move(*body), group_of(head),
                         [fd = exchange.descriptor()] { return http::has_hung_up(fd); });
  http::Reply reply{made.status, {}, std::move(made.body)};
  reply.fields.emplace_back("Content-Type", "text/plain; charset=utf-8");
  if (made.retry_after > 0)
    reply.fields.emplace_back("Retry-After", std::to_string(made.retry_after));
  (void)exchange.reply(reply);
}

// Which task this is: WM_ATTEMPT is "<cluster>@<node>:<job>.<attempt>".
serve::RouterTask own_task(JobId job) {
  auto attempt = variable("WM_ATTEMPT");
  auto number = attempt.substr(attempt.rfind('.') + 1);
  auto task = variable("WM_TASK");
  serve::RouterTask own{.job = job.job};
  std::from_chars(number.data(), number.data() + number.size(), own.attempt);
  std::from_chars(task.data(), task.data() + task.size(), own.task);
  return own;
}

// A later task has the service's router's name.
bool is_replaced(const std::string& path, const serve::RouterTask& own) {
  auto text = contents(path);
  auto there = text ? serve::read_router_task(*text) : std::nullopt;
  return there && *there > own;
}

// On a host that was cut off its successor is not noticed but by what that has written.
[[noreturn]] void watch_for_successor(Router& router, const std::string& path,
                                      const serve::RouterTask& own) {
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(500))) {
    if (!is_replaced(path, own)) continue;
    router.give_way();
    for (;;) ::pause();
  }
}

// A socket's path has 107 bytes; a folder's descriptor makes any path short.
Result<int> listen_in(const std::string& folder, const std::string& name) {
  int dir = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return fail(Code::System, folder + ": " + std::strerror(errno));
  return http::listen_at("/proc/self/fd/" + std::to_string(dir) + "/" + name + ".sock", 0600);
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
  auto rank = static_cast<std::uint32_t>(std::atoi(variable("WM_GROUP_RANK").c_str()));
  auto name = serve::router_name(rank);
  auto own = own_task(job);
  auto task_file = folder + "/" + name + ".task";
  if (is_replaced(task_file, own)) return {};
  WM_TRY(replace_file(task_file, serve::text_of(own), 0644));
  Router router(
      profile, key, [&](Wish wish, bool again) { wishes.set(std::move(wish), again); },
      notes_in(folder, rank, profile.replica));
  WM_TRY(auto place, listen(router));
  WM_TRY(auto socket, listen_in(folder, name));
  WM_TRY(tell_place(folder + "/" + name, place));
  std::thread([&router, &folder, socket] {
    http::ServerOptions bounds;
    bounds.connections = 4096;
    bounds.admits = [](uid_t uid) { return uid == ::getuid() || uid == 0; };
    (void)http::serve(socket, bounds, [&](http::Exchange& x) { answer(router, folder, x); });
    std::_Exit(1);
  }).detach();
  std::thread([&router, &folder] { follow_profile(router, folder); }).detach();
  std::thread([&] { watch_for_successor(router, task_file, own); }).detach();
  proc::tell_ready();
  log::info("router_up", {{"service", profile.name}, {"rank", rank}, {"kernels_at", place}});
  router.run();
  std::_Exit(0);  // its threads use what is here
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
