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

#include "daemons/wmasterd/acct/acct_state.h"
#include "libwm/http/metrics_door.h"
#include "test/support/builders.h"
#include "test/support/golden_day.h"
#include "test/support/store_files.h"

namespace wm::master {
namespace {

/// The golden day's last state and what was counted on the way.
struct Day {
  Cluster state;
  Counters counters;
  Day() {
    AcctState acct_state;
    test::follow(test::GoldenDay().history, [&](const Event& event, const Cluster& after) {
      counters.count(event, fold(acct_state, event, after));
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

TEST(metrics, what_runs_is_summed_by_host_and_by_queue) {
  test::ClusterBuilder c;
  auto h1 = c.host(4, 0), h2 = c.host(4, 0);
  auto one = c.submit({}), two = c.submit({});
  c.run(one, {h1, h2});
  c.run(two, {h2});
  auto use = [](JobId job, int cpu_s, std::int64_t mem) {
    AttemptUse used;
    used.job = job, used.attempt = Attempt{1}, used.cpu = std::chrono::seconds(cpu_s);
    used.mem = Bytes{mem}, used.processes = 2;
    return used;
  };
  Counters counters;
  counters.uses[h1] = std::make_shared<HostUses>(HostUses{{use(one, 3, 100)}});
  counters.uses[h2] = std::make_shared<HostUses>(
      HostUses{{use(one, 4, 10), use(two, 5, 1), use({99, 0}, 1, 1000)}});
  auto text = metrics_text(c.state, counters, {}, false);
  expect_line(text, "wm_host_use_memory_bytes{host=\"h2\"} 1011");
  expect_line(text, "wm_queue_use_memory_bytes{queue=\"normal\"} 111");
  expect_line(text, "wm_queue_use_cpu_seconds{queue=\"normal\"} 12");
  expect_line(text, "wm_queue_use_processes{queue=\"normal\"} 6");
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

}  // namespace
}  // namespace wm::master
