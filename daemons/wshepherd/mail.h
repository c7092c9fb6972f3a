// Role: user part that mails the report of a job which named no file, with what it wrote, through
// sendmail's interface.
#pragma once

#include <string>
#include <vector>

namespace wm::shepherd {

/// Gives `text` and then the files, up to a megabyte of each, to `program -oi -t`, and waits for
/// it. A file that is not there holds nothing. Returns 0, or 1 when the mail was not taken.
int send_mail(const std::string& program, const std::string& text,
              const std::vector<std::string>& files);

}  // namespace wm::shepherd
