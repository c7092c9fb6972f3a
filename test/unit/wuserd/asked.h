// Role: a row of wuserd's tables asked without a socket, as its door asks it of the user; and other
// servers of its neighbours' in a test's hands.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/base/json.h"
#include "libwm/files/fd.h"
#include "libwm/http/listen.h"
#include "libwm/http/server.h"
#include "libwm/rest/routes.h"
#include "test/support/said_exchange.h"

namespace wm::user {

/// What the first of the rows that fits answers, or why it does not. @errors as the row
inline Result<http::Reply> ask(Site& site, const std::vector<Route>& rows, const http::Head& head,
                               const std::string& body = {}) {
  test::SaidExchange exchange(head, body);
  WM_TRY(auto target, rest::parse_target(head.target));
  for (const auto& row : rows) {
    auto args = rest::match(row.pattern, target.segments);
    if (!args || row.method != head.method) continue;
    Call call{exchange, site, target, std::move(*args)};
    WM_TRY(auto made, row.answer(call));
    return made ? *made : exchange.answer;
  }
  return fail(Code::NotFound, "there is no such row");
}

/// The JSON of a well answered request; null: it was not.
inline Json json_of(const Result<http::Reply>& reply) {
  return reply && reply->status < 300 ? json_or_null(reply->body) : Json();
}

/// A server at a path, such as another user's wuserd or a router. @owns its thread, which ends with
/// it
class PlayedServer {
 public:
  PlayedServer(const std::string& path, std::function<void(http::Exchange&)> handle) {
    auto listening = http::listen_at(path, 0600);
    EXPECT_TRUE(listening) << path;
    if (!listening) return;
    listening_.reset(*listening);
    thread_ = std::thread([this, handle = std::move(handle)] {
      EXPECT_FALSE(http::serve(listening_.get(), {}, handle));
    });
  }
  PlayedServer(const PlayedServer&) = delete;
  ~PlayedServer() {
    ::shutdown(listening_.get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }

 private:
  Fd listening_;
  std::thread thread_;
};

}  // namespace wm::user
