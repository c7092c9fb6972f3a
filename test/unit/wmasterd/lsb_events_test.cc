// Role: lsb.events field by field, and that it is written where it is wanted.
#include "daemons/wmasterd/acct/lsb_events.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

struct Told : ClusterBuilder {
  // The lines of the events since the last call, event by event.
  std::vector<std::string> lines() {
    std::vector<std::string> all;
    for (; next < history.size(); ++next) add({history[next]}, all);
    return all;
  }
  // All of them as one batch.
  std::vector<std::string> batch() {
    std::vector<std::string> all;
    add({history.begin() + static_cast<std::ptrdiff_t>(next), history.end()}, all);
    next = history.size();
    return all;
  }
  std::size_t next = 0;

 private:
  void add(const std::vector<Event>& events, std::vector<std::string>& all) const {
    std::istringstream in(lsb_lines(events, state));
    for (std::string line; std::getline(in, line);) all.push_back(line);
  }
};

// The fields, quoted ones without their quotes, numbered from 1 as clients count them.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all{""};
  std::istringstream in(line);
  while (in >> std::ws && in.peek() != EOF) {
    std::string word;
    if (in.peek() == '"') {
      in.get();
      for (char c = 0; in.get(c);) {
        if (c == '"' && in.peek() != '"') break;
        if (c == '"') in.get();
        word += c;
      }
    } else {
      in >> word;
    }
    all.push_back(word);
  }
  return all;
}

TEST(lsb_events, a_new_job_has_its_name_where_clients_look_for_it) {
  Told c;
  c.host(2);
  c.lines();
  SpecBuilder spec;
  spec.spec.name = "a \"b\"";
  spec.spec.program.command = "echo 1\necho 2";
  spec.spec.min_tasks = spec.spec.max_tasks = 2;
  spec.spec.run_limit = std::chrono::seconds(90);
  spec.spec.limits.processes = 7;
  c.submit(spec);
  auto lines = c.lines();
  ASSERT_EQ(lines.size(), 1u);
  auto f = fields(lines[0]);
  EXPECT_EQ(f[1], "JOB_NEW");
  EXPECT_EQ(f[4], "1");
  EXPECT_EQ(f[7], "2");
  EXPECT_EQ(f[14], "u1");
  EXPECT_EQ(f[24], "90");
  EXPECT_EQ(f[25], "7");
  EXPECT_EQ(f[29], "normal");
  EXPECT_EQ(f[39], "0");
  EXPECT_EQ(f[42], "a \"b\"");
  EXPECT_EQ(f[43], "echo 1\\necho 2");
}

TEST(lsb_events, states_are_lsfs_bits_and_an_end_is_told_once) {
  Told c;
  auto host = c.host(2);
  auto id = c.submit(SpecBuilder().tasks(2, 2));
  c.lines();
  c.run(id, {host, host});
  auto started = c.lines();
  ASSERT_EQ(started.size(), 1u);
  auto f = fields(started[0]);
  EXPECT_EQ(f[1], "JOB_START");
  EXPECT_EQ(f[5], "4");
  EXPECT_EQ(f[9], "2");
  EXPECT_EQ(f[10], "h1");
  for (std::uint32_t task : {1, 2})
    if (find_task(c.job(id), TaskNumber{task})->holds_slot())
      c.step(TaskEnded{id, Attempt{1}, TaskNumber{task}, 3 << 8, Term::None, {}, ""}, 9);
  auto ended = c.batch();
  ASSERT_EQ(ended.size(), 2u);
  f = fields(ended[0]);
  EXPECT_EQ(f[1], "JOB_STATUS");
  EXPECT_EQ(f[4], "1");
  EXPECT_EQ(f[5], "32");
  f = fields(ended[1]);
  EXPECT_EQ(f[1], "JOB_FINISH");
  EXPECT_EQ(f[12], "u1");
  EXPECT_EQ(f[13], "normal");
}

TEST(lsb_events, of_an_array_that_is_ended_each_element_is_told) {
  Told c;
  auto id = c.submit(SpecBuilder().array(1, 3));
  EXPECT_TRUE(fields(c.lines().at(0))[42].ends_with("[1-3]"));
  c.step(KillRequested{{id.job, 2}, {Term::Owner, "u1", "", at(1)}}, 1);
  EXPECT_EQ(c.lines().size(), 2u);
  c.step(KillRequested{id, {Term::Owner, "u1", "", at(2)}}, 2);
  EXPECT_EQ(c.lines().size(), 4u);
}

TEST(lsb_events, the_file_is_written_only_where_a_key_asks_for_it) {
  auto folder = std::filesystem::temp_directory_path() / ("wm-lsb-" + std::to_string(::getpid()));
  Told c;
  c.config.cluster.name = "c1";
  c.config.cluster.lsf.share_dir = folder.string();
  c.reconfigure();
  c.submit({});
  { LsbEvents().take(c.history, c.state); }
  EXPECT_FALSE(std::filesystem::exists(folder));
  c.config.cluster.lsf.events = true;
  c.reconfigure();
  { LsbEvents().take(c.history, c.state); }
  std::ifstream in(folder / "c1/logdir/lsb.events");
  std::string word;
  EXPECT_TRUE(in >> word);
  EXPECT_EQ(word, "\"JOB_NEW\"");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace wm::master
