#include "daemons/wshepherd/rim/node_link.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace wm::shepherd {
namespace {

/// Words beyond this are not read by anybody: the peer hangs.
constexpr std::size_t kMaxWaiting = 4 << 20;

}  // namespace

Result<NodeLink> NodeLink::open(Fd connection, std::string path) {
  WM_TRY(auto listener, proc::listen_unix(path));
  return NodeLink(std::move(connection), std::move(listener), std::move(path));
}

bool NodeLink::accept() {
  Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!fd) return false;
  auto peer = proc::peer_of(fd.get());
  if (!peer || (peer->uid != 0 && peer->uid != ::geteuid())) return false;
  close();
  connection_ = std::move(fd);
  return true;
}

std::vector<launch::ShepherdOrder> NodeLink::take_orders() {
  std::array<char, 65536> part;
  ssize_t n = 0;
  while ((n = ::recv(connection_.get(), part.data(), part.size(), MSG_DONTWAIT)) > 0)
    in_.add({part.data(), static_cast<std::size_t>(n)});
  bool ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
  std::vector<launch::ShepherdOrder> orders;
  while (true) {
    auto piece = in_.next();
    if (piece && !*piece) break;
    auto order = piece ? launch::order_from_bytes((*piece)->payload) : piece.error();
    ended = ended || !order;
    if (!order) break;
    orders.push_back(*std::move(order));
  }
  if (ended) close();
  return orders;
}

void NodeLink::say(const launch::ShepherdWord& word) {
  if (!connection_) return;
  frames::append_frame(out_, launch::to_bytes(word));
  flush();
  if (out_.size() > kMaxWaiting) close();
}

void NodeLink::flush() {
  while (!out_.empty()) {
    auto n = ::send(connection_.get(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return close();
    out_.erase(0, static_cast<std::size_t>(n));
  }
}

void NodeLink::unlisten() {
  if (listener_) ::unlink(path_.c_str());
  listener_.reset();
}

void NodeLink::close() {
  connection_.reset();
  in_.clear();
  out_.clear();
}

}  // namespace wm::shepherd
