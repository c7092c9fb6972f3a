#include "test/support/fake_munge.h"

#include "libwm/base/hash.h"

namespace wm::test {

namespace {

constexpr std::string_view kMark = "FAKE:";
constexpr std::size_t kMacBytes = 32;

Error down() { return fail(Code::Unavailable, "fake munged is stopped"); }

}  // namespace

class FakeCredentials final : public wire::Credentials {
 public:
  FakeCredentials(std::shared_ptr<FakeMunge> munge, std::uint32_t uid)
      : munge_(std::move(munge)), uid_(uid) {}

  Result<std::string> encode(std::string_view payload, Duration) override {
    std::scoped_lock lock(munge_->mutex_);
    if (munge_->stopped_) return down();
    return munge_->sign(uid_, payload);
  }
  Result<wire::Signed> decode(std::string_view credential) override {
    std::scoped_lock lock(munge_->mutex_);
    return munge_->check(credential, true);
  }
  Result<wire::Signed> verify_signature(std::string_view credential) override {
    std::scoped_lock lock(munge_->mutex_);
    return munge_->check(credential, false);
  }

 private:
  std::shared_ptr<FakeMunge> munge_;
  std::uint32_t uid_;
};

std::shared_ptr<FakeMunge> FakeMunge::make(std::string key) {
  return std::shared_ptr<FakeMunge>(new FakeMunge(std::move(key)));
}

std::shared_ptr<wire::Credentials> FakeMunge::as(std::uint32_t uid) {
  return std::make_shared<FakeCredentials>(shared_from_this(), uid);
}

void FakeMunge::restart() {
  std::scoped_lock lock(mutex_);
  used_.clear();
}

void FakeMunge::stop() {
  std::scoped_lock lock(mutex_);
  stopped_ = true;
}

std::string FakeMunge::mac(std::string_view text) const {
  return Hasher(kMacBytes, key_).add(text).finish();
}

// FAKE: ‖ mac ‖ "serial uid:" ‖ payload
std::string FakeMunge::sign(std::uint32_t uid, std::string_view payload) {
  auto body = std::to_string(++serial_) + " " + std::to_string(uid) + ":" + std::string(payload);
  return std::string(kMark) + mac(body) + body;
}

Result<wire::Signed> FakeMunge::check(std::string_view credential, bool once) {
  if (stopped_) return down();
  bool whole = credential.size() > kMark.size() + kMacBytes && credential.starts_with(kMark);
  if (!whole) return fail(Code::Denied, "not a credential");
  auto body = credential.substr(kMark.size() + kMacBytes);
  if (mac(body) != credential.substr(kMark.size(), kMacBytes)) {
    return fail(Code::Denied, "forged credential");
  }
  if (once && !used_.emplace(credential).second) return fail(Code::Denied, "replayed credential");
  auto blank = body.find(' '), colon = body.find(':');
  auto uid = static_cast<std::uint32_t>(std::stoul(std::string(body.substr(blank, colon - blank))));
  return wire::Signed{uid, uid, std::string(body.substr(colon + 1))};
}

}  // namespace wm::test
