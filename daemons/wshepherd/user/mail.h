// Role: user parts that bring the report of a job to its file, or mail it, with what the job wrote,
// through sendmail's interface.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "libwm/launch/launcher.h"

namespace wm::shepherd {

/// Gives `text` and then the files, up to a megabyte of each, to `program -oi -t`, and waits for
/// it. A file that is not there holds nothing. Returns 0, or EIO when the mail was not taken.
int send_mail(const std::string& program, const std::string& text,
              const std::vector<std::string>& files);

/// The same without files; a mail program that hangs is gone after `limit`.
int send_mail_within(std::chrono::seconds limit, const std::string& program,
                     const std::string& text);

/// Appends `text` to the file, which begins with it if these are its `first_bytes`. Returns 0 once
/// it is written and closed, or errno of what failed.
int write_report(const launch::OutputFile& file, bool first_bytes, const std::string& text);

}  // namespace wm::shepherd
