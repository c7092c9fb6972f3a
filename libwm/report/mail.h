// Role: a report as a mail message: text for every reader, the page attached. Pure.
// @source RFC 5322, RFC 2045 (quoted-printable, base64), RFC 3834 (Auto-Submitted)
#pragma once

#include <string>

namespace wm::report {

/// What goes into a message. Addresses and names may hold anything: what a header must not have
/// is taken out.
struct Mail {
  std::string from;  ///< empty: the mail system's own
  std::string to, reply_to, subject, text;
  std::string id;               ///< the same when it is sent again: "day-2026-10-25-root"
  std::string host;             ///< of the message id: the cluster's name
  std::string date;             ///< as RFC 5322 has it; empty: the mail system's
  std::string page_name, page;  ///< empty: no page
};

/// The whole message, with LF line ends as sendmail takes it. @cost O(bytes)
std::string message_of(const Mail& mail);

}  // namespace wm::report
