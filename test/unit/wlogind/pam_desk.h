// Role: a PAM service of the test's own: one password fits, accounts may log on or not, and every
// question about a password is noted.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "daemons/wlogind/check.h"
#include "libwm/files/whole_file.h"
#include "test/support/folder.h"

namespace wm::login {

/// Rules by pam_exec: the module is part of every Debian with PAM.
class PamDesk {
 public:
  PamDesk() {
    asked_ = folder_.path() + "/asked";
    script_ = folder_.path() + "/judge";
    std::ofstream(script_) << "#!/bin/sh\n"
                              "secret=$(tr -d '\\000')\n"
                              "echo \"$PAM_USER\" >>"
                           << asked_
                           << "\n"
                              "[ \"$secret\" = right ]\n";
    ::chmod(script_.c_str(), 0755);
    write("pam_permit.so");
  }
  /// From now on account management is this module's. @pre a name of a module
  void write(const std::string& accounts) {
    std::ofstream(service.folder + "/wm")
        << "auth required pam_exec.so quiet expose_authtok " << script_ << "\n"
        << "account required " << accounts << "\n";
  }
  /// Whom PAM was asked about, one name a line.
  std::string asked() const {
    auto text = read_file(asked_, Bytes{1 << 16});
    return text ? *text : "";
  }

 private:
  test::OwnFolder folder_;
  std::string asked_, script_;

 public:
  PamService service{"wm", folder_.path()};
};

}  // namespace wm::login
