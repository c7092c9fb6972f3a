// Role: what strangers send to the web door: every reader of addresses, words, forms, JSON, tokens
// and configuration gives a value or says why not, whatever the bytes are. Prints the text.
#include <gtest/gtest.h>

#include "libwm/conf/catalog_conf.h"
#include "libwm/login/credential.h"
#include "libwm/login/token.h"
#include "libwm/rest/archive_rules.h"
#include "libwm/rest/assets.h"
#include "libwm/rest/data_sources.h"
#include "libwm/rest/exec_json.h"
#include "libwm/rest/exec_words.h"
#include "libwm/rest/multipart.h"
#include "libwm/rest/url.h"
#include "test/support/mutate.h"

namespace wm::rest {
namespace {

using test::Mutator;

const std::vector<std::string> kPieces{"--exec-start",
                                       " PyTorch",
                                       " --numWorker ",
                                       "4294967296",
                                       " -1",
                                       "%00",
                                       "%2f",
                                       "../",
                                       "/",
                                       "?",
                                       "&",
                                       "=",
                                       "\r\n",
                                       "\r\n--b\r\n",
                                       "--b--",
                                       "Content-Disposition: form-data; name=\"file\"; filename=\"",
                                       "\"",
                                       "\\u0000",
                                       "{",
                                       "}",
                                       "[",
                                       "]",
                                       ":",
                                       ",",
                                       "null",
                                       "1e999",
                                       "\xff\xfe",
                                       "\xe2\x80\xae",
                                       "<script>",
                                       "'; rm -rf / #",
                                       " -- ",
                                       " --user-cmd",
                                       "$(id)",
                                       "pytorch-onnx 1.1-py 3.6"};

const std::vector<std::string> kGood{
    "--exec-start edtPyTorch --numWorker 4 --model-main train.py --model-dir a/b/ --msd-env A=1 "
    "--cs-datastore-meta type=fs,data_path=mnist --workerMemory 8g -- --lr 0.1",
    "--exec-start disttensorflow --numPs 1 --user-cmd -- bash run.sh 'x y' $(id)",
    "/platform/rest/deeplearning/v1/execs/wm-12/log?logType=outlog&args=a%20b",
    R"({"dataSource":[{"type":"connection_asset","connection":{"name":"s"},"location":{"bucket":"b"}}],
        "hardwareSpec":{"nodes":{"num_nodes":4,"gpu":{"num_gpu":1,"kind":"slice","mig_profile":"1g.5gb"}}}})",
    R"({"name":"own","like":"PyTorch","desc":["x"],"exports":{"A":"1"},"maxWorkers":4})",
    "--b\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\n{}\r\n--b\r\nContent-Disposition: "
    "form-data; name=\"file\"; filename=\"m.py\"\r\n\r\nimport torch\n\r\n--b--\r\n",
    "[own]\nlike = PyTorch\nvenv = /x\nexports = A=1\n[v]\npath = /d\nmig = 1g.5gb\n",
    "Basic dTpw",
    "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.e30.AAAA"};

// What a shell is given as one word is one word to it, whatever it holds.
void expect_whole_words(const ExecRequest& request, const Framework& framework) {
  auto words = bsub_words(request, framework, {"/out", "/data", true});
  if (!words) return;
  for (const auto& word : request.words) {
    auto safe = rest::shell_quoted(word);
    bool plain = safe == word;
    EXPECT_TRUE(plain ? word.find_first_of(" \t\n'\"$`;&|<>()\\") == word.npos
                      : safe.front() == '\'' && safe.back() == '\'')
        << safe;
  }
}

void read_words(const std::string& text) {
  auto request = parse_exec(text);
  if (!request) return;
  auto framework = find_framework(request->framework);
  (void)add_exec_data(text, *request);
  (void)data_wish(request->sources);
  if (!framework) return;
  (void)check_code(*framework, request->main, text);
  (void)check_fit(*request, *framework, {"/out", "/data", false});
  (void)task_groups(*request, *framework, {"/out", "/data", false});
  expect_whole_words(*request, *framework);
}

void read_address(const std::string& text) {
  auto target = parse_target(text);
  if (!target) return;
  for (const auto& segment : target->segments) {
    EXPECT_NE(segment, "..");
    EXPECT_EQ(segment.find('/'), segment.npos) << segment;
    EXPECT_EQ(segment.find('\0'), segment.npos);
  }
}

void read_form(const std::string& text) {
  std::size_t open = 0, taken = 0;
  Multipart form("b", {[&](const Part&) -> Result<void> {
                         ++open;
                         return {};
                       },
                       [&](std::string_view bytes) -> Result<void> {
                         EXPECT_EQ(open, 1u);
                         taken += bytes.size();
                         return {};
                       },
                       [&]() -> Result<void> {
                         EXPECT_EQ(open, 1u);
                         --open;
                         return {};
                       }});
  for (std::size_t at = 0; at < text.size(); at += 7)
    if (!form.feed(std::string_view(text).substr(at, 7))) return;
  (void)form.finish();
  EXPECT_LE(taken, text.size());
}

void read_objects(const std::string& text) {
  (void)parse_framework(text, frameworks());
  (void)parse_connection(text);
  (void)data_wish({text});
  (void)parse_definition(text);
  (void)parse_experiment(text);
  (void)parse_project(text);
  for (const auto& connection : parse_connections(text)) (void)shown_json(connection);
}

void read_files(const std::string& text) {
  std::vector<Framework> known(frameworks().begin(), frameworks().end());
  if (conf::add_frameworks(text, "user", known))
    for (const auto& framework : known) (void)framework_json(framework, "");
  (void)conf::parse_volumes(text);
  (void)conf::parse_hardware(text);
}

void read_secrets(const std::string& text) {
  (void)parse_basic(text);
  AuthFields fields;
  fields.authorization = fields.cookie = text;
  (void)credential_of(fields, "https://x");
  TokenPublicKey key{};
  EXPECT_FALSE(verify_token(text, {&key, 1}, "wm", 0)) << "nobody signed it";
  ArchiveRules rules({}, 100);
  (void)rules.admit({ArchiveEntry::Kind::SymbolicLink, text, text, 1});
}

TEST(door_fuzz, whatever_comes_is_read_or_refused) {
  Mutator mutator(28, kPieces);
  const auto tries = test::fuzz_count(3000);
  for (unsigned i = 0; i < tries && !HasFailure(); ++i) {
    auto text = mutator.spoiled(kGood[i % kGood.size()]);
    SCOPED_TRACE(testing::PrintToString(text));
    read_words(text);
    read_address(text);
    read_form(text);
    read_objects(text);
    read_files(text);
    read_secrets(text);
  }
}

TEST(door_fuzz, what_is_good_is_read) {
  EXPECT_TRUE(parse_exec(kGood[0]));
  EXPECT_TRUE(parse_target(kGood[2]));
  EXPECT_TRUE(parse_framework(kGood[4], frameworks()));
}

TEST(door_fuzz, deep_and_large_ones_are_refused_without_ado) {
  std::string deep(200000, '[');
  ExecRequest request;
  EXPECT_FALSE(add_exec_data(deep, request));
  EXPECT_FALSE(parse_framework(deep, frameworks()));
  EXPECT_FALSE(parse_connection(deep));
  EXPECT_FALSE(parse_definition("{\"a\":" + deep));
  EXPECT_FALSE(parse_target("/" + std::string(100000, 'a') + "/.."));
  EXPECT_FALSE(data_wish({"{\"connection\":" + deep}).has_value() &&
               !data_wish({"{\"connection\":" + deep})->sources.empty());
}

}  // namespace
}  // namespace wm::rest
