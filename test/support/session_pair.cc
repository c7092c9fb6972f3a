#include "test/support/session_pair.h"

namespace wm::test {

namespace {

wire::HelloSecrets secrets_from(std::uint8_t seed) {
  wire::HelloSecrets secrets;
  secrets.key_seed.fill(seed);
  secrets.nonce.fill(static_cast<std::uint8_t>(seed + 100));
  return secrets;
}

constexpr Duration kTtl = std::chrono::seconds(60);

}  // namespace

SessionEnd::SessionEnd(wire::SessionOptions options, std::shared_ptr<wire::Credentials> credentials,
                       std::uint8_t seed)
    : session(std::move(options), secrets_from(seed)), credentials_(std::move(credentials)) {}

void SessionEnd::send(std::uint16_t type, std::string payload) {
  auto bytes = session.seal(type, std::move(payload));
  WM_CHECK(bytes.has_value());
  written += *bytes;
}

void SessionEnd::obey(wire::SessionActions actions) {
  for (auto& action : actions) {
    WM_CHECK(!failed);  // Failed is the last action
    answer(action);
  }
}

void SessionEnd::answer(const wire::SessionAction& action) {
  if (auto* w = std::get_if<wire::Write>(&action)) written += w->bytes;
  if (auto* d = std::get_if<wire::Deliver>(&action)) delivered.push_back(d->frame);
  if (auto* o = std::get_if<wire::Opened>(&action)) {
    peer = o->identity;
    proof = o->proof;
  }
  if (auto* f = std::get_if<wire::Failed>(&action)) failed = f->error;
  if (auto* m = std::get_if<wire::MakeProof>(&action)) {
    obey(session.on_proof_made(credentials_->encode(m->payload + also_sign, kTtl)));
  }
  if (auto* c = std::get_if<wire::CheckProof>(&action)) {
    ++checks;
    obey(session.on_proof_checked(credentials_->decode(c->credential)));
  }
}

void Conversation::settle() {
  for (;;) {
    auto right = initiator.take_written(), left = acceptor.take_written();
    if (right.empty() && left.empty()) return;
    to_acceptor += right;
    to_initiator += left;
    if (!right.empty()) acceptor.feed(right);
    if (!left.empty()) initiator.feed(left);
  }
}

wire::SessionOptions client_options(std::uint32_t master_uid) {
  wire::SessionOptions options;
  options.peers = {{wire::Role::Master, master_uid}};
  return options;
}

wire::SessionOptions master_options(std::uint32_t host_uid) {
  wire::SessionOptions options;
  options.side = wire::Side::Acceptor;
  options.role = wire::Role::Master;
  options.peers = {{wire::Role::Client, {}}, {wire::Role::Host, host_uid}};
  return options;
}

Conversation client_and_master(const std::shared_ptr<wire::Credentials>& client,
                               const std::shared_ptr<wire::Credentials>& master,
                               std::uint32_t master_uid) {
  return {{client_options(master_uid), client, 1}, {master_options(0), master, 2}, {}, {}};
}

}  // namespace wm::test
