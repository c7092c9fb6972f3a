#include "daemons/wagent/launch/visit.h"

#include <fcntl.h>

#include "libwm/wire/address.h"

namespace wm::wagent {
namespace {

bool is_of_this_host(const wire::Endpoint& to) {
  return to.is_local() || to.host == "127.0.0.1" || to.host == "::1";
}

}  // namespace

Visit::Visit(boost::asio::io_context& loop, Say say)
    : loop_(loop), say_(std::move(say)), socket_(loop) {}

Visit::~Visit() {
  if (streams_) streams_->close();
}

Result<std::unique_ptr<Visit>> Visit::start(boost::asio::io_context& loop, const LaunchConnect& to,
                                            Say say) {
  WM_TRY(auto endpoint, wire::parse_endpoint(to.address));
  if (!is_of_this_host(endpoint))
    return fail(Code::BadArgument, to.address + ": a socket of this host is wanted");
  WM_TRY(auto address, wire::numeric_address(endpoint));
  std::unique_ptr<Visit> visit(new Visit(loop, std::move(say)));
  visit->socket_.async_connect(address, [self = std::weak_ptr(visit->self_)](const auto& error) {
    if (auto at = self.lock()) (*at)->on_connected(error);
  });
  return visit;
}

void Visit::on_connected(const boost::system::error_code& error) {
  if (error)
    return say_(LaunchEnded{0, true, "the application does not answer: " + error.message()});
  proc::ConsoleEnds ends;
  ends.out = Fd(socket_.release());
  int fd = ends.out.get();
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  ends.in = Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  streams_ = std::make_shared<StreamSet>(loop_, std::move(ends));
  say_(LaunchUp{});
  streams_->serve({[this](std::uint32_t stream, std::string bytes) {
                     say_(LaunchOutput{stream, std::move(bytes)});
                   },
                   [this](std::uint64_t bytes) { say_(LaunchTaken{bytes}); },
                   [this] { say_(LaunchEnded{}); }});
  for (const auto& bytes : early_) streams_->write(bytes);
  early_.clear();
}

void Visit::on(const ToLaunch& words) {
  auto* input = std::get_if<LaunchInput>(&words);
  if (input != nullptr && !streams_) early_.push_back(input->bytes);
  else if (input != nullptr) streams_->write(input->bytes);
  auto* taken = std::get_if<LaunchTaken>(&words);
  if (taken != nullptr && streams_) streams_->taken(taken->bytes);
}

}  // namespace wm::wagent
