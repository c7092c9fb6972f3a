// Everybody else: one question to wlogind a log-on, one for each user whose wuserd is not known to
// run.
#include <pwd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "daemons/wgatewayd/doorman.h"
#include "daemons/wgatewayd/gate.h"
#include "libwm/base/clock.h"
#include "libwm/http/listen.h"
#include "libwm/http/token_files.h"

namespace wm::gateway {
namespace {

constexpr time_t kLogOnPatience = 40;  // seconds: PAM's modules take theirs

Result<std::string> ask(const std::string& path, const rest::LoginQuestion& question) {
  WM_TRY(auto fd, http::connect_to(path));
  timeval limit{kLogOnPatience, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  rest::LoginAnswer answer;
  bool told =
      ::send(fd, &question, sizeof question, MSG_NOSIGNAL) ==
          static_cast<ssize_t>(sizeof question) &&
      ::recv(fd, &answer, sizeof answer, MSG_WAITALL) == static_cast<ssize_t>(sizeof answer);
  ::close(fd);
  if (!told) return fail(Code::Unavailable, "wlogind does not answer");
  if (answer.code != 0) return fail(static_cast<Code>(answer.code), rest::take(answer.text));
  return rest::take(answer.text);
}

class LoginDoorman : public Doorman {
 public:
  LoginDoorman(std::string path, std::unique_ptr<http::PublicKeys> keys)
      : path_(std::move(path)), keys_(std::move(keys)) {}

  Result<std::string> log_on(const rest::Login& login, const std::string& address,
                             bool repeated) override {
    auto who = address + " " + login.user.substr(0, 64);
    rest::LoginQuestion question;
    question.repeated = repeated ? 1 : 0;
    (void)rest::put(question.address, address);
    bool fits = rest::put(question.user, login.user) && rest::put(question.secret, login.password);
    if (!fits) return fail(Code::Denied, "user name and password do not fit");
    if (!may_try(who)) return too_many(who, question);
    auto token = ask(path_, question);
    if (!token && token.error().code == Code::Denied) {
      std::lock_guard lock(mutex_);
      attempts_.failed(who, steady_now());
    }
    return token;
  }

  Result<std::string> service_token(const rest::Claims&, const std::string& token) override {
    rest::LoginQuestion question;
    question.kind = rest::LoginKind::ServiceToken;
    if (!rest::put(question.secret, token)) return fail(Code::Denied, "the token is not valid");
    return ask(path_, question);
  }

  Result<std::string> agent_of(const rest::Claims& claims, const std::string& token) override {
    {
      std::lock_guard lock(mutex_);
      auto known = agents_.find(claims.uid);
      if (known != agents_.end() && http::is_answered(known->second)) return known->second;
    }
    rest::LoginQuestion question;
    question.kind = rest::LoginKind::StartAgent;
    if (!rest::put(question.secret, token)) return fail(Code::Denied, "the token is not valid");
    WM_TRY(auto socket, ask(path_, question));
    std::lock_guard lock(mutex_);
    agents_[claims.uid] = socket;
    return socket;
  }

  // Started by its owner's own log-on alone. The folder is root's: nobody else listens there.
  Result<std::string> running_agent(const std::string& user) override {
    passwd entry{}, *found = nullptr;
    std::vector<char> room(1 << 14);
    ::getpwnam_r(user.c_str(), &entry, room.data(), room.size(), &found);
    auto none = fail(Code::Denied, "the owner is not logged on: what is shared is closed");
    if (found == nullptr) return none;
    auto socket = path_.substr(0, path_.rfind('/')) + "/" + std::to_string(found->pw_uid) + ".sock";
    return http::is_answered(socket) ? Result<std::string>(socket) : none;
  }

  std::vector<rest::TokenPublicKey> keys() override { return keys_->good(now_s()); }

 private:
  bool may_try(const std::string& who) {
    std::lock_guard lock(mutex_);
    return attempts_.may(who, steady_now());
  }

  // wlogind hears of it once a minute, for the record of acts.
  Error too_many(const std::string& who, rest::LoginQuestion question) {
    bool first = false;
    {
      std::lock_guard lock(mutex_);
      first = attempts_.is_first_refusal(who);
    }
    question.kind = rest::LoginKind::Limited;
    question.secret[0] = '\0';
    if (first) (void)ask(path_, question);
    return fail(Code::Limit, "too many failed attempts, wait a minute");
  }

  std::string path_;
  std::unique_ptr<http::PublicKeys> keys_;
  std::mutex mutex_;
  Attempts attempts_;
  std::map<std::uint32_t, std::string> agents_;
};

}  // namespace

Result<std::unique_ptr<Doorman>> login_doorman(const std::string& folder) {
  WM_TRY(auto keys, http::PublicKeys::open(folder + "/token.pub"));
  return std::unique_ptr<Doorman>(new LoginDoorman(folder + "/login.sock", std::move(keys)));
}

}  // namespace wm::gateway
