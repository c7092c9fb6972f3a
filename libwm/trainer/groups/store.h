// Role: the small key-value store through which the members of an epoch find each other: served
// by every worker for its own epochs as rank 0, used by the members while they connect, then let
// go. The bytes are those of the Python trainer's store.
//
//   first     each side proves that it is a worker of this job (proof.h)
//   request   op (1 byte: S or G), length of key, key, length of value, value
//   reply     length of value + 1 and value; length 0: not there       lengths: 4 bytes, big-endian
//
// Invariants: the server waits for nobody, and takes no request of who has not proved himself; a
// client's every wait ends by its limit or when `cancelled` says so.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace wm::groups {

/// The numeric IPv4 address that members reach this worker at: $WM_HOST_ADDR, else that of the
/// interface $GLOO_SOCKET_IFNAME, else of $NCCL_SOCKET_IFNAME, else loopback's.
std::string host_address();

/// Why StoreClient::open() fails, behind the server's name.
inline constexpr const char* kNoMember = " does not answer, or does not hold the key of this job";

/// Serves one store on a port of the system's. Neither copied nor moved.
/// @owns a thread, a listening socket
class StoreServer {
 public:
  /// Null when `host` cannot be bound. @param host numeric IPv4 address
  static std::unique_ptr<StoreServer> open(const std::string& host);
  ~StoreServer();

  const std::string& address() const { return address_; }  ///< "host:port"
  /// The key of this job's workers. Before it is known nobody is let in. @thread any
  void use_key(const std::string& key);
  /// Empty: not known yet. @thread any
  std::string key() const;

 private:
  struct Visitor {
    int fd = -1;
    std::string input;
    std::string expected;    ///< the proof; empty: its nonce has not come yet
    bool is_member = false;  ///< has proved it
  };
  StoreServer(int listener, int wake, std::string address);
  void serve();
  bool read(Visitor& visitor);
  bool greet(Visitor& visitor);
  bool answer(Visitor& visitor);
  void accept();
  void drop(std::size_t at);

  const int listener_, wake_;
  const std::string address_;
  std::vector<Visitor> visitors_;
  std::map<std::string, std::string> values_;
  mutable std::mutex lock_;
  std::string key_;  // under lock_
  std::thread thread_;
};

/// A visitor's end: keys lie below `prefix`. @thread one at a time
class StoreClient {
 public:
  using Clock = std::chrono::steady_clock;

  /// Null when the server does not answer, or does not hold `key`. @units deadline: monotonic
  static std::unique_ptr<StoreClient> open(const std::string& address, std::string prefix,
                                           const std::string& key, Clock::time_point deadline,
                                           const std::atomic<bool>& cancelled);
  ~StoreClient();

  /// @errors false: the server is gone
  [[nodiscard]] bool set(const std::string& key, const std::string& value);
  /// Waits until `key` is there. @errors empty: server gone, deadline past or cancelled
  std::optional<std::string> get(const std::string& key);

 private:
  StoreClient(int fd, std::string prefix, Clock::time_point deadline,
              const std::atomic<bool>& cancelled)
      : fd_(fd), prefix_(std::move(prefix)), deadline_(deadline), cancelled_(cancelled) {}
  // False: the server is gone, or is no worker of this job.
  bool prove(const std::string& address, const std::string& key);
  // False: the server is gone. `found` empty: no such key.
  bool ask(char operation, const std::string& key, const std::string& value,
           std::optional<std::string>& found);

  const int fd_;
  const std::string prefix_;
  const Clock::time_point deadline_;
  const std::atomic<bool>& cancelled_;
};

}  // namespace wm::groups
