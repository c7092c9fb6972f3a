// Role: the files that hold the keys of tokens: the signer's secret seed, and the public
// keys for those who verify. Used by wgatewayd, wlogind, wuserd, and by badmin, which changes them.
//
//   FOLDER/token.seed  32 bytes, 0600        FOLDER/token.pub  "HEX" the key that signs now,
//   FOLDER/apps.key    32 bytes, 0600: seals passes            "HEX UNTIL" one that signed before
//                      to applications, wgatewayd's own
//
// Invariant: a key is among the public ones before anything is signed by it.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libwm/login/app_pass.h"
#include "libwm/login/token.h"

namespace wm::http {

/// The keys of `folder`, made at the first start. @errors System; Damaged: a seed that is none
Result<rest::TokenKeys> own_token_keys(const std::string& folder);

/// The keys that sign now; they are there already. @errors as above, NotFound
Result<rest::TokenKeys> token_keys_in(const std::string& folder);

/// New keys sign from now on. Those that signed until now are good until `until`, or no more when
/// that is over. @units until, now: seconds since the epoch   @errors as own_token_keys
Result<void> change_token_keys(const std::string& folder, std::int64_t until, std::int64_t now);

/// The key of passes in `folder`, made at the first start. @errors System; Damaged
Result<rest::AppKey> own_app_key(const std::string& folder);

/// The public keys in a file, read again when it changes. @thread any
class PublicKeys {
 public:
  /// @errors NotFound: none; Damaged
  static Result<std::unique_ptr<PublicKeys>> open(const std::string& path);
  /// Those that are good; of a file that cannot be read any more what it held last.
  /// @units now: seconds since the epoch   @cost a look at the file
  std::vector<rest::TokenPublicKey> good(std::int64_t now);

 private:
  struct Key {
    rest::TokenPublicKey key{};
    std::int64_t until = 0;  // 0: signs now
  };
  explicit PublicKeys(std::string path) : path_(std::move(path)) {}
  static Result<std::vector<Key>> read(const std::string& path);
  friend Result<void> change_token_keys(const std::string&, std::int64_t, std::int64_t);

  std::string path_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<Key> keys_;
  struct stat seen_ {};  // the file that they were read of
};

}  // namespace wm::http
