// Role: who logs people on and knows their wuserd: in a private cluster we ourselves, by the
// cluster's key; else wlogind, which is root.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daemons/wgatewayd/accounts.h"
#include "daemons/wgatewayd/agents.h"
#include "libwm/client/door_record.h"
#include "libwm/login/login_words.h"
#include "libwm/login/token.h"

namespace wm::gateway {

/// See the head of this file. @thread any
class Doorman {
 public:
  virtual ~Doorman() = default;
  /// A token. `repeated`: it is asked for with each request. @errors Denied, Limit, Unavailable
  virtual Result<std::string> log_on(const rest::Login& login, const std::string& address,
                                     bool repeated) = 0;
  /// A token of the same user's that asks inference services and nothing else, and ends with the
  /// one given. @errors Denied: the token is not good, or holds no inference; Limit; Unavailable
  virtual Result<std::string> service_token(const rest::Claims& claims,
                                            const std::string& token) = 0;
  /// The socket of the wuserd of whom the token, which is valid, speaks for. @errors Denied, System
  virtual Result<std::string> agent_of(const rest::Claims& claims, const std::string& token) = 0;
  /// The socket of a user's wuserd that runs already, for those whom he shares with.
  /// @errors Denied: none runs
  virtual Result<std::string> running_agent(const std::string& user) = 0;
  /// What tokens are verified by, now.
  virtual std::vector<rest::TokenPublicKey> keys() = 0;
};

/// What a private cluster is of.
struct PrivateCluster {
  std::string cluster, user, api_key;
  std::uint32_t uid = 0;
  std::string key_folder;  ///< of the keys of tokens
  std::vector<std::string> agent_command;
  std::string agent_socket;
};
/// One user, whose wuserd we start; log-ons are told to `record`, which lives as long.
/// @errors as http::own_token_keys
Result<std::unique_ptr<Doorman>> private_doorman(PrivateCluster cluster,
                                                 client::DoorRecord& record);

/// Asks the wlogind of `folder`, which listens at login.sock there.
/// @errors as http::read_public_keys
Result<std::unique_ptr<Doorman>> login_doorman(const std::string& folder);

}  // namespace wm::gateway
