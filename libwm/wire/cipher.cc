#include "libwm/wire/cipher.h"

namespace wm::wire {

namespace {

using Bytes32 = std::array<std::uint8_t, 32>;

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// BLAKE2b(label ‖ binding), keyed when there is a key.
Bytes32 derive(std::string_view label, const Digest& binding, const unsigned char* key,
               std::size_t key_bytes) {
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, key, key_bytes, 32);
  crypto_generichash_update(&hash, bytes(label), label.size());
  crypto_generichash_update(&hash, binding.data(), binding.size());
  Bytes32 out;
  crypto_generichash_final(&hash, out.data(), out.size());
  return out;
}

// Starts a stream in either direction. init_pull is used for both: init_push would draw its
// header from the system's generator, while here it follows from the binding. That is safe
// since the key serves this one stream, and keeps the session deterministic given its secrets.
void start_stream(crypto_secretstream_xchacha20poly1305_state& stream, const Bytes32& shared,
                  const Digest& binding) {
  auto key = derive("WM stream key", binding, shared.data(), shared.size());
  auto header = derive("WM stream header", binding, nullptr, 0);
  static_assert(crypto_secretstream_xchacha20poly1305_HEADERBYTES <= 32);
  crypto_secretstream_xchacha20poly1305_init_pull(&stream, header.data(), key.data());
  sodium_memzero(key.data(), key.size());
}

}  // namespace

SessionKey::SessionKey(const std::array<std::uint8_t, 32>& seed) {
  crypto_kx_seed_keypair(public_.data(), secret_.data(), seed.data());
}

SessionKey::~SessionKey() { sodium_memzero(secret_.data(), secret_.size()); }

Cipher::~Cipher() {
  sodium_memzero(&send_, sizeof send_);
  sodium_memzero(&receive_, sizeof receive_);
  sodium_memzero(send_secret_.data(), send_secret_.size());
  sodium_memzero(receive_secret_.data(), receive_secret_.size());
}

Result<void> Cipher::agree(Side side, const SessionKey& own, const Bytes32& peer_public) {
  auto agreed =
      side == Side::Initiator ? crypto_kx_client_session_keys : crypto_kx_server_session_keys;
  if (agreed(receive_secret_.data(), send_secret_.data(), own.public_.data(), own.secret_.data(),
             peer_public.data()) != 0) {
    return fail(Code::Damaged, "hello: the peer's key is not a usable X25519 key");
  }
  return {};
}

void Cipher::begin(const Digest& binding) {
  start_stream(send_, send_secret_, binding);
  start_stream(receive_, receive_secret_, binding);
  sodium_memzero(send_secret_.data(), send_secret_.size());
  sodium_memzero(receive_secret_.data(), receive_secret_.size());
}

std::string Cipher::seal(std::uint16_t type, std::string payload) {
  // The type goes last: opening then only cuts the end off, without moving the payload.
  payload.push_back(static_cast<char>(type));
  payload.push_back(static_cast<char>(type >> 8));
  auto sealed_bytes = payload.size() + crypto_secretstream_xchacha20poly1305_ABYTES;
  auto out = frame_header(static_cast<std::uint16_t>(WireType::Sealed),
                          static_cast<std::uint32_t>(sealed_bytes));
  out.resize(kHeaderBytes + sealed_bytes);
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  crypto_secretstream_xchacha20poly1305_push(&send_, to + kHeaderBytes, nullptr, bytes(payload),
                                             payload.size(), to, kHeaderBytes, 0);
  return out;
}

Result<Frame> Cipher::open(std::string_view sealed) {
  if (sealed.size() < kSealBytes) return fail(Code::Damaged, "sealed frame is cut short");
  auto header = frame_header(static_cast<std::uint16_t>(WireType::Sealed),
                             static_cast<std::uint32_t>(sealed.size()));
  std::string plain(sealed.size() - crypto_secretstream_xchacha20poly1305_ABYTES, '\0');
  unsigned char tag = 0;
  if (crypto_secretstream_xchacha20poly1305_pull(
          &receive_, reinterpret_cast<unsigned char*>(plain.data()), nullptr, &tag, bytes(sealed),
          sealed.size(), bytes(header), header.size()) != 0) {
    return fail(Code::Damaged, "sealed frame is not the next one of this session");
  }
  auto low = static_cast<unsigned char>(plain[plain.size() - 2]);
  auto high = static_cast<unsigned char>(plain.back());
  plain.resize(plain.size() - 2);
  return Frame{static_cast<std::uint16_t>(low | high << 8), std::move(plain)};
}

}  // namespace wm::wire
