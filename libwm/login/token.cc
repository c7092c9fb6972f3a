#include "libwm/login/token.h"

#include <sodium.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/login/raw.h"

namespace wm::rest {
namespace {

constexpr std::size_t kLongestToken = 4096;
// {"alg":"EdDSA","typ":"JWT"}
constexpr std::string_view kHeader = "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9";

Error token_refused() { return fail(Code::Denied, "the token is not valid"); }

bool is_signed(std::string_view text, std::string_view signature,
               std::span<const TokenPublicKey> keys) {
  if (signature.size() != crypto_sign_BYTES) return false;
  return std::any_of(keys.begin(), keys.end(), [&](const auto& key) {
    return crypto_sign_verify_detached(raw(signature), raw(text), text.size(), key.data()) == 0;
  });
}

Result<Claims> claims_of(const std::string& text) {
  auto json = json_or_null<SortedJson>(text);
  if (!json.is_object()) return token_refused();
  try {
    return Claims{json.at("username").get<std::string>(), json.at("iss").get<std::string>(),
                  json.at("jti").get<std::string>(),      json.at("uid").get<std::uint32_t>(),
                  json.at("iat").get<std::int64_t>(),     json.at("exp").get<std::int64_t>(),
                  json.at("scope").get<std::string>()};
  } catch (const SortedJson::exception&) {
    return token_refused();
  }
}

}  // namespace

Result<std::string> narrower_id(const std::string& id, const std::string& own) {
  constexpr std::size_t kLongestId = 200;
  if (id.size() + own.size() >= kLongestId)
    return fail(Code::Limit, "the token was made of one that was made of one, and so on: log on");
  return id + "." + own;
}

std::vector<std::string> ids_of(const std::string& id) {
  std::vector<std::string> ids;
  for (auto dot = id.find('.'); dot != id.npos; dot = id.find('.', dot + 1))
    ids.push_back(id.substr(0, dot));
  ids.push_back(id);
  return ids;
}

Result<TokenKeys> token_keys(std::string_view seed) {
  if (seed.size() != crypto_sign_SEEDBYTES)
    return fail(Code::BadArgument, "a token key's seed has 32 bytes");
  TokenKeys keys;
  crypto_sign_seed_keypair(keys.open.data(), keys.secret.data(), raw(seed));
  return keys;
}

std::string sign_token(const Claims& claims, const TokenKey& key) {
  SortedJson json{{"username", claims.user}, {"sub", claims.user},    {"iss", claims.cluster},
                  {"jti", claims.id},        {"uid", claims.uid},     {"iat", claims.issued},
                  {"exp", claims.expires},   {"scope", claims.scopes}};
  auto text = std::string(kHeader) + "." + base64_url(wm::to_text(json));
  std::string signature(crypto_sign_BYTES, '\0');
  crypto_sign_detached(reinterpret_cast<unsigned char*>(signature.data()), nullptr, raw(text),
                       text.size(), key.data());
  return text + "." + base64_url(signature);
}

Result<Claims> verify_token(std::string_view token, std::span<const TokenPublicKey> keys,
                            std::string_view cluster, std::int64_t now) {
  auto last = token.rfind('.');
  bool shaped = token.size() <= kLongestToken && last != token.npos && last > kHeader.size() &&
                token.starts_with(kHeader) && token[kHeader.size()] == '.';
  if (!shaped) return token_refused();
  auto signature = from_base64_url(token.substr(last + 1));
  if (!signature || !is_signed(token.substr(0, last), *signature, keys)) return token_refused();
  auto body = from_base64_url(token.substr(kHeader.size() + 1, last - kHeader.size() - 1));
  if (!body) return token_refused();
  WM_TRY(auto claims, claims_of(*body));
  if (claims.cluster != cluster || claims.expires <= now) return token_refused();
  return claims;
}

}  // namespace wm::rest
