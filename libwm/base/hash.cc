#include "libwm/base/hash.h"

#include <sodium.h>

#include <cstring>

namespace wm {
namespace {

using HashState = crypto_generichash_state;

const unsigned char* hash_input(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

HashState* state_in(std::array<unsigned char, 384>& room) {
  return reinterpret_cast<HashState*>(room.data());
}

std::string encoded(std::string_view bytes, int variant) {
  std::string text(sodium_base64_encoded_len(bytes.size(), variant), '\0');
  sodium_bin2base64(text.data(), text.size(), hash_input(bytes), bytes.size(), variant);
  text.pop_back();  // the zero byte at its end
  return text;
}

Result<std::string> decoded(std::string_view text, int variant) {
  std::string bytes(text.size(), '\0');
  std::size_t length = 0;
  const char* end = nullptr;
  int status = sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                                 text.data(), text.size(), nullptr, &length, &end, variant);
  if (status != 0 || end != text.data() + text.size())
    return fail(Code::BadArgument, "not in base64");
  bytes.resize(length);
  return bytes;
}

}  // namespace

Hasher::Hasher(std::size_t bytes, std::string_view key) : bytes_(bytes) {
  static_assert(sizeof(HashState) <= sizeof state_ && alignof(HashState) <= 64);
  WM_CHECK(bytes >= crypto_generichash_BYTES_MIN && bytes <= crypto_generichash_BYTES_MAX);
  WM_CHECK(key.size() <= crypto_generichash_KEYBYTES_MAX);
  crypto_generichash_init(state_in(state_), hash_input(key), key.size(), bytes);
}

Hasher& Hasher::add(std::string_view part) {
  crypto_generichash_update(state_in(state_), hash_input(part), part.size());
  return *this;
}

Hasher& Hasher::add_sized(std::string_view part) {
  char size[8];
  for (std::size_t i = 0; i < sizeof size; ++i) size[i] = static_cast<char>(part.size() >> (8 * i));
  return add({size, sizeof size}).add(part);
}

std::string Hasher::finish() {
  std::string digest(bytes_, '\0');
  crypto_generichash_final(state_in(state_), reinterpret_cast<unsigned char*>(digest.data()),
                           digest.size());
  return digest;
}

std::string hash_of(std::string_view text, std::size_t bytes) {
  return Hasher(bytes).add(text).finish();
}

std::string hex(std::string_view bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), hash_input(bytes), bytes.size());
  text.pop_back();  // the zero byte at its end
  return text;
}

Result<std::string> unhex(std::string_view digits) {
  std::string bytes(digits.size() / 2, '\0');
  std::size_t length = 0;
  const char* end = nullptr;
  int status = sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                              digits.data(), digits.size(), nullptr, &length, &end);
  if (status != 0 || end != digits.data() + digits.size() || 2 * length != digits.size())
    return fail(Code::BadArgument, "not in hexadecimal digits, two a byte");
  return bytes;
}

std::string base64(std::string_view bytes) {
  return encoded(bytes, sodium_base64_VARIANT_ORIGINAL);
}

std::string base64_url(std::string_view bytes) {
  return encoded(bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

Result<std::string> from_base64(std::string_view text) {
  return decoded(text, sodium_base64_VARIANT_ORIGINAL);
}

Result<std::string> from_base64_url(std::string_view text) {
  return decoded(text, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

std::string random_bytes(std::size_t bytes) {
  std::string made(bytes, '\0');
  randombytes_buf(made.data(), made.size());
  return made;
}

std::string random_hex(std::size_t bytes) { return hex(random_bytes(bytes)); }

std::uint64_t random_number() {
  std::uint64_t number = 0;
  randombytes_buf(&number, sizeof number);
  return number;
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace wm
