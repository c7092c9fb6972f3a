#include "libwm/wire/spec_signature.h"

#include "libwm/base/hash.h"
#include "libwm/wire/pack_signature.h"

namespace wm::wire {

namespace {

constexpr std::size_t kRequestKeyBytes = 16;
constexpr std::size_t kDigestBytes = 32;
// How long an unexpired credential is kept in mind by munged; not how long it proves origin.
constexpr Duration kTtl = std::chrono::seconds(300);

}  // namespace

bool signs(std::string_view payload, std::string_view digest) {
  return payload == digest ||
         (payload.size() == 2 * kDigestBytes && payload.substr(kDigestBytes) == digest);
}

std::string spec_digest(std::string_view spec, std::string_view request_key) {
  return Hasher(kDigestBytes).add(spec).add(request_key).finish();
}

Result<std::string> sign_spec(Credentials& with, std::string_view spec,
                              std::string_view request_key) {
  if (request_key.size() != kRequestKeyBytes) {
    return fail(Code::BadArgument, "request key has " + std::to_string(request_key.size()) +
                                       " bytes, not " + std::to_string(kRequestKeyBytes));
  }
  return with.encode(spec_digest(spec, request_key), kTtl);
}

Result<std::uint32_t> signer_of_spec(Credentials& with, std::string_view credential,
                                     std::string_view spec, std::string_view request_key) {
  auto digest = spec_digest(spec, request_key);
  auto packed = pack_proof(credential, digest);
  auto read = with.verify_signature(packed ? packed->credential : credential);
  if (!read && read.error().code == Code::Denied)
    return fail(Code::Stale, "its signature cannot be proven: " + read.error().text);
  WM_TRY(auto proof, std::move(read));
  if (request_key.size() != kRequestKeyBytes ||
      !signs(proof.payload, packed ? packed->root : digest)) {
    return fail(Code::Denied, "the submitter's credential was made for another specification");
  }
  if (!proof.uid) return fail(Code::Denied, "the submitter's credential names no user");
  return *proof.uid;
}

}  // namespace wm::wire
