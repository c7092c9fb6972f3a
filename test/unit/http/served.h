// Role: a server of a test's own with whatever answers it wants. One that does not end, or says
// nothing to who asks it, fails the test in a bounded time.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <string>

#include "libwm/files/fd.h"
#include "libwm/http/listen.h"
#include "libwm/http/server.h"
#include "test/support/folder.h"

namespace wm::http {

inline constexpr auto kServedPatience = std::chrono::seconds(20);

/// A server in a thread, which ends with it.
class Served {
 public:
  explicit Served(std::function<void(Exchange&)> handle, const ServerOptions& options = {}) {
    auto listening = listen_at(path(), 0600);
    EXPECT_TRUE(listening);
    listening_.reset(*listening);
    server_ = std::async(std::launch::async, [this, options, handle = std::move(handle)] {
      EXPECT_FALSE(serve(listening_.get(), options, handle));
    });
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served() {
    ::shutdown(listening_.get(), SHUT_RDWR);
    if (server_.wait_for(kServedPatience) == std::future_status::ready) return;
    std::fputs("the server does not end\n", stderr);
    std::abort();
  }
  std::string path() const { return folder_.path() + "/s"; }
  Fd connected() const {
    Fd fd(connect_to(path()).value());
    timeval limit{kServedPatience.count(), 0};
    EXPECT_EQ(::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    return fd;
  }

  /// What comes back for these bytes, until the server closes.
  std::string said_to(const std::string& bytes) const {
    auto fd = connected();
    EXPECT_TRUE(write_all(fd.get(), bytes, "request"));
    return all_of(fd);
  }
  static std::string all_of(const Fd& fd) {
    std::string all;
    std::array<char, 4096> block;
    for (ssize_t n = 1; n > 0;) {
      n = ::recv(fd.get(), block.data(), block.size(), 0);
      EXPECT_FALSE(n < 0 && errno == EAGAIN) << "it neither answers nor closes";
      if (n > 0) all.append(block.data(), static_cast<std::size_t>(n));
    }
    return all;
  }

 private:
  test::OwnFolder folder_;
  Fd listening_;
  std::future<void> server_;
};

}  // namespace wm::http
