// The one user of a private cluster: logs on by the cluster's key; tokens are signed here.
#include "daemons/wgatewayd/doorman.h"
#include "daemons/wgatewayd/gate.h"
#include "daemons/wgatewayd/log_on_desk.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/http/token_files.h"
#include "libwm/login/api_keys.h"
#include "libwm/login/shown_name.h"

namespace wm::gateway {
namespace {

class PrivateDoorman : public Doorman {
 public:
  PrivateDoorman(PrivateCluster cluster, std::unique_ptr<http::PublicKeys> keys,
                 client::DoorRecord& record)
      : cluster_(std::move(cluster)),
        keys_(std::move(keys)),
        record_(record),
        accounts_(cluster_.user, cluster_.api_key),
        agent_(cluster_.agent_command, cluster_.agent_socket) {}

  Result<std::string> log_on(const rest::Login& login, const std::string& address,
                             bool repeated) override {
    DoorAct act;
    act.act = "logon";
    act.user = rest::shown_name(login.user);
    act.objects = {"from " + rest::shown_name(address)};
    auto made = desk_.log_on(address, login.user, [&] { return token_for(login, act); });
    bool limited = !made && made.error().code == Code::Limit;
    if (limited) act.act = "limited";
    if (!made) act.outcome = made.error().text;
    record_.add(std::move(act), repeated || limited);
    return made;
  }
  Result<std::string> service_token(const rest::Claims& claims, const std::string&) override {
    WM_TRY(auto keys, http::token_keys_in(cluster_.key_folder));
    auto narrow = claims;
    WM_TRY(narrow.id, rest::narrower_id(claims.id, random_hex(16)));
    narrow.scopes = "inference";
    return rest::sign_token(narrow, keys.secret);
  }
  Result<std::string> agent_of(const rest::Claims& claims, const std::string&) override {
    if (claims.uid != cluster_.uid) return fail(Code::Denied, "the token is another user's");
    return agent_.socket();
  }
  Result<std::string> running_agent(const std::string& user) override {
    if (user != cluster_.user) return fail(Code::Denied, "there is one user here");
    return agent_.socket();
  }
  std::vector<rest::TokenPublicKey> keys() override { return keys_->good(now_s()); }

 private:
  Result<std::string> token_for(const rest::Login& login, DoorAct& act) {
    WM_TRY(accounts_.check(login));
    auto id = random_hex(16);
    act.objects.push_back("token " + id);
    WM_TRY(auto keys, http::token_keys_in(cluster_.key_folder));
    auto now = now_s();
    return rest::sign_token({cluster_.user, cluster_.cluster, id, cluster_.uid, now,
                             now + kTokenLife, std::string(rest::kAllScopes)},
                            keys.secret);
  }

  PrivateCluster cluster_;
  std::unique_ptr<http::PublicKeys> keys_;
  client::DoorRecord& record_;
  Accounts accounts_;
  LogOnDesk desk_{Duration::zero()};  // a key of random letters is not guessed
  Agent agent_;
};

}  // namespace

Result<std::unique_ptr<Doorman>> private_doorman(PrivateCluster cluster,
                                                 client::DoorRecord& record) {
  WM_TRY(http::own_token_keys(cluster.key_folder));
  WM_TRY(auto keys, http::PublicKeys::open(cluster.key_folder + "/token.pub"));
  return std::unique_ptr<Doorman>(new PrivateDoorman(std::move(cluster), std::move(keys), record));
}

}  // namespace wm::gateway
