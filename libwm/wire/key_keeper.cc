#include "libwm/wire/key_keeper.h"

#include <boost/asio/steady_timer.hpp>
#include <vector>

#include "libwm/base/clock.h"
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
  void fill();
  void take(const std::shared_ptr<const SessionKey>& of, Result<std::string> proof);

  boost::asio::steady_timer timer;
  Prover& prover;
  Role role;
  std::shared_ptr<Credentials> credentials;
  std::shared_ptr<const SessionKey> key;
  std::vector<std::string> proofs;              // of this key, for a session each
  std::size_t asked = 0;                        // proofs of this key on their way
  std::chrono::system_clock::time_point since;  // the identity service goes by the wall clock
  bool answers = false;                         // the identity service did when it was last asked
  bool stopped = false;
};

void KeyKeeper::Renewing::renew() {
  key = std::make_shared<const SessionKey>(fresh_secrets().key_seed);
  since = wall_now();
  proofs.clear();
  asked = 0;
  fill();
  timer.expires_after(kRenewEvery);
  timer.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
    if (!ec && !self->stopped) self->renew();
  });
}

// A service that is away is asked one thing at a time: its callers block.
void KeyKeeper::Renewing::fill() {
  auto payload = proof_payload(Side::Acceptor, role, key->public_key());
  const std::size_t wanted = answers ? kProofsAhead : 1;
  for (; proofs.size() + asked < wanted; ++asked)
    prover.encode(
        credentials, payload, kKeptTtl,
        [self = shared_from_this(), of = key](auto proof) { self->take(of, std::move(proof)); });
}

// After a failure nothing is asked before somebody wants a proof, or the key is renewed.
void KeyKeeper::Renewing::take(const std::shared_ptr<const SessionKey>& of,
                               Result<std::string> proof) {
  if (stopped || of != key) return;
  --asked;
  answers = static_cast<bool>(proof);
  if (!answers) return log::warn("no_proof_ahead", {{"reason", proof.error().text}});
  proofs.push_back(std::move(*proof));
  fill();
}

KeyKeeper::KeyKeeper(boost::asio::io_context& loop, Prover& prover, const LinkOptions& link)
    : renewing_(std::make_shared<Renewing>(loop, prover, link)) {
  renewing_->renew();
}

KeyKeeper::~KeyKeeper() {
  renewing_->stopped = true;
  renewing_->key.reset();
  renewing_->timer.cancel();
}

std::shared_ptr<const KeptKey> KeyKeeper::take() {
  auto& r = *renewing_;
  auto age = wall_now() - r.since;
  // A machine may have slept, a clock be set.
  bool fits = age >= Duration{} && age < kKeyLife;
  std::shared_ptr<const KeptKey> kept;
  if (fits && !r.proofs.empty()) {
    kept = std::make_shared<const KeptKey>(KeptKey{r.key, std::move(r.proofs.back())});
    r.proofs.pop_back();
  }
  r.fill();
  return kept;
}

}  // namespace wm::wire
