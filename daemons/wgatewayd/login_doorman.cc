// Everybody else: one question to wlogind a log-on, one for each user with a wuserd that is not
// known to run.
#include <sys/socket.h>
#include <sys/time.h>

#include <chrono>

#include "daemons/wgatewayd/doorman.h"
#include "daemons/wgatewayd/gate.h"
#include "daemons/wgatewayd/log_on_desk.h"
#include "libwm/base/clock.h"
#include "libwm/files/fd.h"
#include "libwm/http/listen.h"
#include "libwm/http/token_files.h"
#include "libwm/proc/accounts.h"

namespace wm::gateway {
namespace {

constexpr Duration kLogOnPatience = std::chrono::seconds(40);  // PAM's modules take theirs
constexpr Duration kAnswerPatience = std::chrono::seconds(10);
constexpr Duration kRefusal = std::chrono::milliseconds(1500);  // takes so long, whatever was wrong

void set_receive_limit(int fd, Duration limit) {
  timeval value{std::chrono::duration_cast<std::chrono::seconds>(limit).count(), 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
}

Result<std::string> ask(const std::string& path, const rest::LoginQuestion& question,
                        Duration limit = kAnswerPatience) {
  auto connected = http::connect_to(path);
  if (!connected) return fail(Code::Unavailable, "wlogind does not answer");
  Fd fd(*connected);
  set_receive_limit(fd.get(), limit);
  rest::LoginAnswer answer;
  bool told =
      ::send(fd.get(), &question, sizeof question, MSG_NOSIGNAL) ==
          static_cast<ssize_t>(sizeof question) &&
      ::recv(fd.get(), &answer, sizeof answer, MSG_WAITALL) == static_cast<ssize_t>(sizeof answer);
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
    rest::LoginQuestion question;
    question.repeated = repeated ? 1 : 0;
    (void)rest::put(question.address, address);
    bool fits = rest::put(question.user, login.user) && rest::put(question.secret, login.password);
    auto token = desk_.log_on(address, login.user, [&] {
      if (!fits)
        return Result<std::string>(fail(Code::Denied, "user name and password do not fit"));
      return ask(path_, question, kLogOnPatience);
    });
    bool limited = !token && token.error().code == Code::Limit;
    if (limited && desk_.is_first_refusal(address, login.user)) tell_limited(question);
    return token;
  }

  Result<std::string> service_token(const rest::Claims&, const std::string& token) override {
    rest::LoginQuestion question;
    question.kind = rest::LoginKind::ServiceToken;
    if (!rest::put(question.secret, token)) return fail(Code::Denied, "the token is not valid");
    return ask(path_, question);
  }

  Result<std::string> agent_of(const rest::Claims& claims, const std::string& token) override {
    auto known = known_agent(claims.uid);
    if (!known.empty() && http::is_answered(known)) return known;
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
    auto found = proc::account(user);
    auto none = fail(Code::Denied, "the owner is not logged on: what is shared is closed");
    if (!found) return found.error().code == Code::NotFound ? none : found.error();
    auto socket = path_.substr(0, path_.rfind('/')) + "/" + std::to_string(found->uid) + ".sock";
    return http::is_answered(socket) ? Result<std::string>(socket) : none;
  }

  std::vector<rest::TokenPublicKey> keys() override { return keys_->good(now_s()); }

 private:
  std::string known_agent(std::uint32_t uid) {
    std::lock_guard lock(mutex_);
    auto known = agents_.find(uid);
    return known == agents_.end() ? "" : known->second;
  }

  // wlogind hears of it once a minute, for the record of acts.
  void tell_limited(rest::LoginQuestion question) {
    question.kind = rest::LoginKind::Limited;
    question.secret[0] = '\0';
    (void)ask(path_, question);
  }

  std::string path_;
  std::unique_ptr<http::PublicKeys> keys_;
  LogOnDesk desk_{kRefusal};
  std::mutex mutex_;
  std::map<std::uint32_t, std::string> agents_;  // Guarded by mutex_.
};

}  // namespace

Result<std::unique_ptr<Doorman>> login_doorman(const std::string& folder) {
  WM_TRY(auto keys, http::PublicKeys::open(folder + "/token.pub"));
  return std::unique_ptr<Doorman>(new LoginDoorman(folder + "/login.sock", std::move(keys)));
}

}  // namespace wm::gateway
