#include "libwm/wire/hello.h"

#include <sodium.h>

#include <algorithm>

namespace wm::wire {

namespace {

constexpr std::string_view kMagic = "WMhi";
constexpr std::size_t kPrefixBytes = 6;  // magic and version
constexpr std::size_t kHelloBytes = kPrefixBytes + 2 + 32 + 32;
constexpr std::size_t kRefusalText = 1000;
constexpr auto kLastCode = Code::Stale;

std::string numbered(std::string_view what, unsigned number) {
  return std::string(what) + " " + std::to_string(number);
}

void absorb(crypto_generichash_state& hash, std::string_view bytes) {
  crypto_generichash_update(&hash, reinterpret_cast<const unsigned char*>(bytes.data()),
                            bytes.size());
}

Digest finish(crypto_generichash_state& hash) {
  Digest out;
  crypto_generichash_final(&hash, out.data(), out.size());
  return out;
}

crypto_generichash_state begin(std::string_view label) {
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, nullptr, 0, sizeof(Digest));
  absorb(hash, label);
  return hash;
}

std::string version_text(std::uint16_t theirs, std::uint16_t ours) {
  return "the peer speaks wire protocol version " + std::to_string(theirs) + ", this is version " +
         std::to_string(ours) + ": install the same WM release on both";
}

}  // namespace

std::string role_name(Role role) {
  switch (role) {
    case Role::Client: return "client";
    case Role::Host: return "host";
    case Role::Master: return "master";
    case Role::Agent: return "agent";
  }
  return numbered("role", static_cast<unsigned>(role));
}

std::string method_name(Method method) {
  switch (method) {
    case Method::Munge: return "munge";
    case Method::SharedKey: return "shared key";
    case Method::Local: return "unix socket";
  }
  return numbered("method", static_cast<unsigned>(method));
}

std::string encode_hello(const Hello& hello) {
  std::string out(kMagic);
  out.push_back(static_cast<char>(hello.version));
  out.push_back(static_cast<char>(hello.version >> 8));
  out.push_back(static_cast<char>(hello.method));
  out.push_back(static_cast<char>(hello.role));
  out.append(hello.key.begin(), hello.key.end());
  out.append(hello.nonce.begin(), hello.nonce.end());
  return out;
}

Result<Hello> decode_hello(std::string_view payload, std::uint16_t version) {
  if (payload.size() < kPrefixBytes || !payload.starts_with(kMagic)) {
    return fail(Code::Damaged, "the peer does not speak WM's protocol");
  }
  auto byte = [&](std::size_t at) { return static_cast<unsigned char>(payload[at]); };
  Hello hello;
  hello.version = static_cast<std::uint16_t>(byte(4) | byte(5) << 8);
  if (hello.version != version) return fail(Code::Version, version_text(hello.version, version));
  if (payload.size() != kHelloBytes) {
    return fail(Code::Damaged, numbered("hello has a length of", payload.size()) +
                                   numbered(" bytes, not", kHelloBytes));
  }
  hello.method = static_cast<Method>(byte(6));
  hello.role = static_cast<Role>(byte(7));
  std::copy_n(payload.begin() + 8, 32, hello.key.begin());
  std::copy_n(payload.begin() + 40, 32, hello.nonce.begin());
  return hello;
}

Digest transcript_of(std::string_view initiator_hello, std::string_view acceptor_hello) {
  auto hash = begin("WM transcript");
  absorb(hash, initiator_hello);  // both have one fixed length: no ambiguity
  absorb(hash, acceptor_hello);
  return finish(hash);
}

std::string proof_payload(Side side, Role role, const std::array<std::uint8_t, 32>& key) {
  auto hash = begin("WM proof");
  std::array<char, 2> who = {static_cast<char>(side), static_cast<char>(role)};
  absorb(hash, {who.data(), who.size()});
  absorb(hash, {reinterpret_cast<const char*>(key.data()), key.size()});
  auto digest = finish(hash);
  return {digest.begin(), digest.end()};
}

Digest binding_of(const Digest& transcript, std::string_view initiator_proof,
                  std::string_view acceptor_proof) {
  auto hash = begin("WM binding");
  absorb(hash, {reinterpret_cast<const char*>(transcript.data()), transcript.size()});
  for (auto proof : {initiator_proof, acceptor_proof}) {
    std::array<char, 4> length{};  // proofs vary in length: where one ends is part of it
    for (std::size_t i = 0; i < length.size(); ++i)
      length[i] = static_cast<char>(proof.size() >> (8 * i));
    absorb(hash, {length.data(), length.size()});
    absorb(hash, proof);
  }
  return finish(hash);
}

std::string encode_refusal(const Error& error) {
  std::string out(1, static_cast<char>(error.code));
  return out.append(std::string_view(error.text).substr(0, kRefusalText));
}

Error decode_refusal(std::string_view payload) {
  if (payload.empty()) return fail(Code::Denied, "refused by the peer without a reason");
  auto code = static_cast<Code>(payload.front());
  if (code == Code::Ok || code > kLastCode) code = Code::Denied;
  std::string text(payload.substr(1, kRefusalText));
  // Unauthenticated words that end up on a terminal: no control characters.
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 32 || c == 127; }, ' ');
  return fail(code, "refused by the peer: " + text);
}

}  // namespace wm::wire
