#include "libwm/wire/shared_key.h"

#include <sodium.h>

#include "libwm/base/hash.h"

namespace wm::wire {

namespace {

constexpr std::size_t kMacBytes = 32;

std::string keyed_hash(const SharedKey& key, std::string_view text) {
  std::string_view bytes(reinterpret_cast<const char*>(key.data()), key.size());
  return Hasher(kMacBytes, bytes).add(text).finish();
}

class SharedKeyCredentials final : public Credentials {
 public:
  explicit SharedKeyCredentials(const SharedKey& key) : key_(key) {}
  ~SharedKeyCredentials() override { sodium_memzero(key_.data(), key_.size()); }

  Result<std::string> encode(std::string_view payload, Duration) override {
    return mac(payload).append(payload);
  }

  Result<Signed> decode(std::string_view credential) override {
    if (credential.size() < kMacBytes) return fail(Code::Denied, "credential is cut short");
    auto payload = credential.substr(kMacBytes);
    if (!same_secret(mac(payload), credential.substr(0, kMacBytes))) {
      return fail(Code::Denied, "credential was not made with this job's key");
    }
    return Signed{{}, {}, std::string(payload)};
  }

  Result<Signed> verify_signature(std::string_view credential) override {
    return decode(credential);
  }

 private:
  std::string mac(std::string_view payload) const { return keyed_hash(key_, payload); }

  SharedKey key_;
};

}  // namespace

std::unique_ptr<Credentials> shared_key_credentials(const SharedKey& key) {
  return std::make_unique<SharedKeyCredentials>(key);
}

// No credential begins like that: what they sign begins with their protocol's name.
std::string key_for(const SharedKey& key, std::string_view purpose) {
  return keyed_hash(key, "key for " + std::string(purpose));
}

}  // namespace wm::wire
