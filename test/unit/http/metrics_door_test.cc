// Role: the metrics' door: who asks in which form, and who is refused.
#include "libwm/http/metrics_door.h"

#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <thread>

namespace wm::http {
namespace {

namespace asio = boost::asio;

constexpr const char* kClosing = "Connection: close\r\n\r\n";

/// What the door says to these bytes, until it closes the connection.
std::string asked(const std::string& request, const MetricsDoor::Ask& ask) {
  asio::io_context loop;
  auto door = MetricsDoor::open(loop, "127.0.0.1:0", ask);
  EXPECT_TRUE(door) << door.error().text;
  const auto& place = (*door)->place();
  std::string got;
  auto busy = asio::make_work_guard(loop);
  std::thread client([&] {
    asio::io_context own;
    asio::ip::tcp::socket socket(own);
    auto port = static_cast<std::uint16_t>(std::stoi(place.substr(place.rfind(':') + 1)));
    socket.connect({asio::ip::make_address("127.0.0.1"), port});
    asio::write(socket, asio::buffer(request));
    boost::system::error_code end;
    asio::read(socket, asio::dynamic_buffer(got), end);
    asio::post(loop, [&] { loop.stop(); });
  });
  loop.run();
  client.join();
  return got;
}

std::string asked(const std::string& request) {
  return asked(request, [](bool open, const std::function<void(std::string)>& tell) {
    tell(open ? "open" : "old");
  });
}

TEST(metrics_door, answers_in_the_form_that_was_asked_for) {
  auto old = asked(std::string("GET /metrics HTTP/1.1\r\nHost: x\r\n") + kClosing);
  EXPECT_TRUE(old.starts_with("HTTP/1.1 200 OK\r\n")) << old;
  EXPECT_TRUE(old.ends_with("\r\n\r\nold"));
  EXPECT_NE(old.find("version=0.0.4"), old.npos);
  auto open =
      asked(std::string(
                "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text;version=1.0.0\r\n") +
            kClosing);
  EXPECT_TRUE(open.ends_with("\r\n\r\nopen"));
}

TEST(metrics_door, refuses_everything_else) {
  EXPECT_TRUE(asked(std::string("GET / HTTP/1.1\r\n") + kClosing).starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(
      asked(std::string("POST /metrics HTTP/1.1\r\n") + kClosing).starts_with("HTTP/1.1 405"));
  EXPECT_TRUE(asked(std::string(9000, 'x')).starts_with("HTTP/1.1 431"));
}

TEST(metrics_door, an_answer_that_is_dropped_is_a_fault_of_ours) {
  auto text = asked(std::string("GET /metrics HTTP/1.1\r\n") + kClosing,
                    [](bool, const std::function<void(std::string)>&) {});
  EXPECT_TRUE(text.starts_with("HTTP/1.1 500")) << text;
}

TEST(metrics_door, a_place_that_is_none_or_is_taken_is_refused) {
  asio::io_context loop;
  for (const char* place : {"", "127.0.0.1", "nowhere:1", "127.0.0.1:70000", "127.0.0.1:x"})
    EXPECT_FALSE(MetricsDoor::open(loop, place, {})) << place;
  auto first = MetricsDoor::open(loop, "127.0.0.1:0", {});
  ASSERT_TRUE(first);
  EXPECT_FALSE(MetricsDoor::open(loop, (*first)->place(), {}));
}

}  // namespace
}  // namespace wm::http
