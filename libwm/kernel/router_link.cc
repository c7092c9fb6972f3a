#include "libwm/kernel/router_link.h"

#include <poll.h>
#include <sodium.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "libwm/base/backoff.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/wire/shared_key.h"

namespace wm::kernel {
namespace {

using namespace std::chrono_literals;
constexpr Duration kFirstPause = 50ms, kLongestPause = 500ms;
constexpr Duration kBetweenLooks = 500ms;  // at where the router is
constexpr std::size_t kLongestFrame = 64 << 20;

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<client::ConnectionOptions> options_for(const std::string& folder, std::string place) {
  client::ConnectionOptions options;
  auto key = contents(folder + "/key");
  wire::SharedKey shared{};
  if (key.size() != shared.size()) return fail(Code::NotFound, folder + ": no service's folder");
  if (place.empty()) return fail(Code::Unavailable, folder + ": no router yet");
  std::memcpy(shared.data(), key.data(), key.size());
  if (place.back() == '\n') place.pop_back();
  WM_TRY(options.to, wire::parse_endpoint(place));
  options.session.role = wire::Role::Client;
  options.session.method = wire::Method::SharedKey;
  options.session.peers = {{wire::Role::Agent, std::nullopt}};
  options.session.frame_limit = kLongestFrame;
  options.credentials = wire::shared_key_credentials(shared);
  options.hello_timeout = 2s;
  options.request_timeout = 10s;
  options.retry.give_up_after = Duration::zero();
  return options;
}

// As the cluster calls it.
std::string own_host() {
  if (const char* told = std::getenv("HOSTNAME"); told != nullptr && *told != '\0') return told;
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Its number in the service's group of kernels; empty: it is no task.
std::string own_task() {
  const char* told = std::getenv("WM_TASK");
  return told == nullptr ? "" : told;
}

constexpr std::uint16_t type_of(serve::Word word) { return static_cast<std::uint16_t>(word); }

}  // namespace

Result<std::unique_ptr<RouterLink>> RouterLink::make(const Place& place, const std::string& router,
                                                     Inbox& inbox) {
  if (::sodium_init() < 0) return fail(Code::System, "libsodium does not start");
  int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) return fail(Code::System, std::string("eventfd: ") + std::strerror(errno));
  return std::unique_ptr<RouterLink>(new RouterLink(place, router, inbox, wake));
}

RouterLink::RouterLink(Place place, std::string router, Inbox& inbox, int wake)
    : place_(std::move(place)), router_(std::move(router)), inbox_(inbox), wake_(wake) {}

void RouterLink::start() {
  thread_ = std::thread([this] { run(); });
}

RouterLink::~RouterLink() {
  closing_ = true;
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(wake_, &one, sizeof one);
  if (thread_.joinable()) thread_.join();
  ::close(wake_);
}

Result<void> RouterLink::connect() {
  auto place = contents(place_.folder + "/" + router_);
  WM_TRY(auto options, options_for(place_.folder, place));
  client::Connection connection(std::move(options));
  auto hello = serve::to_bytes(
      serve::KernelHello{serve::instance_of(place_.instance, own_task()), own_host(), ::getpid()});
  WM_TRY(auto frame, connection.call(type_of(serve::Word::Hello), hello));
  if (frame.type != type_of(serve::Word::Welcome))
    return fail(Code::Damaged, "the router does not welcome this kernel");
  WM_TRY(auto welcome, serve::read_welcome(frame.payload));
  workers_ = welcome.workers;
  inbox_.connected(true);
  std::lock_guard hold(io_);
  connection_.emplace(std::move(connection));
  router_place_ = std::move(place);
  looked_ = steady_now();
  ++number_;
  return {};
}

Result<void> RouterLink::connect_patiently() {
  Backoff tries(kFirstPause, kLongestPause, random_number());
  for (auto end = steady_now() + place_.patience;;) {
    auto connected = connect();
    if (connected || closing_ || leave_ || steady_now() > end) return connected;
    tries.sleep();
  }
}

void RouterLink::run() {
  while (!closing_) {
    if (connection_ && leave_ && !told_leaving_) tell_leaving();
    if (connection_ && read_all() && !router_has_moved()) {
      wait_for_bytes();
      continue;
    }
    drop_connection();
    // While another router is there this one is waited for: it comes again.
    bool back = false;
    do back = !leave_ && !closing_ && connect_patiently();
    while (!back && !leave_ && !closing_ && inbox_.any_connected());
    if (back) continue;
    if (!std::exchange(left_, true)) inbox_.end(!leave_);
    return;
  }
}

// One on a host that is cut off does not hang up: its successor has written where it is.
bool RouterLink::router_has_moved() {
  auto now = steady_now();
  if (now - looked_ < kBetweenLooks) return false;
  looked_ = now;
  auto place = contents(place_.folder + "/" + router_);
  return !place.empty() && place != router_place_;
}

// What came by it is no longer ours to do.
void RouterLink::drop_connection() {
  bool was_there = false;
  {
    std::lock_guard hold(io_);
    was_there = connection_.has_value();
    connection_.reset();
  }
  if (was_there) inbox_.connected(false);
  inbox_.drop(this);
}

// False: the connection has ended.
bool RouterLink::read_all() {
  std::lock_guard hold(io_);
  for (;;) {
    auto frame = connection_->next(Duration::zero());
    if (frame) take(std::move(*frame));
    else return frame.error().code == Code::Timeout;
  }
}

// The router has given us up. A thread may never come back from the batch it has: the process
// ends, and is started anew.
void RouterLink::end(const std::string& why) {
  auto line = "the router cuts this kernel off: " + why + "\n";
  [[maybe_unused]] auto n = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(1);
}

void RouterLink::take(wire::Frame frame) {
  if (frame.type == type_of(serve::Word::Leaving) && !frame.payload.empty()) end(frame.payload);
  if (frame.type == type_of(serve::Word::Leaving)) {  // it has heard that we leave
    if (!std::exchange(left_, true)) inbox_.end(false);
    return;
  }
  auto batch = serve::read_batch(frame.payload);
  if (frame.type != type_of(serve::Word::Batch) || !batch) return;
  inbox_.put({this, number_, std::move(*batch), {}});
}

void RouterLink::wait_for_bytes() {
  pollfd wanted[2] = {{wake_, POLLIN, 0}, {-1, POLLIN, 0}};
  {
    std::lock_guard hold(io_);
    if (connection_) wanted[1].fd = connection_->descriptor();
  }
  ::poll(wanted, 2, static_cast<int>(kBetweenLooks / 1ms));
  std::uint64_t count = 0;
  [[maybe_unused]] auto n = ::read(wake_, &count, sizeof count);
}

void RouterLink::tell_leaving() {
  std::lock_guard hold(io_);
  told_leaving_ = true;
  (void)connection_->send(type_of(serve::Word::Leaving), "");  // a lost connection shows by itself
}

void RouterLink::say(std::uint64_t connection, const serve::Answers& answers) {
  auto bytes = serve::to_bytes(answers);
  std::lock_guard hold(io_);
  if (!connection_ || number_ != connection) return;
  (void)connection_->send(type_of(serve::Word::Answers), std::move(bytes));
}

void RouterLink::leave() {
  leave_ = true;
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(wake_, &one, sizeof one);
}

}  // namespace wm::kernel
