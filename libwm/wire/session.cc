#include "libwm/wire/session.h"

#include <algorithm>

#include "libwm/wire/cipher.h"

namespace wm::wire {

namespace {

enum class Phase { Hello, Proof, Confirm, Open, Closed };

constexpr std::size_t kSignedBytes = 32;  // of a proof, and of what is signed besides

constexpr auto raw(WireType type) { return static_cast<std::uint16_t>(type); }

std::string who(Role role, const std::optional<std::uint32_t>& uid) {
  return uid ? role_name(role) + " with uid " + std::to_string(*uid) : role_name(role);
}

}  // namespace

struct Session::State {
  State(SessionOptions o, const HelloSecrets& secrets)
      : options(std::move(o)), decoder(options.hello_limit) {
    bool sealed = options.method != Method::Local;
    Hello own{options.version, options.method, options.role, {}, {}};
    if (secrets.kept && !initiates()) {
      key = secrets.kept->key;
      own_proof = secrets.kept->proof;
    } else if (sealed) {
      key = std::make_shared<const SessionKey>(secrets.key_seed);
    }
    if (sealed) own.key = key->public_key();
    if (sealed) own.nonce = secrets.nonce;
    own_hello = encode_hello(own);
  }

  void pump(SessionActions& out);
  Result<void> on_frame(const FrameView& frame, SessionActions& out);
  Result<void> on_hello(std::string_view payload, SessionActions& out);
  Result<void> on_open_frame(const FrameView& frame, SessionActions& out);
  Result<void> check_hello(const Hello& hello) const;
  Result<void> check_rules(std::optional<std::uint32_t> uid) const;
  Result<void> agree(const Hello& hello, std::string_view payload);
  Result<void> check_payload(std::string_view payload);
  Result<void> on_confirm(const FrameView& frame, SessionActions& out);
  void ask_for_proof(SessionActions& out);
  void open_when_proven(SessionActions& out);
  void begin_streams();
  bool blocked() const { return checking || (making && (!initiates() || proven)); }
  void open(Identity identity, SessionActions& out);
  void close(Error error, bool tell_peer, SessionActions& out);
  void write(WireType type, std::string_view payload, SessionActions& out) const {
    out.emplace_back(Write{frame_bytes(raw(type), payload)});
  }
  bool initiates() const { return options.side == Side::Initiator; }
  Side peer_side() const { return initiates() ? Side::Acceptor : Side::Initiator; }

