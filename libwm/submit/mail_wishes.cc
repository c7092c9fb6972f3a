#include "libwm/submit/mail_wishes.h"

#include <algorithm>
#include <sstream>

#include "libwm/model/config/recipients.h"

namespace wm::cmd {
namespace {

Result<NotifyAt> parse_notify(std::string text) {
  auto bad = [whole = text] {
    return fail(
        Code::BadArgument,
        "-notify " + whole + ": Bad argument, of start, done, exit and suspend some are wanted");
  };
  std::ranges::replace(text, ',', ' ');
  NotifyAt at;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "start") at.start = true;
    else if (word == "done") at.done = true;
    else if (word == "exit") at.exit = true;
    else if (word == "suspend") at.suspend = true;
    else return bad();
  }
  return at.any() ? Result<NotifyAt>(at) : bad();
}

}  // namespace

Result<void> read_mail(const Parsed& options, MailWish& mail) {
  mail.at_start = mail.at_start || options.has("B");
  mail.at_end = mail.at_end || options.has("N");
  if (auto text = options.first("notify")) {
    WM_TRY(mail.notify, parse_notify(*text));
  }
  auto to = options.first("u");
  if (!to) return {};
  WM_TRY(parse_recipients(*to));
  mail.to = *to;
  return {};
}

}  // namespace wm::cmd
