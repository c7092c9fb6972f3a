// wlogind: the only part of the web door that is root: takes wgatewayd's questions of a fixed size,
// each in a process of its own; holds the key that tokens are signed with; starts users' wuserd.
//
//   wlogind --folder DIR --web-user NAME [--state DIR] [--conf DIR] [--pam-service NAME]
//     [--agent-logs DIR] [--pass NAME]…
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "daemons/wlogind/agents.h"
#include "daemons/wlogind/check.h"
#include "daemons/wlogind/folders.h"
#include "daemons/wlogind/shared_agents.h"
#include "daemons/wlogind/teller.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/base/options.h"
#include "libwm/conf/load.h"
#include "libwm/files/fd.h"
#include "libwm/files/own_folder.h"
#include "libwm/http/listen.h"
#include "libwm/http/token_files.h"
#include "libwm/login/api_keys.h"
#include "libwm/login/login_words.h"
#include "libwm/login/share_words.h"
#include "libwm/login/shown_name.h"
#include "libwm/login/token.h"
#include "libwm/proc/accounts.h"
#include "libwm/proc/ready.h"

namespace wm::login {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kLongestQuestion = 30;  // seconds: then its process is ended
constexpr int kMostQuestions = 32;         // at a time; wgatewayd has fewer log-ons under way
constexpr std::size_t kMostGuests = 8;     // questions about shares at a time, one of an account
constexpr int kLooksForEnds = 1000;        // ms: ends of processes are seen so late at most
constexpr time_t kAskedWithin = 2;         // seconds: who connects has its question ready

struct Options {
  std::string conf{conf::kDefaultDir}, folder, state, web_user, service = "wm", agent_logs;
  std::vector<std::string> passed;
};

struct Site {
  ClusterConf conf;
  PamService service;
  AgentPlan agents;
  Teller teller;
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> passed;
  if (const char* folder = std::getenv("WM_CONF_DIR")) options.conf = folder;
  const OptionRow rows[] = {{"--conf", &options.conf},
                            {"--folder", &options.folder},
                            {"--state", &options.state},
                            {"--web-user", &options.web_user},
                            {"--pam-service", &options.service},
                            {"--agent-logs", &options.agent_logs},
                            {"--pass", &passed}};
  WM_TRY(read_options(argc, argv, rows));
  for (const auto& name : passed)
    if (auto variable = passed_variable(name); !variable.empty())
      options.passed.push_back(variable);
  if (options.state.empty()) options.state = options.folder;
  if (options.folder.empty() || options.web_user.empty())
    return fail(Code::BadArgument, "--folder and --web-user are wanted (see wlogind(8))");
  return options;
}

// A name that nobody has, or that may not log on, is asked about like any other. The keys are read
// each time: they may have been changed (badmin token-key).
Result<std::string> log_on(const Site& site, const rest::LoginQuestion& question, DoorLine& line) {
  auto found = find_account(rest::take(question.user));
  if (!found && found.error().code != Code::Denied) return found.error();
  auto account = found ? std::optional(*found) : std::nullopt;
  WM_TRY(auto grant, check_secret(account, rest::take(question.secret), site.service));
  auto id = random_hex(16);
  (void)rest::put(line.token, id);
  WM_TRY(auto keys, http::token_keys_in(site.agents.folder));
  auto now = now_s();
  return rest::sign_token(
      {account->name, site.conf.name, id, account->uid, now, token_end(grant, now), grant.scopes},
      keys.secret);
}

// Nobody's wuserd is started without a token that lives: wgatewayd alone cannot.
Result<std::string> start_agent(const Site& site, const rest::LoginQuestion& question) {
  WM_TRY(auto keys, http::PublicKeys::open(site.agents.folder + "/token.pub"));
  auto good = keys->good(now_s());
  WM_TRY(auto claims,
         rest::verify_token(rest::take(question.secret), good, site.conf.name, now_s()));
  WM_TRY(auto account, find_account(claims.user));
  if (account.uid != claims.uid) return fail(Code::Denied, "the account is another one by now");
  return agent_of(account, site.agents);
}

// Narrower than the one that it is asked with, of the same life's end, and revoked with it.
Result<std::string> service_token(const Site& site, const rest::LoginQuestion& question) {
  WM_TRY(auto open, http::PublicKeys::open(site.agents.folder + "/token.pub"));
  auto good = open->good(now_s());
  WM_TRY(auto claims,
         rest::verify_token(rest::take(question.secret), good, site.conf.name, now_s()));
  if (!rest::has_scope(claims.scopes, "inference"))
    return fail(Code::Denied, "the token does not hold inference");
  WM_TRY(auto keys, http::token_keys_in(site.agents.folder));
  WM_TRY(claims.id, rest::narrower_id(claims.id, random_hex(16)));
  claims.scopes = "inference";
  return rest::sign_token(claims, keys.secret);
}

Result<std::string> answer_of(const Site& site, const rest::LoginQuestion& question,
                              DoorLine& line) {
  switch (question.kind) {
    case rest::LoginKind::LogOn: return log_on(site, question, line);
    case rest::LoginKind::StartAgent: return start_agent(site, question);
    case rest::LoginKind::ServiceToken: return service_token(site, question);
    case rest::LoginKind::Limited: return fail(Code::Limit, "too many failed attempts");
  }
  return fail(Code::BadArgument, "no such question");
}

// For the record of acts.
void tell(const Site& site, const rest::LoginQuestion& question, const Result<std::string>& made,
          DoorLine line) {
  bool limited = question.kind == rest::LoginKind::Limited;
  if (question.kind != rest::LoginKind::LogOn && !limited) return;
  auto user = rest::shown_name(rest::take(question.user));
  auto address = rest::shown_name(rest::take(question.address));
  log::info(limited ? "log_on_limited"
            : made  ? "logged_on"
                    : "log_on_refused",
            {{"user", user}, {"address", address}});
  line.repeated = question.repeated;
  (void)rest::put(line.act, limited ? "limited" : "logon");
  (void)rest::put(line.user, user);
  (void)rest::put(line.address, address);
  if (!made) {
    line.token[0] = '\0';
    (void)rest::put(line.outcome, made.error().text.substr(0, sizeof line.outcome - 1));
  }
  site.teller.tell(line);
}

// A refusal is answered at once: who asks waits with it, which holds no process of ours.
void answer(const Site& site, int fd) {
  timeval limit{kAskedWithin, 0};
  (void)::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  rest::LoginQuestion question;
  if (::recv(fd, &question, sizeof question, MSG_WAITALL) != static_cast<ssize_t>(sizeof question))
    return;
  DoorLine line;
  auto made = answer_of(site, question, line);
  tell(site, question, made, line);
  rest::LoginAnswer answer;
  answer.code = static_cast<std::uint32_t>(made ? Code::Ok : made.error().code);
  (void)rest::put(answer.text,
                  (made ? *made : made.error().text).substr(0, sizeof answer.text - 1));
  sodium_memzero(&question, sizeof question);
  (void)::send(fd, &answer, sizeof answer, MSG_NOSIGNAL);
}

std::optional<uid_t> asker_of(int fd) {
  ucred who{};
  socklen_t length = sizeof who;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length) != 0) return std::nullopt;
  return who.uid;
}

