#include "libwm/wire/local_door.h"

#include "libwm/base/log.h"

namespace wm::wire {
namespace {

constexpr std::chrono::milliseconds kPause{100};

}  // namespace

LocalDoor::LocalDoor(boost::asio::io_context& loop, OnSocket on_socket)
    : on_socket_(std::move(on_socket)), acceptor_(loop), pause_(loop) {}

void LocalDoor::open(int listening_fd) {
  acceptor_.assign(boost::asio::local::stream_protocol(), listening_fd);
  accept();
}

void LocalDoor::accept() {
  acceptor_.async_accept([this](const boost::system::error_code& error, Socket socket) {
    if (error == boost::asio::error::operation_aborted) return;
    if (error) return accept_later(error);
    on_socket_(std::move(socket));
    accept();
  });
}

void LocalDoor::accept_later(const boost::system::error_code& error) {
  log::warn("accept_failed", {{"reason", error.message()}, {"again_in_ms", kPause.count()}});
  pause_.expires_after(kPause);
  pause_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) accept();
  });
}

}  // namespace wm::wire
