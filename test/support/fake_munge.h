// Role: an identity service in memory, with MUNGE's rules: credentials are forgery-proof (keyed
// BLAKE2b), can be decoded once per service, and a restarted service forgets which were used.
// Several services with one key are several hosts of one cluster.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "libwm/wire/credentials.h"

namespace wm::test {

/// One host's service. @thread any
class FakeMunge : public std::enable_shared_from_this<FakeMunge> {
 public:
  /// @shape key: any text; equal keys make one cluster
  static std::shared_ptr<FakeMunge> make(std::string key = "cluster key");

  /// The service as a process of user `uid` (gid alike) sees it.
  std::shared_ptr<wire::Credentials> as(std::uint32_t uid);

  /// A restart: replays of what was decoded before are not noticed any more.
  void restart();

  /// From now on every call fails with Unavailable, as when the daemon is down.
  void stop();

 private:
  friend class FakeCredentials;
  explicit FakeMunge(std::string key) : key_(std::move(key)) {}
  std::string mac(std::string_view text) const;
  std::string sign(std::uint32_t uid, std::string_view payload);
  Result<wire::Signed> check(std::string_view credential, bool once);

  std::mutex mutex_;
  std::string key_;
  std::set<std::string, std::less<>> used_;
  std::uint32_t serial_ = 0;
  bool stopped_ = false;
};

}  // namespace wm::test
