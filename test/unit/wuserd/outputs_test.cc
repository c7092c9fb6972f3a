// Role: what is sent of a worker's output: the part that was asked for, of regular files alone.
#include "daemons/wuserd/jobs/outputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "test/support/folder.h"
#include "test/support/said_exchange.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

class outputs : public ::testing::Test {
 protected:
  void SetUp() override { write("log/1/stdout", "0123456789"); }
  void write(const std::string& name, const std::string& text) const {
    auto path = fs::path(folder.path() + "/" + name);
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  /// The answer to a request for a part, or why there is none.
  Result<http::Reply> part(const std::string& query, const std::string& worker = "1",
                           const std::string& stream = "stdout") {
    test::SaidExchange exchange({"GET", "/x" + query, {}});
    Call call{exchange, site, rest::parse_target("/x" + query).value(), {}};
    WM_TRY(send_log_part(call, folder.path(), worker, stream));
    return exchange.answer;
  }
  /// The whole log of a client that accepts this.
  http::Reply whole_log(const std::string& accept, const std::string& type = "") {
    http::Head head{"GET", "/x", {}};
    if (!accept.empty()) head.fields.emplace_back("accept", accept);
    test::SaidExchange exchange(head);
    Call call{exchange, site, rest::parse_target("/x").value(), {}};
    JobView exec;
    exec.result_dir = folder.path();
    EXPECT_TRUE(send_logs(call, exec, type));
    return exchange.answer;
  }
  static std::string kind(const http::Reply& reply) {
    return reply.fields.empty() ? "" : reply.fields.front().second;
  }
  std::string offset(const http::Reply& reply) const {
    for (const auto& [name, value] : reply.fields)
      if (name == "X-Offset") return value;
    return "none";
  }

  test::OwnFolder folder;
  Site site{ClusterConf{}, "ann", folder.path(), folder.path()};
};

TEST_F(outputs, workers_of_a_team_come_before_groups_of_their_own) {
  auto top = folder.path() + "/12";
  for (const char* name : {"12/log/1", "12/log/2", "12.3/log/1"})
    fs::create_directories(folder.path() + "/" + name);
  auto workers = workers_of(top);
  ASSERT_EQ(workers.size(), 3u);
  EXPECT_EQ(workers[1].number, 2u);
  EXPECT_EQ(workers[2].number, 3u);
  EXPECT_EQ(workers[2].folder, top + ".3/log/1");
}

TEST_F(outputs, a_whole_log_is_a_string_of_json_where_the_client_takes_json_alone) {
  auto odd = "a \"quoted\" line\n\t\xff\xc3\xa9\n" + std::string(300'000, 'x') + "\xe2\x82\xac";
  write("log/1/stdout", odd);
  write("log/2/stderr", "of the second\n");
  auto shown =
      "a \"quoted\" line\n\t\xef\xbf\xbd\xc3\xa9\n" + std::string(300'000, 'x') + "\xe2\x82\xac";
  auto json = whole_log("application/json");
  EXPECT_EQ(kind(json), "application/json");
  EXPECT_EQ(json_or_null(json.body), Json(shown + "of the second\n"));
  EXPECT_EQ(json_or_null(whole_log("application/json", "errlog").body), Json("of the second\n"));
  for (const char* accept : {"", "*/*", "text/plain", "text/plain, application/json"}) {
    auto text = whole_log(accept, "outlog");
    EXPECT_EQ(kind(text), "text/plain; charset=utf-8") << accept;
    EXPECT_EQ(text.body, odd) << accept;
  }
}

TEST_F(outputs, why_an_execution_was_refused_comes_as_its_log_would) {
  http::Head json{"GET", "/x", {{"accept", "application/json"}}}, text{"GET", "/x", {}};
  EXPECT_EQ(json_or_null(log_reply(json, "no \"such\" file\n").body), Json("no \"such\" file\n"));
  EXPECT_EQ(kind(log_reply(json, "")), "application/json");
  EXPECT_EQ(log_reply(text, "no file\n").body, "no file\n");
}

TEST_F(outputs, a_part_begins_where_it_was_asked_to) {
  struct Row {
    const char *query, *text, *offset;
  };
  for (const auto& row :
       {Row{"", "0123456789", "0"}, Row{"?from=0", "0123456789", "0"}, Row{"?from=7", "789", "7"},
        Row{"?from=10", "", "10"}, Row{"?from=99", "", "10"}, Row{"?tail=1", "9", "9"},
        Row{"?tail=3", "789", "7"}, Row{"?tail=10", "0123456789", "0"},
        Row{"?tail=99", "0123456789", "0"}, Row{"?tail=0", "0123456789", "0"},
        Row{"?tail=2&from=1", "89", "8"}}) {
    auto sent = part(row.query);
    ASSERT_TRUE(sent) << row.query;
    EXPECT_EQ(sent->body, row.text) << row.query;
    EXPECT_EQ(offset(*sent), row.offset) << row.query;
  }
}

TEST_F(outputs, a_bad_number_or_worker_is_refused) {
  for (auto query : {"?tail=-1", "?tail=x", "?from=1x"})
    EXPECT_EQ(part(query).error().code, Code::BadArgument) << query;
  EXPECT_EQ(part("", "2").error().code, Code::NotFound);
  EXPECT_EQ(part("", "1", "stderr").value().body, "") << "it is made at the first byte";
  EXPECT_EQ(part("", "1", "../1/stdout").error().code, Code::NotFound);
}

TEST_F(outputs, what_is_no_regular_file_is_not_sent) {
  fs::create_symlink("/dev/zero", folder.path() + "/log/1/stderr");
  EXPECT_EQ(part("", "1", "stderr").error().code, Code::NotFound);
  fs::create_directories(folder.path() + "/log/2");
  ASSERT_EQ(::mkfifo((folder.path() + "/log/2/stdout").c_str(), 0600), 0);
  EXPECT_EQ(part("", "2").error().code, Code::NotFound);
  test::SaidExchange exchange({"GET", "/x", {}});
  EXPECT_FALSE(send_whole_file(exchange, folder.path() + "/log/2/stdout", "text/plain"));
}

TEST_F(outputs, workers_are_counted_from_1) {
  EXPECT_EQ(log_text(folder.path(), 1, "stdout").value(), "0123456789");
  EXPECT_EQ(log_text(folder.path(), 2, "stdout").value(), "");
  EXPECT_EQ(log_text(folder.path(), 0, "stdout").error().code, Code::NotFound);
  EXPECT_EQ(log_text(folder.path(), 1, "else").error().code, Code::NotFound);
  EXPECT_EQ(output_end(folder.path() + "/log/1/stdout", 4), "6789");
  EXPECT_EQ(output_end(folder.path() + "/log/1/stdout", 40), "0123456789");
  EXPECT_EQ(output_end(folder.path() + "/none", 40), "");
}

TEST_F(outputs, sizes_are_told_by_worker) {
  write("log/2/stderr", "abc");
  EXPECT_EQ(logs_json(folder.path()),
            R"({"workers":[{"task":1,"stdout":10,"stderr":0},{"task":2,"stdout":0,"stderr":3}]})");
}

}  // namespace
}  // namespace wm::user
