// Role: what a session costs. Prints `name value unit` lines.
//   hello_ms      connect, hello and one small request and reply of a fresh client (median)
//   frames_per_s  small requests on one open session, pipelined 64 deep
// Identity by a munged of our own; where it is not installed by a service in memory, and said.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "libwm/client/connection.h"
#include "libwm/wire/munge.h"
#include "test/support/fake_munge.h"
#include "test/support/private_munged.h"
#include "test/support/session_pair.h"
#include "test/support/threaded_server.h"

namespace wm {
namespace {

constexpr int kHellos = 300;
constexpr int kFrames = 200'000;
constexpr int kDepth = 64;
constexpr std::uint16_t kRequest = 20;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

double median_hello_ms(const client::ConnectionOptions& options) {
  std::vector<double> times;
  for (int i = 0; i < kHellos; ++i) {
    auto began = Clock::now();
    WM_CHECK(client::Connection(options).call(kRequest, "ping").has_value());
    times.push_back(seconds_since(began) * 1e3);
  }
  std::nth_element(times.begin(), times.begin() + kHellos / 2, times.end());
  return times[kHellos / 2];
}

double frames_per_s(const client::ConnectionOptions& options) {
  client::Connection connection(options);
  std::string request(200, 'r');
  WM_CHECK(connection.call(kRequest, request).has_value());
  auto began = Clock::now();
  for (int sent = 0, got = 0; got < kFrames;) {
    for (; sent < kFrames && sent - got < kDepth; ++sent) {
      WM_CHECK(connection.send(kRequest, request).has_value());
    }
    WM_CHECK(connection.next(std::chrono::seconds(10)).has_value());
    ++got;
  }
  return kFrames / seconds_since(began);
}

void run(const std::shared_ptr<wire::Credentials>& credentials, std::uint32_t uid) {
  wire::ListenOptions listening;
  listening.link.session = test::master_options(0);
  listening.link.credentials = credentials;
  test::ThreadedServer server(listening, [](wire::Link& link, wire::Frame frame) {
    WM_CHECK(link.send(frame.type, std::move(frame.payload)).has_value());
  });
  client::ConnectionOptions options;
  options.to = server.endpoint();
  options.session = test::client_options(uid);
  options.credentials = credentials;
  std::printf("hello_ms %.3f ms\n", median_hello_ms(options));
  std::printf("frames_per_s %.0f 1/s\n", frames_per_s(options));
}

}  // namespace
}  // namespace wm

int main() {
  wm::test::PrivateMunged munged;
  if (munged.missing().empty()) {
    wm::run(wm::wire::munge_credentials(munged.socket()), ::getuid());
  } else {
    std::fprintf(stderr, "wire_bench: %s: identity in memory\n", munged.missing().c_str());
    wm::run(wm::test::FakeMunge::make()->as(::getuid()), ::getuid());
  }
}
