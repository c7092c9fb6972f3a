// A lost connection is nothing special: the next one starts with everything that is still true.
#include "daemons/wagent/node_port.h"

#include "daemons/wagent/frames.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::wagent {
namespace {

constexpr std::chrono::milliseconds kFirstPause{100}, kLongestPause{1000};

}  // namespace

NodePort::NodePort(boost::asio::io_context& loop, std::string path, Handlers handlers)
    : loop_(loop),
      timer_(loop),
      tries_(kFirstPause, kLongestPause, random_number()),
      dialling_(loop),
      path_(std::move(path)),
      handlers_(std::move(handlers)) {}

void NodePort::connect() {
  dialling_ = boost::asio::local::stream_protocol::socket(loop_);
  dialling_.async_connect({path_}, [this](const auto& error) {
    if (error) return retry();
    tries_.reset();
    ++connections_;
    stream_ = std::make_unique<frames::Stream>(std::move(dialling_), kLocalLimits);
    stream_->start(
        [this](const std::string& payload) {
          auto words = codec::decode<NodeToAgent>(payload);
          if (words) return handlers_.on_words(*words);
          log::warn("node_words_damaged", {{"reason", words.error().text}});
        },
        [this] {
          log::info("node_lost");
          stream_.reset();
          retry();
        });
    log::info("node_found");
    handlers_.on_up();
  });
}

void NodePort::retry() {
  timer_.expires_after(tries_.next());
  timer_.async_wait([this](const auto& error) {
    if (!error) connect();
  });
}

bool NodePort::send(const AgentReport& report) {
  if (stream_) stream_->send(codec::encode(report));
  return stream_ != nullptr;
}

}  // namespace wm::wagent
