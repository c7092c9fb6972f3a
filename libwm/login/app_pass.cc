#include "libwm/login/app_pass.h"

#include <sodium.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/login/raw.h"

namespace wm::rest {
namespace {

constexpr std::size_t kLongestPass = 8192;
constexpr std::size_t kLongestJob = 24;
constexpr std::string_view kOwnCookies = "__Host-wm";

Error pass_refused() { return fail(Code::Denied, "the pass is not valid"); }

Result<std::string> unsealed(std::string_view text, const AppKey& key) {
  if (text.size() > kLongestPass) return pass_refused();
  auto decoded = from_base64_url(text);
  if (!decoded) return pass_refused();
  std::string_view bytes = *decoded;
  constexpr std::size_t kAround = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
  if (bytes.size() < kAround) return pass_refused();
  std::string plain(bytes.size() - kAround, '\0');
  const unsigned char* box = raw(bytes) + crypto_secretbox_NONCEBYTES;
  auto size = bytes.size() - crypto_secretbox_NONCEBYTES;
  if (crypto_secretbox_open_easy(raw(plain), box, size, raw(bytes), key.data()) != 0)
    return pass_refused();
  return plain;
}

}  // namespace

std::string seal_pass(const AppPass& pass, const AppKey& key, const AppNonce& nonce) {
  SortedJson json{{"kind", static_cast<int>(pass.kind)}, {"job", pass.job}, {"token", pass.token}};
  json["owner"] = pass.owner;
  json["until"] = pass.until;
  auto plain = wm::to_text(json);
  std::string bytes(nonce.begin(), nonce.end());
  bytes.resize(nonce.size() + crypto_secretbox_MACBYTES + plain.size());
  crypto_secretbox_easy(raw(bytes) + nonce.size(), raw(plain), plain.size(), nonce.data(),
                        key.data());
  return base64_url(bytes);
}

Result<AppPass> open_pass(std::string_view text, const AppKey& key, PassKind kind,
                          std::int64_t now) {
  WM_TRY(auto plain, unsealed(text, key));
  auto json = json_or_null<SortedJson>(plain);
  if (!json.is_object()) return pass_refused();
  AppPass pass;
  try {
    pass = {static_cast<PassKind>(json.at("kind").get<int>()), json.at("job").get<std::string>(),
            json.at("token").get<std::string>(), json.at("owner").get<std::string>(),
            json.at("until").get<std::int64_t>()};
  } catch (const SortedJson::exception&) {
    return pass_refused();
  }
  if (pass.kind != kind || pass.until <= now) return pass_refused();
  return pass;
}

std::string_view app_job(std::string_view path) {
  if (!path.starts_with('/')) return {};
  path.remove_prefix(1);
  auto job = path.substr(0, path.find_first_of("/?"));
  auto dot = job.find('.');
  auto element = dot == job.npos ? "1" : job.substr(dot + 1);
  auto number = job.substr(0, dot);
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  bool fine = job.size() <= kLongestJob && !number.empty() && !element.empty() &&
              std::ranges::all_of(number, is_digit) && std::ranges::all_of(element, is_digit);
  return fine ? job : std::string_view();
}

std::string app_cookie_name(std::string_view job) {
  return std::string(kOwnCookies) + "-app-" + std::string(job);
}

std::string without_own_cookies(std::string_view cookies) {
  std::string kept;
  while (!cookies.empty()) {
    auto end = std::min(cookies.find(';'), cookies.size());
    auto pair = cookies.substr(0, end);
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (!pair.empty() && !pair.starts_with(kOwnCookies))
      kept += (kept.empty() ? "" : "; ") + std::string(pair);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
  }
  return kept;
}

}  // namespace wm::rest
