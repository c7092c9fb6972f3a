#include "libwm/trainer/groups/store.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "libwm/trainer/groups/proof.h"

namespace wm::groups {
namespace {

constexpr std::size_t kLongest = 1 << 24;
constexpr std::chrono::milliseconds kPoll{1};
constexpr std::ptrdiff_t kStrangers =
    256;  // that have proved nothing yet; one more ends the oldest

std::string number(std::size_t n) {
  auto wire = htonl(static_cast<std::uint32_t>(n));
  return {reinterpret_cast<const char*>(&wire), sizeof wire};
}

std::uint32_t number_at(const std::string& text, std::size_t at) {
  std::uint32_t wire = 0;
  std::memcpy(&wire, text.data() + at, sizeof wire);
  return ntohl(wire);
}

// The block at `at`, which moves behind it; empty: not all there yet.
std::optional<std::string> block(const std::string& text, std::size_t& at, bool& bad) {
  if (text.size() < at + 4) return std::nullopt;
  std::size_t size = number_at(text, at);
  bad = bad || size > kLongest;
  if (bad || text.size() < at + 4 + size) return std::nullopt;
  auto found = text.substr(at + 4, size);
  at += 4 + size;
  return found;
}

sockaddr_in address_of(const std::string& host, int port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, host.c_str(), &at.sin_addr);
  return at;
}

void set_no_delay(int fd) {
  int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool send_all(int fd, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    auto n = ::send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

bool receive_all(int fd, char* out, std::size_t size) {
  for (std::size_t at = 0; at < size;) {
    auto n = ::recv(fd, out + at, size - at, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

std::string interface_address(const std::string& name) {
  ifaddrs* list = nullptr;
  if (name.empty() || ::getifaddrs(&list) != 0) return "";
  std::string found;
  for (auto* at = list; at && found.empty(); at = at->ifa_next) {
    if (!at->ifa_addr || at->ifa_addr->sa_family != AF_INET || name != at->ifa_name) continue;
    char text[INET_ADDRSTRLEN] = {};
    ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(at->ifa_addr)->sin_addr, text,
                sizeof text);
    found = text;
  }
  ::freeifaddrs(list);
  return found;
}

}  // namespace

std::string host_address() {
  if (const char* given = std::getenv("WM_HOST_ADDR"); given && *given) return given;
  const char* interfaces = std::getenv("GLOO_SOCKET_IFNAME");
  if (!interfaces) interfaces = std::getenv("NCCL_SOCKET_IFNAME");
  std::string name = interfaces ? interfaces : "";
  auto found = interface_address(name.substr(0, name.find(',')));
  return found.empty() ? "127.0.0.1" : found;
}

std::unique_ptr<StoreServer> StoreServer::open(const std::string& host) {
  int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return nullptr;
  auto at = address_of(host, 0);
  socklen_t size = sizeof at;
  auto* address = reinterpret_cast<sockaddr*>(&at);
  int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake >= 0 && ::bind(listener, address, size) == 0 && ::listen(listener, 64) == 0 &&
      ::getsockname(listener, address, &size) == 0)
    return std::unique_ptr<StoreServer>(
        new StoreServer(listener, wake, host + ":" + std::to_string(ntohs(at.sin_port))));
  ::close(listener);
  if (wake >= 0) ::close(wake);
  return nullptr;
}

StoreServer::StoreServer(int listener, int wake, std::string address)
    : listener_(listener), wake_(wake), address_(std::move(address)) {
  thread_ = std::thread([this] { serve(); });
}

StoreServer::~StoreServer() {
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(wake_, &one, sizeof one);  // full counter: already awake
  thread_.join();
  for (const auto& visitor : visitors_) ::close(visitor.fd);
  ::close(listener_);
  ::close(wake_);
}

void StoreServer::serve() {
  while (true) {
    std::vector<pollfd> fds{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const auto& visitor : visitors_) fds.push_back({visitor.fd, POLLIN, 0});
    ::poll(fds.data(), fds.size(), -1);
    if (fds[0].revents) return;
    for (std::size_t i = visitors_.size(); i-- > 0;) {
      if (fds[i + 2].revents && !read(visitors_[i])) drop(i);
    }
    if (fds[1].revents) accept();
  }
}

void StoreServer::accept() {
  int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  set_no_delay(fd);
  visitors_.push_back({fd, {}, {}, false});
  auto is_stranger = [](const Visitor& visitor) { return !visitor.is_member; };
  if (std::ranges::count_if(visitors_, is_stranger) <= kStrangers) return;
  auto oldest = std::ranges::find_if(visitors_, is_stranger);
  drop(static_cast<std::size_t>(oldest - visitors_.begin()));
}

void StoreServer::drop(std::size_t at) {
  ::close(visitors_[at].fd);
  visitors_.erase(visitors_.begin() + static_cast<std::ptrdiff_t>(at));
}

void StoreServer::use_key(const std::string& key) {
  std::lock_guard hold(lock_);
  key_ = key;
}

std::string StoreServer::key() const {
  std::lock_guard hold(lock_);
  return key_;
}

// False: the visitor has gone, or talks nonsense.
bool StoreServer::read(Visitor& visitor) {
  std::array<char, 16384> chunk;
  auto n = ::recv(visitor.fd, chunk.data(), chunk.size(), 0);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  visitor.input.append(chunk.data(), static_cast<std::size_t>(n));
  return (visitor.is_member || greet(visitor)) && (!visitor.is_member || answer(visitor));
}

// Handshake of an unauthenticated visitor. False: the proof is wrong, or the exchange failed.
bool StoreServer::greet(Visitor& visitor) {
  auto& input = visitor.input;
  auto key = this->key();
  if (key.size() != kProofBytes) return false;
  if (visitor.expected.empty() && input.size() >= kProofBytes) {
    auto both = input.substr(0, kProofBytes);
    auto own = nonce();
    both += own;
    input.erase(0, kProofBytes);
    visitor.expected = proof_of(key, "client", address_, both);
    if (!send_all(visitor.fd, own + proof_of(key, "server", address_, both))) return false;
  }
  if (visitor.expected.empty() || input.size() < kProofBytes) return true;
  visitor.is_member = fits(std::string_view(input).substr(0, kProofBytes), visitor.expected);
  input.erase(0, kProofBytes);
  return visitor.is_member;
}

// Answers every whole request; a visitor that does not read its answers is dropped.
bool StoreServer::answer(Visitor& visitor) {
  bool bad = false;
  while (!visitor.input.empty()) {
    std::size_t at = 1;
    auto key = block(visitor.input, at, bad);
    auto value = key ? block(visitor.input, at, bad) : std::nullopt;
    if (!value) return !bad;
    if (visitor.input[0] == 'S') values_[*key] = *value;
    visitor.input.erase(0, at);
    auto found = values_.find(*key);
    auto reply =
        found == values_.end() ? number(0) : number(found->second.size() + 1) + found->second;
    if (!send_all(visitor.fd, reply)) return false;
  }
  return true;
}

std::unique_ptr<StoreClient> StoreClient::open(const std::string& address, std::string prefix,
                                               const std::string& key, Clock::time_point deadline,
                                               const std::atomic<bool>& cancelled) {
  auto colon = address.rfind(':');
  if (colon == std::string::npos) return nullptr;
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return nullptr;
  auto left = std::chrono::ceil<std::chrono::seconds>(deadline - Clock::now());
  timeval limit{std::max<time_t>(1, left.count()), 0};  // of connect, too
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  set_no_delay(fd);
  auto at = address_of(address.substr(0, colon), std::atoi(address.c_str() + colon + 1));
  if (::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) {
    ::close(fd);
    return nullptr;
  }
  std::unique_ptr<StoreClient> made(
      new StoreClient(fd, std::move(prefix) + "/", deadline, cancelled));
  return made->prove(address, key) ? std::move(made) : nullptr;
}

bool StoreClient::prove(const std::string& address, const std::string& key) {
  auto own = nonce();
  std::string theirs(kProofBytes, '\0'), shown(kProofBytes, '\0');
  if (key.size() != kProofBytes || !send_all(fd_, own) ||
      !receive_all(fd_, theirs.data(), theirs.size()) ||
      !receive_all(fd_, shown.data(), shown.size()))
    return false;
  return fits(shown, proof_of(key, "server", address, own + theirs)) &&
         send_all(fd_, proof_of(key, "client", address, own + theirs));
}

StoreClient::~StoreClient() { ::close(fd_); }

bool StoreClient::ask(char operation, const std::string& key, const std::string& value,
                      std::optional<std::string>& found) {
  auto full = prefix_ + key;
  if (!send_all(fd_, operation + number(full.size()) + full + number(value.size()) + value))
    return false;
  std::string head(4, '\0');
  if (!receive_all(fd_, head.data(), head.size())) return false;
  std::size_t size = number_at(head, 0);
  if (size > kLongest) return false;
  found.reset();
  if (size == 0) return true;
  std::string answer(size - 1, '\0');
  if (!receive_all(fd_, answer.data(), answer.size())) return false;
  found = std::move(answer);
  return true;
}

bool StoreClient::set(const std::string& key, const std::string& value) {
  std::optional<std::string> found;
  return ask('S', key, value, found);
}

std::optional<std::string> StoreClient::get(const std::string& key) {
  std::optional<std::string> found;
  while (ask('G', key, "", found)) {
    if (found) return found;
    if (cancelled_ || Clock::now() >= deadline_) return std::nullopt;
    std::this_thread::sleep_for(kPoll);
  }
  return std::nullopt;
}

}  // namespace wm::groups
