// Role: a request as a handler of the web door sees it, and what it answered: no socket.
#pragma once

#include <string>
#include <utility>

#include "libwm/http/server.h"

namespace wm::test {

/// One request with its body, which comes `step` bytes at a time. @thread one
class SaidExchange : public http::Exchange {
 public:
  explicit SaidExchange(http::Head head, std::string body = {}, std::size_t step = 1000)
      : head_(std::move(head)), body_(std::move(body)), step_(step) {}

  const http::Head& head() const override { return head_; }
  uid_t peer() const override { return 0; }
  Result<std::size_t> read(char* into, std::size_t room) override {
    auto n = body_.copy(into, std::min(room, step_), at_);
    at_ += n;
    return n;
  }
  Result<void> reply(const http::Reply& reply) override {
    answer = reply;
    return {};
  }
  Result<void> begin(const http::Reply& above) override { return reply(above); }
  Result<void> write(std::string_view piece) override {
    answer.body += piece;
    return {};
  }
  Result<void> finish() override { return {}; }
  http::Bare take_over() override { return {}; }

  /// Was anything of the body taken? @cost O(1)
  std::size_t taken() const { return at_; }

  http::Reply answer;

 private:
  http::Head head_;
  std::string body_;
  std::size_t step_, at_ = 0;
};

}  // namespace wm::test
