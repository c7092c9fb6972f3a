#include "daemons/wagent/output/host_output.h"

#include <boost/asio/post.hpp>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::wagent {
namespace {

/// The agent of another host that has not called by then never will: its part was not started.
constexpr std::chrono::seconds kOthersPatience{20};

}  // namespace

HostOutput::HostOutput(boost::asio::io_context& loop, wire::Transport& transport,
                       wire::LinkOptions by_key, const Settings& settings,
                       const OutputSettings& output)
    : loop_(loop),
      here_(settings.host),
      output_(output),
      desk_(loop, output),
      sender_(loop, transport, std::move(by_key), settings.host),
      reception_(loop, [this](Fd caller) { return hear(std::move(caller)); }) {}

Result<void> HostOutput::start() {
  return output_.socket.empty() ? Result<void>{} : reception_.listen(output_.socket);
}

void HostOutput::on_order(const AgentOrder& order) {
  if (output_.socket.empty() || order.agents.empty()) return;
  first_ = order.agents.front();
  if (first_->host == here_) desk_.expect(static_cast<std::uint32_t>(order.agents.size() - 1));
  dial();
}

/// The link is there before the first word: the master may be away when that comes.
void HostOutput::dial() {
  if (first_ && first_->host != here_) sender_.found(first_->name, first_->launch);
}

void HostOutput::admit(std::unique_ptr<wire::Link> link, const wire::Frame& first) {
  auto words = codec::decode<RankWords>(first.payload);
  auto* hello = words ? std::get_if<RankHello>(&*words) : nullptr;
  if (hello == nullptr || output_.socket.empty()) return link->close();
  desk_.admit(std::move(link), *hello);
}

Reception::OnLoop HostOutput::hear(Fd caller) {
  auto fd = std::make_shared<Fd>(std::move(caller));
  auto arrival = std::make_shared<Result<proc::RankArrival>>(proc::receive_rank_call(fd->get()));
  return [this, fd, arrival] { serve(fd->get(), std::move(*arrival)); };
}

void HostOutput::serve(int fd, Result<proc::RankArrival> arrival) {
  bool streams = arrival && arrival->out && arrival->err;
  if (!streams) return log::warn("output_refused");
  sender_.serve(arrival->call.task, {false, {}, std::move(arrival->out), std::move(arrival->err)},
                std::move(arrival->hold));
  dial();                                // again, where the link was lost
  (void)proc::answer_rank_call(fd, {});  // one that is gone needs none
}

void HostOutput::end(std::function<void()> on_idle) {
  if (output_.socket.empty()) return boost::asio::post(loop_, std::move(on_idle));
  sender_.end([this, on_idle = std::move(on_idle)]() mutable {
    desk_.end(std::move(on_idle), kOthersPatience);
  });
}

}  // namespace wm::wagent
