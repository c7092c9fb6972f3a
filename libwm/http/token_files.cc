#include "libwm/http/token_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "libwm/base/hash.h"
#include "libwm/files/fd.h"
#include "libwm/files/whole_file.h"

namespace wm::http {
namespace {

constexpr std::size_t kSeed = 32;
constexpr Bytes kLongestKeyFile{1 << 20};

// A file that wlogind keeps elsewhere is a link in its folder, which stays.
std::string where_kept(const std::string& path) {
  std::error_code no_link;
  auto target = std::filesystem::read_symlink(path, no_link);
  return no_link ? path : target.string();
}

// Whole or not at all; if root writes it, the file gets the folder's owner before it has its name.
Result<void> write_file(const std::string& named, const std::string& text, mode_t mode) {
  auto path = where_kept(named);
  auto draft = path + ".new";
  auto up = path.substr(0, path.rfind('/') + 1);
  Fd fd(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode));
  struct stat folder {};
  bool ours = fd && ::fchmod(fd.get(), mode) == 0 && ::stat(up.c_str(), &folder) == 0 &&
              (::geteuid() != 0 || ::fchown(fd.get(), folder.st_uid, folder.st_gid) == 0);
  if (!ours) return system_error(path);
  WM_TRY(write_all(fd.get(), text, path));
  if (::fsync(fd.get()) != 0 || ::rename(draft.c_str(), path.c_str()) != 0)
    return system_error(path);
  return {};
}

// What a file holds; nothing: there is none. @errors one that cannot be read is no reason for
// another
Result<std::string> held_in(const std::string& path) {
  auto text = read_file(where_kept(path), kLongestKeyFile);
  if (text || text.error().code != Code::NotFound) return text;
  return std::string();
}

std::string hex_of(const rest::TokenPublicKey& key) {
  return hex({reinterpret_cast<const char*>(key.data()), key.size()});
}

Result<rest::TokenKeys> keys_of(const std::string& path, const std::string& seed) {
  auto keys = rest::token_keys(seed);
  if (!keys) return fail(Code::Damaged, path + ": " + keys.error().text);
  return keys;
}

// What is in a secret file; random bytes where there is none yet.
Result<std::string> own_secret(const std::string& path) {
  WM_TRY(auto secret, held_in(path));
  if (!secret.empty()) return secret;
  secret = random_bytes(kSeed);
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
  WM_TRY(auto keys, keys_of(path, seed));
  // One that was changed has others beside it.
  auto open = hex_of(keys.open);
  WM_TRY(auto shown, held_in(folder + "/token.pub"));
  if (!shown.starts_with(open)) WM_TRY(write_file(folder + "/token.pub", open + "\n", 0644));
  return keys;
}

Result<rest::TokenKeys> token_keys_in(const std::string& folder) {
  auto path = folder + "/token.seed";
  WM_TRY(auto seed, held_in(path));
  if (seed.empty()) return fail(Code::NotFound, path + ": there is no key");
  return keys_of(path, seed);
}

Result<void> change_token_keys(const std::string& folder, std::int64_t until, std::int64_t now) {
  WM_TRY(auto before, PublicKeys::read(folder + "/token.pub"));
  auto seed = random_bytes(kSeed);
  WM_TRY(auto keys, keys_of("the new key", seed));
  auto text = hex_of(keys.open) + "\n";
  for (const auto& key : before) {
    auto last = key.until == 0 ? until : std::min(until, key.until);
    if (last > now) text += hex_of(key.key) + " " + std::to_string(last) + "\n";
  }
  WM_TRY(write_file(folder + "/token.pub", text, 0644));
  return write_file(folder + "/token.seed", seed, 0600);
}

Result<std::vector<PublicKeys::Key>> PublicKeys::read(const std::string& path) {
  std::vector<Key> keys;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    Key key;
    auto digits = std::min(line.find(' '), line.size());
    auto bytes = unhex(std::string_view(line).substr(0, digits));
    auto rest = std::string_view(line).substr(digits);
    bool dated = rest.starts_with(' ') &&
                 std::from_chars(rest.data() + 1, rest.data() + rest.size(), key.until).ptr ==
                     rest.data() + rest.size();
    if (!bytes || bytes->size() != key.key.size() || (!rest.empty() && !dated))
      return fail(Code::Damaged, path + ": no public key");
    std::copy(bytes->begin(), bytes->end(), key.key.begin());
    keys.push_back(key);
  }
  if (keys.empty()) return fail(Code::NotFound, path + ": no public key");
  return keys;
}

Result<std::unique_ptr<PublicKeys>> PublicKeys::open(const std::string& path) {
  std::unique_ptr<PublicKeys> keys(new PublicKeys(path));
  ::stat(path.c_str(), &keys->seen_);
  WM_TRY(keys->keys_, read(path));
  return keys;
}

std::vector<rest::TokenPublicKey> PublicKeys::good(std::int64_t now) {
  std::lock_guard lock(mutex_);
  struct stat is {};
  bool there = ::stat(path_.c_str(), &is) == 0;
  bool same = there && is.st_ino == seen_.st_ino && is.st_mtim.tv_sec == seen_.st_mtim.tv_sec &&
              is.st_mtim.tv_nsec == seen_.st_mtim.tv_nsec;
  if (there && !same) {
    if (auto anew = read(path_)) {
      keys_ = *std::move(anew);
      seen_ = is;
    }
  }
  std::vector<rest::TokenPublicKey> good;
  for (const auto& key : keys_)
    if (key.until == 0 || key.until > now) good.push_back(key.key);
  return good;
}

}  // namespace wm::http