  SessionOptions options;
  std::shared_ptr<const SessionKey> key;
  FrameDecoder decoder;
  Cipher cipher;
  std::string own_hello;
  std::string own_proof;  // the initiator's is sent after the acceptor's is checked
  std::string peer_proof;
  PeerProof shown;  // what Opened tells
  std::optional<Identity> proven;
  Digest transcript{};
  Role peer_role = Role::Client;
  std::array<std::uint8_t, 32> peer_key{};
  std::size_t hello_bytes = 0;  // payload bytes taken before the session was open
  Phase phase = Phase::Hello;
  bool making = false;        // the identity service makes our proof
  bool checking = false;      // it checks the peer's
  bool heard_sealed = false;  // from now on a refusal in the clear is a forgery
};

Session::Session(SessionOptions options, const HelloSecrets& secrets)
    : state_(std::make_unique<State>(std::move(options), secrets)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

bool Session::is_open() const { return state_->phase == Phase::Open; }

std::size_t Session::buffered() const { return state_->decoder.buffered(); }

bool Session::wants_bytes() const { return !state_->blocked() && state_->phase != Phase::Closed; }

SessionActions Session::start() {
  SessionActions out;
  if (!state_->initiates()) return out;
  state_->write(WireType::Hello, state_->own_hello, out);
  if (state_->options.method != Method::Local) state_->ask_for_proof(out);
  return out;
}

SessionActions Session::on_bytes(std::string_view bytes) {
  SessionActions out;
  if (state_->phase == Phase::Closed) return out;
  state_->decoder.add(bytes);
  state_->pump(out);
  return out;
}

SessionActions Session::on_proof_made(Result<std::string> credential) {
  auto& s = *state_;
  SessionActions out;
  if (s.phase == Phase::Closed) return out;
  s.making = false;
  if (!credential) {
    s.close(credential.error(), true, out);
    return out;
  }
  s.own_proof = std::move(*credential);
  if (s.initiates()) s.open_when_proven(out);
  else s.write(WireType::Proof, s.own_proof, out);
  s.pump(out);
  return out;
}

SessionActions Session::on_proof_checked(Result<Signed> proof) {
  auto& s = *state_;
  SessionActions out;
  if (s.phase == Phase::Closed) return out;
  s.checking = false;
  auto accepted = [&]() -> Result<Identity> {
    if (!proof) return proof.error();
    WM_TRY(s.check_payload(proof->payload));
    WM_TRY(s.check_rules(proof->uid));
    return Identity{s.peer_role, proof->uid, proof->gid, 0};
  }();
  if (!accepted) {
    s.close(accepted.error(), true, out);
    return out;
  }
  s.proven = *accepted;
  if (s.initiates()) {
    s.open_when_proven(out);
  } else {
    s.begin_streams();
    s.phase = Phase::Confirm;
  }
  s.pump(out);
  return out;
}

Result<std::string> Session::seal(std::uint16_t type, std::string payload) {
  auto& s = *state_;
  WM_CHECK(type >= kFirstUserType);
  if (s.phase != Phase::Open) return fail(Code::Conflict, "the session is not open");
  if (payload.size() > s.options.frame_limit) {
    return fail(Code::Limit, "message of " + std::to_string(payload.size()) +
                                 " bytes exceeds the limit of " +
                                 std::to_string(s.options.frame_limit));
  }
  if (s.options.method == Method::Local) return frame_bytes(type, payload);
  return s.cipher.seal(type, std::move(payload));
}

void Session::State::pump(SessionActions& out) {
  while (phase != Phase::Closed && !blocked()) {
    auto frame = decoder.next();
    if (!frame) return close(frame.error(), phase != Phase::Open, out);
    if (!*frame) return;
    bool tell_peer = phase != Phase::Open && (*frame)->type != raw(WireType::Refusal);
    if (auto taken = on_frame(**frame, out); !taken) close(taken.error(), tell_peer, out);
  }
}

Result<void> Session::State::on_frame(const FrameView& frame, SessionActions& out) {
  if (phase == Phase::Open) return on_open_frame(frame, out);
  if (frame.type == raw(WireType::Refusal)) return decode_refusal(frame.payload);
  auto expected = phase == Phase::Hello   ? WireType::Hello
                  : phase == Phase::Proof ? WireType::Proof
                                          : WireType::Sealed;
  if (frame.type != raw(expected)) {
    return fail(Code::Damaged, "frame type " + std::to_string(frame.type) +
                                   " before the session is open, expected type " +
                                   std::to_string(raw(expected)));
  }
  hello_bytes += frame.payload.size();
  decoder.set_limit(options.hello_limit - hello_bytes);  // the decoder kept the sum below it
  if (phase == Phase::Hello) return on_hello(frame.payload, out);
  if (phase == Phase::Confirm) return on_confirm(frame, out);
  peer_proof = std::string(frame.payload);
  checking = true;
  out.emplace_back(CheckProof{peer_proof});
  return {};
}

Result<void> Session::State::on_hello(std::string_view payload, SessionActions& out) {
  WM_TRY(auto hello, decode_hello(payload, options.version));
  WM_TRY(check_hello(hello));
  peer_role = hello.role;
  if (options.method == Method::Local) {
    WM_CHECK(options.local.has_value());
    WM_TRY(check_rules(options.local->uid));
    if (!initiates()) write(WireType::Hello, own_hello, out);
    open({peer_role, options.local->uid, options.local->gid, options.local->pid}, out);
    return {};
  }
  WM_TRY(agree(hello, payload));
  phase = Phase::Proof;
  if (initiates()) return {};
  auto words = frame_bytes(raw(WireType::Hello), own_hello);
  if (!own_proof.empty()) words += frame_bytes(raw(WireType::Proof), own_proof);
  out.emplace_back(Write{std::move(words)});
  if (own_proof.empty()) ask_for_proof(out);
  return {};
}

void Session::State::ask_for_proof(SessionActions& out) {
  making = true;
  out.emplace_back(MakeProof{proof_payload(options.side, options.role, key->public_key())});
}

// Of the initiator, when both proofs are there: it may speak now.
void Session::State::open_when_proven(SessionActions& out) {
  if (!proven || making) return;
  begin_streams();
  out.emplace_back(Write{frame_bytes(raw(WireType::Proof), own_proof) +
                         cipher.seal(raw(WireType::Confirm), "")});
  open(*proven, out);
}

void Session::State::begin_streams() {
  const auto& first = initiates() ? own_proof : peer_proof;
  const auto& second = initiates() ? peer_proof : own_proof;
  cipher.begin(binding_of(transcript, first, second));
  key.reset();  // agreed on: a kept one must not live as long as this session
}

// A credential alone can be had by others: only who has the key can seal this.
Result<void> Session::State::on_confirm(const FrameView& frame, SessionActions& out) {
  auto confirm = cipher.open(frame.payload);
  if (!confirm || confirm->type != raw(WireType::Confirm)) {
    return fail(Code::Denied, "the peer does not have the key that its credential names");
  }
  shown.credential = std::move(peer_proof);
  open(*proven, out);
  return {};
}

Result<void> Session::State::on_open_frame(const FrameView& frame, SessionActions& out) {
  if (options.method == Method::Local && frame.type >= kFirstUserType) {
    out.emplace_back(Deliver{{frame.type, std::string(frame.payload)}});
    return {};
  }
  if (frame.type == raw(WireType::Refusal) && initiates() && !heard_sealed) {
    return decode_refusal(frame.payload);  // our proof did not convince the acceptor
  }
  if (options.method == Method::Local || frame.type != raw(WireType::Sealed)) {
    return fail(Code::Damaged, "frame type " + std::to_string(frame.type) + " in an open session");
  }
  WM_TRY(auto opened, cipher.open(frame.payload));
  if (opened.type < kFirstUserType) {
    return fail(Code::Damaged, "sealed frame of type " + std::to_string(opened.type));
  }
  heard_sealed = true;
  out.emplace_back(Deliver{std::move(opened)});
  return {};
}

Result<void> Session::State::check_hello(const Hello& hello) const {
  if (hello.method != options.method) {
    return fail(Code::Denied, "the peer proves itself by " + method_name(hello.method) +
                                  ", required is " + method_name(options.method));
  }
  auto fits = [&](const PeerRule& rule) { return rule.role == hello.role; };
  if (std::none_of(options.peers.begin(), options.peers.end(), fits)) {
    return fail(Code::Denied, "role " + role_name(hello.role) + " is not accepted by this " +
                                  role_name(options.role));
  }
  return {};
}

Result<void> Session::State::check_rules(std::optional<std::uint32_t> uid) const {
  auto fits = [&](const PeerRule& rule) {
    return rule.role == peer_role && (!rule.uid || rule.uid == uid);
  };
  if (std::any_of(options.peers.begin(), options.peers.end(), fits)) return {};
  return fail(Code::Denied,
              who(peer_role, uid) + " is not accepted by this " + role_name(options.role));
}

Result<void> Session::State::agree(const Hello& hello, std::string_view payload) {
  transcript = initiates() ? transcript_of(own_hello, payload) : transcript_of(payload, own_hello);
  peer_key = hello.key;
  return cipher.agree(options.side, *key, hello.key);
}

Result<void> Session::State::check_payload(std::string_view payload) {
  bool more = !initiates() && payload.size() == 2 * kSignedBytes;
  if (payload.substr(0, kSignedBytes) != proof_payload(peer_side(), peer_role, peer_key) ||
      (payload.size() != kSignedBytes && !more)) {
    return fail(Code::Denied, "credential was not made for this session");
  }
  shown.also_signed = payload.substr(kSignedBytes);
  return {};
}

void Session::State::open(Identity identity, SessionActions& out) {
  phase = Phase::Open;
  auto overhead = options.method == Method::Local ? 0 : kSealBytes;
  decoder.set_limit(options.frame_limit + overhead);
  out.emplace_back(Opened{identity, std::move(shown)});
}

void Session::State::close(Error error, bool tell_peer, SessionActions& out) {
  if (tell_peer) write(WireType::Refusal, encode_refusal(error), out);
  phase = Phase::Closed;
  out.emplace_back(Failed{std::move(error)});
}

}  // namespace wm::wire
