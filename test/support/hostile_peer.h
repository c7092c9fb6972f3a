// Role: one end of a unix socket that means ill or is ill, on a thread of its own: for suites of
// daemons and of their clients, which have to go on with everybody else. Stopped and joined when
// destroyed.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <list>
#include <string>
#include <thread>

#include "libwm/files/fd.h"
#include "libwm/frames/cutter.h"
#include "libwm/proc/channel.h"

namespace wm::test {

/// What is wrong with it.
enum class Manner {
  Stopped,   ///< it is there, and neither reads nor says anything
  Silent,    ///< it reads all and says nothing
  Cutting,   ///< it closes at the first byte that it reads, or at once where it speaks first
  Slow,      ///< it says a byte of what could be words at a time, and is never done
  Lying,     ///< it says words that are none
  Huge,      ///< it announces a frame of 4 GiB and goes on with it
  Flooding,  ///< it writes without end and reads nothing
};

/// All of them.
inline constexpr std::array kManners = {Manner::Stopped, Manner::Silent, Manner::Cutting,
                                        Manner::Slow,    Manner::Lying,  Manner::Huge,
                                        Manner::Flooding};

/// See above. @owns the socket and the thread   @thread one
class HostilePeer {
 public:
  /// A daemon for clients under test, each connection of which is so; a client of a daemon under
  /// test.
  enum class End { Listens, Connects };
  HostilePeer(End end, const std::string& path, Manner manner)
      : fd_(open(end, path)), manner_(manner), listens_(end == End::Listens) {
    thread_ = std::thread([this] { run(); });
  }
  HostilePeer(const HostilePeer&) = delete;
  ~HostilePeer() {
    over_ = true;
    thread_.join();
  }

 private:
  static Fd open(End end, const std::string& path) {
    auto fd = end == End::Listens ? proc::listen_unix(path) : proc::connect_unix(path);
    EXPECT_TRUE(fd) << path;
    return fd ? std::move(*fd) : Fd();
  }

  static constexpr int kTurn = 5;  // ms: how soon it hears that it is over

  void run() {
    std::list<Fd> connections;
    if (!listens_) connections.push_back(std::move(fd_));
    for (std::size_t turn = 0; !over_; ++turn) {
      if (listens_ && manner_ != Manner::Stopped) accept(connections);
      std::erase_if(connections, [&](Fd& one) { return !goes_on(one.get(), turn); });
      pollfd any{listens_ ? fd_.get() : -1, POLLIN, 0};
      ::poll(&any, 1, kTurn);
    }
  }

  void accept(std::list<Fd>& connections) {
    Fd one(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (one) connections.push_back(std::move(one));
  }

  // Its part of one turn; false: it hangs up.
  bool goes_on(int fd, std::size_t turn) const {
    std::array<char, 1 << 12> block{};
    bool reads = manner_ != Manner::Stopped && manner_ != Manner::Flooding;
    auto got = reads ? ::recv(fd, block.data(), block.size(), MSG_DONTWAIT) : -1;
    if (got == 0) return false;
    switch (manner_) {
      case Manner::Stopped:
      case Manner::Silent: return true;
      case Manner::Cutting: return listens_ && got < 0;
      case Manner::Slow: return say(fd, std::string(1, turn % 4 == 0 ? '\x20' : '\0'));
      case Manner::Lying: return turn > 0 || say(fd, frames::frame("no word at all", "\xff\xff"));
      case Manner::Huge: return say(fd, turn == 0 ? std::string(4, '\xff') : block_of('x'));
      case Manner::Flooding: return flood(fd);
    }
    return false;
  }

  static std::string block_of(char c) { return std::string(1 << 14, c); }
  static bool say(int fd, const std::string& bytes) {
    auto n = ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return n >= 0 || errno == EAGAIN;
  }
  static bool flood(int fd) {
    for (int n = 0; n < 64; ++n)
      if (!say(fd, block_of('\x01'))) return false;
    return true;
  }

  Fd fd_;
  Manner manner_;
  bool listens_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace wm::test
