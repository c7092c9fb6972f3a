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
  for (auto word : asked)
    if (std::find(kScopes.begin(), kScopes.end(), word) == kScopes.end())
      return fail(Code::BadArgument, "scope '" + std::string(word) + "': read, submit, inference");
  std::string scopes;
  for (auto scope : kScopes)
    if (asked.empty() || std::find(asked.begin(), asked.end(), scope) != asked.end())
      scopes += (scopes.empty() ? "" : ",") + std::string(scope);
  return scopes;
}

bool has_scope(std::string_view scopes, std::string_view scope) {
  auto list = split(scopes, ',');
  return list.empty() || std::find(list.begin(), list.end(), scope) != list.end();
}

}  // namespace wm::rest
