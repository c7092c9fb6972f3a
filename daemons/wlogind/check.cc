#include "daemons/wlogind/check.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <security/pam_appl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "libwm/base/clock.h"
#include "libwm/login/api_keys.h"

namespace wm::login {
namespace {

constexpr off_t kLongestFile = 256 << 10;

Error refused() { return fail(Code::Denied, "user name and password do not fit"); }

// Modules may ask for a password once; whatever else they ask has no answer here.
int converse(int count, const pam_message** messages, pam_response** answers, void* secret) {
  if (count <= 0 || count > PAM_MAX_NUM_MSG) return PAM_CONV_ERR;
  auto* made = static_cast<pam_response*>(
      std::calloc(static_cast<std::size_t>(count), sizeof(pam_response)));
  if (made == nullptr) return PAM_BUF_ERR;
  for (int i = 0; i < count; ++i)
    if (messages[i]->msg_style == PAM_PROMPT_ECHO_OFF)
      made[i].resp = ::strdup(static_cast<const char*>(secret));
  *answers = made;
  return PAM_SUCCESS;
}

bool fits_by_pam(const Account& account, const std::string& secret, const char* service) {
  pam_conv conversation{converse, const_cast<char*>(secret.c_str())};
  pam_handle_t* handle = nullptr;
  if (::pam_start(service, account.name.c_str(), &conversation, &handle) != PAM_SUCCESS)
    return false;
  int status = ::pam_authenticate(handle, PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK);
  if (status == PAM_SUCCESS) status = ::pam_acct_mgmt(handle, PAM_SILENT);
  ::pam_end(handle, status);
  return status == PAM_SUCCESS;
}

// A file of the user's own that others cannot write; a link is none.
std::string read_keys(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat facts {};
  bool fine = fd >= 0 && ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
              facts.st_uid == ::getuid() && (facts.st_mode & 022) == 0 &&
              facts.st_size <= kLongestFile;
  std::string text(fine ? static_cast<std::size_t>(facts.st_size) : 0, '\0');
  auto n = fine ? ::read(fd, text.data(), text.size()) : 0;
  if (fd >= 0) ::close(fd);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

// Under the user's account: his file may lie where root must not be led.
std::string scopes_of_key(const Account& account, const std::string& secret) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "";
  pid_t child = ::fork();
  if (child == 0) {
    if (!become(account)) ::_exit(1);
    auto keys = rest::parse_keys(read_keys(account.home + "/.config/wm/keys"));
    auto found = rest::find_key(keys, secret, now_s());
    auto scopes = found ? rest::parse_scopes(found->scopes) : Result<std::string>(refused());
    bool told = scopes && ::write(ends[1], scopes->data(), scopes->size()) ==
                              static_cast<ssize_t>(scopes->size());
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  char text[64];
  auto n = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  return child > 0 && status == 0 && n > 0 ? std::string(text, static_cast<std::size_t>(n)) : "";
}

bool is_plain_name(const std::string& name) {
  auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '@';
  };
  return !name.empty() && name[0] != '-' && std::all_of(name.begin(), name.end(), plain);
}

}  // namespace

Result<Account> find_account(const std::string& user) {
  const passwd* entry = is_plain_name(user) ? ::getpwnam(user.c_str()) : nullptr;
  if (entry == nullptr || entry->pw_uid == 0) return refused();
  return Account{entry->pw_name, entry->pw_dir, entry->pw_uid, entry->pw_gid};
}

Result<std::string> check_secret(const Account& account, const std::string& secret,
                                 const char* service) {
  if (secret.starts_with(rest::kKeyPrefix)) {
    auto scopes = scopes_of_key(account, secret);
    if (scopes.empty()) return refused();
    return scopes;
  }
  if (secret.empty() || !fits_by_pam(account, secret, service)) return refused();
  return rest::parse_scopes("");
}

Result<void> become(const Account& account) {
  bool done = ::initgroups(account.name.c_str(), account.gid) == 0 &&
              ::setresgid(account.gid, account.gid, account.gid) == 0 &&
              ::setresuid(account.uid, account.uid, account.uid) == 0;
  if (!done) return fail(Code::System, "becoming " + account.name + ": " + std::strerror(errno));
  return {};
}

}  // namespace wm::login
