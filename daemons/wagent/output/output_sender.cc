#include "daemons/wagent/output/output_sender.h"

#include <boost/asio/post.hpp>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::wagent {

OutputSender::OutputSender(boost::asio::io_context& loop, wire::Transport& transport,
                           wire::LinkOptions by_key, HostId here)
    : loop_(loop), transport_(transport), by_key_(std::move(by_key)), here_(here) {}

OutputSender::~OutputSender() {
  for (auto& [task, source] : sources_) source.streams->close();
}

void OutputSender::found(const std::string& host, const std::string& address) {
  bool another =
      first_ && (first_->target().host != host || (!address_.empty() && address != address_));
  if (another && !address.empty() && sources_.empty()) first_.reset();
  if (!first_) {
    Relay::Handlers handlers{[this](const wire::Frame& frame) { hear(frame); },
                             [this](const std::string& why) {
                               boost::asio::post(loop_, [this, why] { cut_off(why); });
                             }};
    first_ =
        std::make_unique<Relay>(loop_, transport_, Relay::Target{host, ""}, std::move(handlers));
    address_.clear();
    first_->send({kRankWords, codec::encode(RankWords{RankHello{here_.value}})});
    for (const auto& frame : std::exchange(early_, {})) first_->send(frame);
  }
  if (first_->target().host != host || address.empty()) return;
  address_ = address;
  first_->found(address, by_key_);
}

void OutputSender::serve(TaskNumber task, proc::ConsoleEnds ends, Fd hold) {
  auto number = task.value;
  auto [at, fresh] = sources_.try_emplace(number);
  if (!fresh) return;
  auto& source = at->second;
  source.streams = std::make_shared<StreamSet>(loop_, std::move(ends));
  source.hold = std::move(hold);
  source.streams->serve({[this, number](std::uint32_t stream, std::string bytes) {
                           send(RankOutput{number, stream, std::move(bytes)});
                         },
                         [](std::uint64_t) {}, [this, number] { send(RankSilent{number}); }});
}

void OutputSender::send(const RankWords& words) {
  wire::Frame frame{kRankWords, codec::encode(words)};
  if (first_) first_->send(frame);
  else early_.push_back(std::move(frame));
}

void OutputSender::hear(const wire::Frame& frame) {
  auto words = codec::decode<RankWords>(frame.payload);
  auto* taken = words ? std::get_if<RankTaken>(&*words) : nullptr;
  auto at = taken != nullptr ? sources_.find(taken->rank) : sources_.end();
  if (at == sources_.end()) return;
  if (taken->bytes > 0) return at->second.streams->taken(taken->bytes);
  at->second.streams->close();
  sources_.erase(at);  // with `hold`
  look();
}

void OutputSender::cut_off(const std::string& why) {
  log::info("output_cut_off", {{"why", why}});
  first_.reset();
  address_.clear();
  early_.clear();
  for (auto& [task, source] : sources_) source.streams->close();
  sources_.clear();
  look();
}

void OutputSender::end(std::function<void()> on_idle) {
  on_idle_ = std::move(on_idle);
  look();
}

void OutputSender::look() {
  if (on_idle_ && sources_.empty()) boost::asio::post(loop_, std::exchange(on_idle_, nullptr));
}

}  // namespace wm::wagent
