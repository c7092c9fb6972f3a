#include "libwm/login/api_keys.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "libwm/base/hash.h"

namespace wm::rest {
namespace {

constexpr std::array<std::string_view, 3> kScopes{"read", "submit", "inference"};
constexpr std::size_t kMostKeys = 1000;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string key_secret(std::string_view random) {
  return std::string(kKeyPrefix) + base64_url(random);
}

std::string key_hash(std::string_view secret) { return hex(hash_of(secret)); }

std::vector<ApiKey> parse_keys(std::string_view text) {
  std::vector<ApiKey> keys;
  for (auto line : split(text, '\n')) {
    auto words = split(line, ' ');
    if (words.size() != 5 || keys.size() == kMostKeys) continue;
    auto created = whole_number(words[3]), expires = whole_number(words[4]);
    if (created && expires)
      keys.push_back({std::string(words[0]), std::string(words[1]), std::string(words[2]), *created,
                      *expires});
  }
  return keys;
}

std::string to_text(const std::vector<ApiKey>& keys) {
  std::string text;
  for (const auto& key : keys)
    text += key.name + " " + key.hash + " " + key.scopes + " " + std::to_string(key.created) + " " +
            std::to_string(key.expires) + "\n";
  return text;
}

std::optional<ApiKey> find_key(const std::vector<ApiKey>& keys, std::string_view secret,
                               std::int64_t now) {
  auto hash = key_hash(secret);
  std::optional<ApiKey> found;
  for (const auto& key : keys)
    if (same_secret(key.hash, hash) && now < key.expires) found = key;
  return found;
}

Result<std::string> parse_scopes(std::string_view text) {
  auto asked = split(text, ',');
  if (asked.empty()) return fail(Code::BadArgument, "no scope: read, submit, inference");
  for (auto word : asked)
    if (std::find(kScopes.begin(), kScopes.end(), word) == kScopes.end())
      return fail(Code::BadArgument, "scope '" + std::string(word) + "': read, submit, inference");
  std::string scopes;
  for (auto scope : kScopes)
    if (std::find(asked.begin(), asked.end(), scope) != asked.end())
      scopes += (scopes.empty() ? "" : ",") + std::string(scope);
  return scopes;
}

bool has_scope(std::string_view scopes, std::string_view scope) {
  auto list = split(scopes, ',');
  return std::find(list.begin(), list.end(), scope) != list.end();
}

std::string_view needed_scope(std::string_view method, std::span<const std::string> segments) {
  bool reads = method == "GET" || method == "HEAD";
  std::string_view other = reads ? "read" : "submit";
  if (segments.size() < 4 || segments[0] != "dlim") return other;
  const auto &version = segments[1], &what = segments[2];
  bool of_models = version == "v2" && what == "models";
  bool asks = version == "v1" && what == "inference" && method == "POST" && segments.size() == 4;
  bool looks = method == "GET" && version == "v1" && what == "model" && segments.size() == 5 &&
               segments[4] == "streaming";
  bool health = method == "GET" && version == "v2" && what == "health" && segments.size() == 4 &&
                segments[3] == "ready";
  return of_models || asks || looks || health ? "inference" : other;
}

bool allows(std::string_view scopes, std::string_view method,
            std::span<const std::string> segments) {
  auto needed = needed_scope(method, segments);
  if (has_scope(scopes, needed)) return true;
  bool reads = method == "GET" || method == "HEAD";
  return needed == "inference" && has_scope(scopes, reads ? "read" : "submit");
}

}  // namespace wm::rest
