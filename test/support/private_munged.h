// Role: a real munged of our own (own key, own socket, below a temporary directory), where the
// program is installed. Tests skip with its reason where it is not.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace wm::test {

/// A munged that runs while this object lives.
class PrivateMunged {
 public:
  PrivateMunged();
  ~PrivateMunged();
  PrivateMunged(const PrivateMunged&) = delete;
  PrivateMunged& operator=(const PrivateMunged&) = delete;

  /// Why there is none; empty when it answers.
  const std::string& missing() const { return missing_; }
  std::string socket() const { return dir_ + "/munge.sock"; }

  /// Stops it and starts it anew with the same key: it forgets which credentials were used.
  /// `more`: NAME=VALUE for its environment.
  void restart(const std::vector<std::string>& more = {});
  /// Stops it: callers hear nothing.
  void stop();

 private:
  void start(const std::vector<std::string>& more = {});

  std::string dir_;
  std::string missing_;
  pid_t pid_ = -1;
};

}  // namespace wm::test
