// Role: the files that hold the keys of tokens: the secret seed of whoever signs, and the public
// keys for those who verify. Used by wgatewayd, wlogind and wuserd.
//
//   FOLDER/token.seed  32 bytes, 0600        FOLDER/token.pub  a public key in hexadecimal a line
//   FOLDER/apps.key    32 bytes, 0600: seals passes to applications, wgatewayd's own
#pragma once

#include <string>
#include <vector>

#include "libwm/rest/app_pass.h"
#include "libwm/rest/token.h"

namespace wm::http {

/// The keys of `folder`, made at the first start. @errors System; Damaged: a seed that is none
Result<rest::TokenKeys> own_token_keys(const std::string& folder);

/// The key of passes in `folder`, made at the first start. @errors System; Damaged
Result<rest::AppKey> own_app_key(const std::string& folder);

/// The public keys in a file. @errors NotFound: none; Damaged
Result<std::vector<rest::TokenPublicKey>> read_public_keys(const std::string& path);

}  // namespace wm::http
