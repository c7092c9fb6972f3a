// Role: what wgatewayd asks wlogind, and is answered: structures of a fixed size, so that the root
// daemon parses nothing. Both run on one host; one question a connection.
//
//   LogOn{user, secret}  ─► token          StartAgent{token}  ─► path of the user's socket
//   Limited{user}        ─► nothing: for the record of acts, who failed too often
//   ServiceToken{token}  ─► a token of the same user's that is good for inference alone
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace wm::rest {

/// What is wanted.
enum class LoginKind : std::uint32_t { LogOn = 1, StartAgent = 2, Limited = 3, ServiceToken = 4 };

/// Texts end with a zero byte.
struct LoginQuestion {
  LoginKind kind = LoginKind::LogOn;
  std::uint32_t repeated = 0;  ///< LogOn: 1: name and password come with each request
  char user[64] = "";
  char address[64] = "";   ///< LogOn, Limited: whence
  char secret[4096] = "";  ///< LogOn: password or key; else: token
};

/// Texts end with a zero byte.
struct LoginAnswer {
  std::uint32_t code = 0;  ///< wm::Code
  char text[4096] = "";    ///< token, path, or why not
};

/// False: it is too long to fit, or holds a zero byte. @cost O(length)
template <std::size_t kSize>
bool put(char (&field)[kSize], std::string_view text) {
  if (text.size() >= kSize || text.find('\0') != text.npos) return false;
  std::memcpy(field, text.data(), text.size());
  field[text.size()] = '\0';
  return true;
}

/// The text of a field that somebody else filled in. @cost O(size)
template <std::size_t kSize>
std::string take(const char (&field)[kSize]) {
  return {field, ::strnlen(field, kSize)};
}

}  // namespace wm::rest