// Of an account that is locked or has expired nothing is started, whatever it shares.
Result<void> start_shared(const Site& site, const rest::ShareQuestion& question, uid_t asker) {
  WM_TRY(auto guest, proc::account(asker));
  WM_TRY(auto owner, find_account(rest::take(question.owner)));
  if (!is_usable(owner, site.service))
    return fail(Code::Denied, "the account " + owner.name + " is not in use");
  WM_TRY(start_for_guest(owner, guest, site.agents));
  log::info("started_for_guest", {{"owner", owner.name}, {"guest", guest.name}});
  return {};
}

void answer_guest(const Site& site, int fd, uid_t asker) {
  timeval limit{kAskedWithin, 0};
  (void)::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  rest::ShareQuestion question;
  if (::recv(fd, &question, sizeof question, MSG_WAITALL) != static_cast<ssize_t>(sizeof question))
    return;
  auto made = start_shared(site, question, asker);
  rest::LoginAnswer answer;
  answer.code = static_cast<std::uint32_t>(made ? Code::Ok : made.error().code);
  if (!made) (void)rest::put(answer.text, made.error().text.substr(0, sizeof answer.text - 1));
  (void)::send(fd, &answer, sizeof answer, MSG_NOSIGNAL);
}

/// Questions under way: of wgatewayd, and of users' wuserd about what others share. Those have a
/// bound of their own: nobody is kept from logging on by them.
struct Running {
  int log_ons = 0;
  std::map<pid_t, uid_t> guests;
};

