#include "libwm/http/token_files.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace wm::http {
namespace {

constexpr std::size_t kSeed = 32;

Result<void> write_file(const std::string& path, const std::string& text, mode_t mode) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  bool fine = fd >= 0 && ::fchmod(fd, mode) == 0 &&
              ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  auto why = std::string(std::strerror(errno));
  if (fd >= 0) ::close(fd);
  if (!fine) return fail(Code::System, path + ": " + why);
  return {};
}

// What is in a secret file; random bytes where there is none yet.
Result<std::string> own_secret(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string secret((std::istreambuf_iterator<char>(in)), {});
  if (!secret.empty()) return secret;
  secret.resize(kSeed);
  randombytes_buf(secret.data(), secret.size());
  WM_TRY(write_file(path, secret, 0600));
  return secret;
}

}  // namespace

Result<rest::AppKey> own_app_key(const std::string& folder) {
  auto path = folder + "/apps.key";
  WM_TRY(auto secret, own_secret(path));
  rest::AppKey key{};
  if (secret.size() != key.size()) return fail(Code::Damaged, path + ": 32 bytes are wanted");
  std::copy(secret.begin(), secret.end(), key.begin());
  return key;
}

Result<rest::TokenKeys> own_token_keys(const std::string& folder) {
  auto path = folder + "/token.seed";
  WM_TRY(auto seed, own_secret(path));
  auto keys = rest::token_keys(seed);
  if (!keys) return fail(Code::Damaged, path + ": " + keys.error().text);
  char hex[2 * sizeof(rest::TokenPublicKey) + 1];
  sodium_bin2hex(hex, sizeof hex, keys->open.data(), keys->open.size());
  WM_TRY(write_file(folder + "/token.pub", std::string(hex) + "\n", 0644));
  return keys;
}

Result<std::vector<rest::TokenPublicKey>> read_public_keys(const std::string& path) {
  std::vector<rest::TokenPublicKey> keys;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    rest::TokenPublicKey key{};
    std::size_t size = 0;
    int status =
        sodium_hex2bin(key.data(), key.size(), line.data(), line.size(), nullptr, &size, nullptr);
    if (status != 0 || size != key.size()) return fail(Code::Damaged, path + ": no public key");
    keys.push_back(key);
  }
  if (keys.empty()) return fail(Code::NotFound, path + ": no public key");
  return keys;
}

}  // namespace wm::http
