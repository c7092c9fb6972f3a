#include "libwm/report/mail.h"

#include <array>

#include "libwm/base/hash.h"
#include "libwm/report/words.h"

namespace wm::report {
namespace {

constexpr std::size_t kLine = 76;

// Lines of at most 76 characters, each byte beyond plain ASCII as =XX.
std::string quoted_printable(const std::string& text) {
  constexpr const char* kHex = "0123456789ABCDEF";
  std::string made, line;
  auto put = [&](const std::string& piece) {
    if (line.size() + piece.size() > kLine - 1) {
      made += line + "=\n";
      line.clear();
    }
    line += piece;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    bool ends = i + 1 == text.size() || text[i + 1] == '\n';
    if (c == '\n') {
      made += line + "\n";
      line.clear();
    } else if (c == '=' || c < ' ' || c > '~' || (c == ' ' && ends) || (c == '.' && line.empty())) {
      put({'=', kHex[c >> 4], kHex[c & 15]});
    } else {
      put({static_cast<char>(c)});
    }
  }
  return made + line + (line.empty() ? "" : "\n");
}

std::string base64_lines(const std::string& bytes) {
  auto text = base64(bytes);
  std::string made;
  for (std::size_t i = 0; i < text.size(); i += kLine) made += text.substr(i, kLine) + "\n";
  return made;
}

// What stands in a header: one line, encoded where it is not plain.
std::string header(const std::string& text) {
  auto one = plain(text);
  for (char c : one)
    if (static_cast<unsigned char>(c) > '~') return "=?UTF-8?B?" + base64(one) + "?=";
  return one;
}

std::string word(const std::string& text) {
  std::string made;
  for (char c : text) {
    bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '-' || c == '.';
    made += fine ? c : '_';
  }
  return made;
}

}  // namespace

std::string message_of(const Mail& mail) {
  std::string text;
  auto put = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(name) + ": " + header(value) + "\n";
  };
  put("From", mail.from);
  put("To", mail.to);
  put("Reply-To", mail.reply_to);
  put("Subject", mail.subject);
  put("Date", mail.date);
  text += "Message-ID: <wm-" + word(mail.id) + "@" + word(mail.host) + ">\n";
  text += "Auto-Submitted: auto-generated\nMIME-Version: 1.0\n";
  const std::string part =
      "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n" +
      quoted_printable(mail.text);
  if (mail.page.empty()) return text + part;
  const std::string between = "=_wm_" + word(mail.id) + "_";
  text += "Content-Type: multipart/mixed; boundary=\"" + between + "\"\n\n--" + between + "\n" +
          part + "\n--" + between +
          "\nContent-Type: text/html; charset=utf-8\n"
          "Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=\"" +
          word(mail.page_name) + "\"\n\n" + base64_lines(mail.page) + "\n--" + between + "--\n";
  return text;
}

}  // namespace wm::report
