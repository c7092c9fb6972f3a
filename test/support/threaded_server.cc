#include "test/support/threaded_server.h"

namespace wm::test {

ThreadedServer::ThreadedServer(wire::ListenOptions options, Answer answer, std::uint16_t port)
    : ThreadedServer(std::move(options), std::move(answer), wire::Endpoint{"127.0.0.1", port, {}}) {
}

ThreadedServer::ThreadedServer(wire::ListenOptions options, Answer answer, const wire::Endpoint& at)
    : answer_(std::move(answer)) {
  auto made = wires_.listen(at, std::move(options), [this](auto link) { take(std::move(link)); });
  WM_CHECK(made.has_value());
  listener_ = std::move(*made);
  endpoint_ = listener_->endpoint();
  thread_ = std::thread([this] { loop_.run(); });
}

ThreadedServer::~ThreadedServer() {
  loop_.stop();
  thread_.join();
}

void ThreadedServer::take(std::unique_ptr<wire::Link> link) {
  auto& kept = *links_.emplace_back(std::move(link));
  kept.start([this, &kept](wire::Frame frame) { answer_(kept, std::move(frame)); },
             [](const Error&) {});
}

}  // namespace wm::test
