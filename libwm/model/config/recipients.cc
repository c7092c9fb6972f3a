#include "libwm/model/config/recipients.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace wm {
namespace {

constexpr std::size_t kMostBytes = 1024, kMostUrls = 3;

template <class Visit>
void each_part(std::string_view text, const Visit& visit) {
  while (true) {
    auto first = text.find_first_not_of(", ");
    if (first == text.npos) return;
    text.remove_prefix(first);
    auto end = std::min(text.find_first_of(", "), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(end);
  }
}

bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::ranges::equal(text.substr(0, start.size()), start,
                            [](unsigned char a, char b) { return std::tolower(a) == b; });
}

/// What follows http:// or https://; empty: it is neither.
std::string_view behind_scheme(std::string_view part) {
  for (std::string_view scheme : {"http://", "https://"})
    if (begins_with(part, scheme)) return part.substr(scheme.size());
  return {};
}

bool is_url(std::string_view part) { return part.find("://") != part.npos; }

bool is_letter_or_digit(unsigned char c) { return c < 0x80 && std::isalnum(c); }

bool is_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']'))
    return host.size() > 2 && std::ranges::all_of(host.substr(1, host.size() - 2), [](char c) {
             return c == ':' || c == '.' || std::isxdigit(static_cast<unsigned char>(c));
           });
  return !host.empty() && !host.starts_with('-') && std::ranges::all_of(host, [](char c) {
    return is_letter_or_digit(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
  });
}

bool is_port(std::string_view text) {
  std::uint32_t port = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
  return ec == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

/// Of what stands between the scheme and the path; null: nothing is wrong.
const char* wrong_with_place(std::string_view place) {
  if (place.find('@') != place.npos) return "a user or password in a URL is for all to see";
  auto colon = place.rfind(':');
  bool bare_six = colon != place.npos && place.ends_with(']');
  if (colon == place.npos || bare_six) return is_host(place) ? nullptr : "it names no host";
  if (!is_port(place.substr(colon + 1))) return "a port from 1 to 65535 is wanted";
  return is_host(place.substr(0, colon)) ? nullptr : "it names no host";
}

const char* wrong_with_url(std::string_view url) {
  constexpr std::string_view kOthers = "-._~:/?[]@!$&'()*+;=%";
  auto rest = behind_scheme(url);
  if (rest.empty()) return "only http:// and https:// are posted to";
  if (url.size() > kMostBytes) return "it has more than 1024 bytes";
  if (!std::ranges::all_of(url, [&](char c) {
        return is_letter_or_digit(static_cast<unsigned char>(c)) || kOthers.find(c) != kOthers.npos;
      }))
    return "it holds a character that has to be written %XX";
  return wrong_with_place(rest.substr(0, std::min(rest.find_first_of("/?"), rest.size())));
}

}  // namespace

Result<Recipients> parse_recipients(std::string_view text) {
  auto bad = [](std::string_view what, const char* why) {
    return fail(Code::BadArgument, "-u " + std::string(what) + ": Bad argument, " + why);
  };
  auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (std::ranges::any_of(text, is_control))
    return fail(Code::BadArgument, "-u: Bad argument, a mail address or user is wanted");
  Recipients found;
  const char* wrong = nullptr;
  std::string_view where;
  each_part(text, [&](std::string_view part) {
    if (!is_url(part)) return found.addresses.emplace_back(part), void();
    auto why =
        found.urls.size() == kMostUrls ? "at most 3 URLs are posted to" : wrong_with_url(part);
    if (why && !wrong) wrong = why, where = part;
    found.urls.emplace_back(part);
  });
  if (wrong) return bad(where.substr(0, 60), wrong);
  if (!found.addresses.empty() || !found.urls.empty()) return found;
  return bad(text, "a mail address or user is wanted");
}

std::string mail_list(std::string_view text) {
  std::string list;
  each_part(text, [&](std::string_view part) {
    if (!is_url(part)) list += (list.empty() ? "" : ", ") + std::string(part);
  });
  return list;
}

bool is_allowed_url(std::string_view url, const std::vector<std::string>& prefixes) {
  return prefixes.empty() || std::ranges::any_of(prefixes, [&](const std::string& prefix) {
           if (!url.starts_with(prefix) || prefix.empty()) return false;
           auto rest = url.substr(prefix.size());
           return rest.empty() || prefix.ends_with('/') || rest[0] == '/' || rest[0] == '?';
         });
}

}  // namespace wm
