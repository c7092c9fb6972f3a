#include "daemons/wlogind/check.h"

#include <fcntl.h>
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
#include "libwm/files/own_folder.h"
#include "libwm/login/api_keys.h"
#include "libwm/proc/accounts.h"

namespace wm::login {
namespace {

constexpr Bytes kLongestFile{256 << 10};
constexpr std::string_view kNobody = "wm-nobody-of-that-name";

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

// Its modules would make a wrong password of a real account take seconds longer than one of a name
// that nobody has: who asks waits as long for both instead.
void no_delay(int, unsigned, void*) {}

/// The account may log on, by its password, or (null) by what was checked elsewhere.
bool fits_by_pam(const std::string& name, const std::string* password, const PamService& service) {
  std::string none;
  pam_conv conversation{converse, const_cast<char*>((password ? *password : none).c_str())};
  pam_handle_t* handle = nullptr;
  const char* folder = service.folder.empty() ? nullptr : service.folder.c_str();
  int started = folder ? ::pam_start_confdir(service.name.c_str(), name.c_str(), &conversation,
                                             folder, &handle)
                       : ::pam_start(service.name.c_str(), name.c_str(), &conversation, &handle);
  if (started != PAM_SUCCESS) return false;
  (void)::pam_set_item(handle, PAM_FAIL_DELAY, reinterpret_cast<const void*>(&no_delay));
  int status = PAM_SUCCESS;
  if (password) status = ::pam_authenticate(handle, PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK);
  if (status == PAM_SUCCESS) status = ::pam_acct_mgmt(handle, PAM_SILENT);
  ::pam_end(handle, status);
  return status == PAM_SUCCESS;
}

/// A file of the account's own that others cannot write.
std::string read_keys(const proc::Account& account) {
  auto folder = OwnFolder::open(account.home + "/.config/wm", account.uid);
  auto file = folder ? folder->file("keys", O_RDONLY) : Result<Fd>(folder.error());
  struct stat facts {};
  bool fine = file && ::fstat(file->get(), &facts) == 0 && facts.st_uid == account.uid &&
              (facts.st_mode & 022) == 0;
  auto text = fine ? folder->read("keys", kLongestFile) : Result<std::string>("");
  return text ? *text : "";
}

// Under the user's account: the file may lie where root must not be led.
[[noreturn]] void tell_grant(const proc::Account& account, const std::string& secret, int to) {
  if (!proc::become(account)) ::_exit(1);
  auto found = rest::find_key(rest::parse_keys(read_keys(account)), secret, now_s());
  auto text = found ? grant_text({found->scopes, found->expires}) : "";
  bool told = found && ::write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::_exit(told ? 0 : 1);
}

std::optional<Grant> grant_of_key(const proc::Account& account, const std::string& secret) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  pid_t child = ::fork();
  if (child == 0) tell_grant(account, secret, ends[1]);
  ::close(ends[1]);
  char text[128];
  auto n = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  if (child < 0 || status != 0 || n <= 0) return std::nullopt;
  return read_grant({text, static_cast<std::size_t>(n)});
}

}  // namespace

bool is_plain_name(const std::string& name) {
  auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '@';
  };
  return !name.empty() && name[0] != '-' && std::all_of(name.begin(), name.end(), plain);
}

Result<proc::Account> find_account(const std::string& user) {
  if (!is_plain_name(user)) return refused();
  auto found = proc::account(user);
  if (!found && found.error().code != Code::NotFound) return found;
  if (!found || found->uid == 0) return refused();
  return found;
}

bool is_usable(const proc::Account& account, const PamService& service) {
  return fits_by_pam(account.name, nullptr, service);
}

Result<Grant> check_secret(const std::optional<proc::Account>& account, const std::string& secret,
                           const PamService& service) {
  auto name = account ? account->name : std::string(kNobody);
  if (secret.empty()) return refused();
  if (secret.starts_with(rest::kKeyPrefix)) {
    auto grant = account ? grant_of_key(*account, secret) : std::nullopt;
    if (!grant || !fits_by_pam(name, nullptr, service)) return refused();
    return *grant;
  }
  bool fits = fits_by_pam(name, &secret, service);
  if (!fits || !account) return refused();
  return Grant{std::string(rest::kAllScopes), 0};
}

}  // namespace wm::login
