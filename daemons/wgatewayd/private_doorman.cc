// The one user of a private cluster: logs on by the cluster's key; tokens are signed here.
#include <sodium.h>

#include <chrono>

#include "daemons/wgatewayd/doorman.h"

namespace wm::gateway {
namespace {

constexpr std::int64_t kLife = 8 * 3600;

std::int64_t now_s() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

TimePoint ticks() {
  return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}

class PrivateDoorman : public Doorman {
 public:
  explicit PrivateDoorman(PrivateCluster cluster)
      : cluster_(std::move(cluster)),
        accounts_(cluster_.user, cluster_.api_key),
        agent_(cluster_.agent_command, cluster_.agent_socket) {}

  Result<std::string> log_on(const rest::Login& login, const std::string& address) override {
    WM_TRY(accounts_.check(login, address, ticks()));
    unsigned char bytes[16];
    randombytes_buf(bytes, sizeof bytes);
    char id[33];
    sodium_bin2hex(id, sizeof id, bytes, sizeof bytes);
    auto now = now_s();
    return rest::sign_token(
        {cluster_.user, cluster_.cluster, id, cluster_.uid, now, now + kLife, ""},
        cluster_.keys.secret);
  }
  Result<std::string> agent_of(const rest::Claims& claims, const std::string&) override {
    if (claims.uid != cluster_.uid) return fail(Code::Denied, "the token is another user's");
    return agent_.socket();
  }
  Result<std::string> running_agent(const std::string& user) override {
    if (user != cluster_.user) return fail(Code::Denied, "there is one user here");
    return agent_.socket();
  }
  std::vector<rest::TokenPublicKey> keys() override { return {cluster_.keys.open}; }

 private:
  PrivateCluster cluster_;
  Accounts accounts_;
  Agent agent_;
};

}  // namespace

std::unique_ptr<Doorman> private_doorman(PrivateCluster cluster) {
  return std::make_unique<PrivateDoorman>(std::move(cluster));
}

}  // namespace wm::gateway