bool may_ask(const Running& running, uid_t asker) {
  auto same = [&](const auto& one) { return one.second == asker; };
  return running.guests.size() < kMostGuests && std::ranges::none_of(running.guests, same);
}

// A question has been answered, or the teller is gone and begins anew.
void on_end(Site& site, pid_t gone, Running& running) {
  if (gone != site.teller.pid()) {
    if (running.guests.erase(gone) == 0) --running.log_ons;
    return;
  }
  log::error("teller_gone", {{"pid", gone}});
  if (auto again = Teller::start(site.conf)) site.teller = *again;
}

pid_t answer_apart(const std::function<void()>& answer) {
  pid_t child = ::fork();
  if (child != 0) return child;
  ::alarm(kLongestQuestion);
  answer();
  ::_exit(0);
}

void take_log_on(const Site& site, int fd, Running& running) {
  if (asker_of(fd) != std::optional(site.agents.web_uid)) return;
  if (answer_apart([&] { answer(site, fd); }) > 0) ++running.log_ons;
}

void take_guest(const Site& site, int fd, Running& running) {
  auto asker = asker_of(fd);
  if (!asker || !may_ask(running, *asker)) return;  // who asks sees it closed, and may ask again
  pid_t child = answer_apart([&] { answer_guest(site, fd, *asker); });
  if (child > 0) running.guests[child] = *asker;
}

/// Where it is asked.
struct Doors {
  int log_ons, guests;
};

[[noreturn]] void serve(Site& site, Doors doors) {
  Running running;
  for (;;) {
    for (pid_t gone = 1; gone > 0;) {
      gone = ::waitpid(-1, nullptr, running.log_ons >= kMostQuestions ? 0 : WNOHANG);
      if (gone > 0) on_end(site, gone, running);
    }
    std::array<pollfd, 2> asked{{{doors.log_ons, POLLIN, 0}, {doors.guests, POLLIN, 0}}};
    if (::poll(asked.data(), asked.size(), kLooksForEnds) <= 0) continue;
    for (const auto& door : asked) {
      if ((door.revents & POLLIN) == 0) continue;
      Fd fd(::accept4(door.fd, nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd) continue;
      if (door.fd == doors.log_ons) take_log_on(site, fd.get(), running);
      else take_guest(site, fd.get(), running);
    }
  }
}

Result<uid_t> uid_of(const std::string& user) {
  WM_TRY(auto found, proc::account(user));
  return found.uid;
}

Result<void> run(const Options& options) {
  if (sodium_init() < 0) return fail(Code::System, "libsodium does not start");
  if (::getuid() != 0) return fail(Code::Denied, "it has to be root: it becomes those who log on");
  WM_TRY(auto conf, conf::load_cluster(options.conf));
  log::open("wlogind", "", log::level_named(conf.log_level));
  if (options.web_user == conf.master_user)
    return fail(Code::BadArgument,
                "--web-user " + options.web_user + ": it must not be the master's");
  WM_TRY(auto web, uid_of(options.web_user));
  WM_TRY(own_folders(options.folder, options.state));
  if (!options.agent_logs.empty())
    if (auto logs = OwnFolder::open(options.agent_logs, 0); !logs) return logs.error();
  WM_TRY(http::own_token_keys(options.folder));
  auto sbin = fs::read_symlink("/proc/self/exe").parent_path();
  WM_TRY(auto teller, Teller::start(conf));
  Site site{conf,
            {options.service, ""},
            {sbin / "wuserd", options.conf, options.folder, options.web_user, web,
             options.agent_logs, options.passed, conf.dirs.results},
            teller};
  auto path = options.folder + "/login.sock";
  WM_TRY(auto socket, http::listen_at(path, 0600));
  if (::chown(path.c_str(), web, static_cast<gid_t>(-1)) != 0)
    return fail(Code::System, path + ": " + std::strerror(errno));
  // Open to all: the kernel says who asks, the owner's shares say whom it is answered to.
  WM_TRY(auto guests, http::listen_at(options.folder + "/" + rest::kSharesSocket, 0666));
  proc::tell_ready();
  log::info("wlogind_up", {{"web_user", options.web_user}});
  serve(site, {socket, guests});
}

}  // namespace
}  // namespace wm::login

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(077);
  auto options = wm::login::parse(argc, argv);
  auto done = options ? wm::login::run(*options) : wm::Result<void>(options.error());
  if (done) return 0;
  std::fprintf(stderr, "wlogind: %s\n", done.error().text.c_str());
  return options ? 1 : 2;
}
