// What monitoring reads: the numbers, the two forms, and that promtool takes the older one.
#include "daemons/wmasterd/acct/metrics.h"

#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "daemons/wmasterd/acct/books.h"
#include "libwm/http/metrics_door.h"
#include "test/support/golden_day.h"
#include "test/support/store_files.h"

namespace wm::master {
namespace {

/// The golden day's last state and what was counted on the way.
struct Day {
  Cluster state;
  Counters counters;
  Day() {
    Books books;
    test::follow(test::GoldenDay().history, [&](const Event& event, const Cluster& after) {
      counters.count(event, fold(books, event, after));
      state = after;
    });
  }
};

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find("\n" + line + "\n"), text.npos) << line << " is not in\n" << text;
}

TEST(metrics, the_golden_day_is_counted) {
  Day day;
  auto text = metrics_text(day.state, day.counters, {}, false);
  expect_line(text, "wm_dispatches_total{queue=\"normal\"} 9");
  expect_line(text, "wm_ends_total{queue=\"normal\",outcome=\"finished\"} 8");
  expect_line(text, "wm_attempts_lost_total{term=\"TERM_HOST_LOST\"} 1");
  expect_line(text, "wm_resizes_total{direction=\"grow\"} 1");
  expect_line(text, "wm_resizes_total{direction=\"shrink\"} 1");
  expect_line(text, "wm_wait_seconds_bucket{queue=\"normal\",le=\"5\"} 4");
  expect_line(text, "wm_wait_seconds_count{queue=\"normal\"} 8");
  expect_line(text, "wm_hosts{state=\"ok\"} 2");
  expect_line(text, "wm_slots{state=\"idle\"} 8");
  expect_line(text, "wm_plan_slots{plan=\"/b\",what=\"owns\"} 6");
  expect_line(text, "wm_budget_seconds{budget=\"/\",unit=\"gpu\",what=\"granted\"} 3600000");
}

TEST(metrics, promtool_takes_the_older_form) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0) GTEST_SKIP() << "no promtool here";
  Day day;
  test::ScratchDir dir;
  auto path = dir.path() + "/metrics";
  std::ofstream(path) << metrics_text(day.state, day.counters, {}, false);
  EXPECT_EQ(std::system(("promtool check metrics <" + path + " >&2").c_str()), 0);
}

TEST(metrics, open_metrics_ends_with_its_mark_and_names_families_without_total) {
  Day day;
  auto text = metrics_text(day.state, day.counters, {}, true);
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
  EXPECT_NE(text.find("# TYPE wm_dispatches counter\n"), text.npos);
}

TEST(metrics, labels_are_bounded_and_hold_anything) {
  Counters counters;
  for (int i = 0; i < 80; ++i) counters.dispatches["q" + std::to_string(i) + "\"\n\\"] = 1;
  auto text = metrics_text({}, counters, {}, false);
  std::size_t lines = 0;
  for (auto at = text.find("\nwm_dispatches_total{"); at != text.npos;
       at = text.find("\nwm_dispatches_total{", at + 1))
    ++lines;
  EXPECT_EQ(lines, 50u);
  expect_line(text, "wm_dispatches_total{queue=\"other\"} 31");
  expect_line(text, "wm_dispatches_total{queue=\"q0\\\"\\n\\\\\"} 1");
}

/// What the door says to these bytes.
std::string asked(const std::string& request) {
  namespace asio = boost::asio;
  asio::io_context loop;
  auto ask = [](bool open, const std::function<void(std::string)>& tell) {
    tell(open ? "open" : "old");
  };
  auto door = http::MetricsDoor::open(loop, "127.0.0.1:0", ask);
  EXPECT_TRUE(door) << door.error().text;
  std::string place = (*door)->place(), got;
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

TEST(metrics_door, answers_in_the_form_that_was_asked_for) {
  auto old = asked("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(old.starts_with("HTTP/1.1 200 OK\r\n")) << old;
  EXPECT_TRUE(old.ends_with("\r\n\r\nold"));
  EXPECT_NE(old.find("version=0.0.4"), old.npos);
  auto open =
      asked("GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text;version=1.0.0\r\n\r\n");
  EXPECT_TRUE(open.ends_with("\r\n\r\nopen"));
}

TEST(metrics_door, refuses_everything_else) {
  EXPECT_TRUE(asked("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(asked("POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
  EXPECT_EQ(asked(std::string(9000, 'x')), "");
}

TEST(metrics_door, a_place_that_is_none_is_refused) {
  boost::asio::io_context loop;
  for (const char* place : {"", "127.0.0.1", "nowhere:1", "127.0.0.1:70000", "127.0.0.1:x"})
    EXPECT_FALSE(http::MetricsDoor::open(loop, place, {})) << place;
}

}  // namespace
}  // namespace wm::master
