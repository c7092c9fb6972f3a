#include "daemons/wagent/reception.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <memory>

namespace wm::wagent {
namespace {

/// One that calls has its words ready.
constexpr timeval kCallPatience{2, 0};

}  // namespace

Reception::Reception(boost::asio::io_context& loop, Hear hear)
    : loop_(loop),
      hear_(std::move(hear)),
      door_(loop, [this](auto socket) { admit(std::move(socket)); }) {}

Reception::~Reception() {
  if (!path_.empty()) ::unlink(path_.c_str());
  if (thread_) thread_->join();
}

Result<void> Reception::listen(const std::string& path) {
  if (is_open()) return {};
  WM_TRY(auto fd, proc::listen_unix(path));
  path_ = path;
  thread_.emplace(1);
  door_.open(fd.release());
  return {};
}

void Reception::admit(wire::LocalDoor::Socket socket) {
  auto caller = std::make_shared<Fd>(socket.release());
  ++hearing_;
  boost::asio::post(*thread_, [this, caller] {
    int fd = caller->get();
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kCallPatience, sizeof kCallPatience);
    boost::asio::post(loop_, [this, act = hear_(std::move(*caller))] {
      --hearing_;
      act();
    });
  });
}

}  // namespace wm::wagent
