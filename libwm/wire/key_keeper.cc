#include "libwm/wire/key_keeper.h"

#include <boost/asio/steady_timer.hpp>

#include "libwm/base/log.h"
#include "libwm/wire/cipher.h"
#include "libwm/wire/entropy.h"

namespace wm::wire {

namespace {

constexpr auto kRenewEvery = kKeyLife / 2;
// The proof outlives the key by what clocks may differ.
constexpr Duration kKeptTtl = kKeyLife + kProofTtl;

}  // namespace

// The part that its pending operations keep alive.
struct KeyKeeper::Renewing : std::enable_shared_from_this<Renewing> {
  Renewing(boost::asio::io_context& loop, Prover& prover, const LinkOptions& link)
      : timer(loop), prover(prover), role(link.session.role), credentials(link.credentials) {}

  void renew();
  void take(std::shared_ptr<const SessionKey> key, std::chrono::system_clock::time_point asked,
            Result<std::string> proof);

  boost::asio::steady_timer timer;
  Prover& prover;
  Role role;
  std::shared_ptr<Credentials> credentials;
  std::shared_ptr<const KeptKey> kept;
  std::chrono::system_clock::time_point since;  // the identity service goes by the wall clock
  bool stopped = false;
};

void KeyKeeper::Renewing::renew() {
  auto key = std::make_shared<const SessionKey>(fresh_secrets().key_seed);
  auto payload = proof_payload(Side::Acceptor, role, key->public_key());
  prover.encode(credentials, payload, kKeptTtl,
                [self = shared_from_this(), key, asked = std::chrono::system_clock::now()](
                    auto proof) { self->take(key, asked, std::move(proof)); });
}

void KeyKeeper::Renewing::take(std::shared_ptr<const SessionKey> key,
                               std::chrono::system_clock::time_point asked,
                               Result<std::string> proof) {
  if (stopped) return;
  if (proof) {
    kept = std::make_shared<const KeptKey>(KeptKey{std::move(key), std::move(*proof)});
    since = asked;
  } else {
    log::warn("no_proof_ahead", {{"reason", proof.error().text}});
  }
  timer.expires_after(kRenewEvery);
  timer.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
    if (!ec && !self->stopped) self->renew();
  });
}

KeyKeeper::KeyKeeper(boost::asio::io_context& loop, Prover& prover, const LinkOptions& link)
    : renewing_(std::make_shared<Renewing>(loop, prover, link)) {
  renewing_->renew();
}

KeyKeeper::~KeyKeeper() {
  renewing_->stopped = true;
  renewing_->kept.reset();
  renewing_->timer.cancel();
}

std::shared_ptr<const KeptKey> KeyKeeper::current() const {
  auto age = std::chrono::system_clock::now() - renewing_->since;
  bool fits = age >= Duration{} && age < kKeyLife;  // a machine may have slept, a clock be set
  return fits ? renewing_->kept : nullptr;
}

}  // namespace wm::wire
