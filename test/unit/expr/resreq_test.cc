#include "libwm/expr/resreq.h"

#include <gtest/gtest.h>

#include <random>

#include "libwm/expr/gpu.h"
#include "libwm/expr/select.h"

namespace wm::expr {
namespace {

ResReq parsed(std::string_view text) {
  auto req = parse_resreq(text);
  EXPECT_TRUE(req) << text << ": " << (req ? "" : req.error().text);
  return req ? *req : ResReq();
}

std::string refusal(std::string_view text) {
  auto req = parse_resreq(text);
  return req ? "accepted" : req.error().text;
}

bool refused_with(std::string_view text, std::string_view fragment) {
  return refusal(text).find(fragment) != std::string::npos;
}

TEST(resreq, every_section_is_read) {
  auto req = parsed(
      "select[mem>1G && type==any] order[-slots:mem] "
      "rusage[mem=512.0:duration=30:decay=1,lic=2/job] "
      "span[ptile=2] same[type:model] cu[type=rack:maxcus=2:excl] "
      "affinity[core(2):membind=localonly]");
  EXPECT_EQ(req.select, "mem>1G && type==any");
  EXPECT_EQ(req.order, (std::vector<OrderTerm>{{"slots", true}, {"mem", false}}));
  ASSERT_EQ(req.rusage.size(), 2u);
  EXPECT_EQ(req.rusage[0], (RusageTerm{"mem", 512, Per::Unsaid, std::chrono::minutes(30), true}));
  EXPECT_EQ(req.rusage[1], (RusageTerm{"lic", 2, Per::Job, {}, false}));
  EXPECT_EQ(req.span.ptile, 2u);
  EXPECT_EQ(req.same, (std::vector<std::string>{"type", "model"}));
  EXPECT_EQ(req.cu.at("maxcus"), "2");
  EXPECT_EQ(req.affinity, "core(2):membind=localonly");
}

TEST(resreq, memory_is_bound_locally_or_not_at_all) {
  EXPECT_EQ(parsed("affinity[core(1):membind=localprefer:distribute=pack]").affinity,
            "core(1):membind=localprefer:distribute=pack");
  EXPECT_TRUE(refused_with("affinity[core(1):membind=far]", "localonly or localprefer"));
}

TEST(resreq, a_bare_string_selects) { EXPECT_EQ(parsed("mem>100").select, "mem>100"); }

TEST(resreq, what_stands_before_the_first_section_selects) {
  auto req = parsed("type==any && mem>10 rusage[mem=5] span[hosts=1]");
  EXPECT_EQ(req.select, "type==any && mem>10");
  EXPECT_EQ(req.rusage.at(0).amount, 5);
  EXPECT_EQ(req.span.hosts, 1);
  EXPECT_EQ(parsed("hname=='order[x]'span[hosts=1]").select, "hname=='order[x]'");
  EXPECT_TRUE(refused_with("mem>10 select[ut<0.5]", "duplicate section"));
  EXPECT_TRUE(refused_with("span[hosts=1] mem>10", "Expected a section"));
}

TEST(resreq, amounts_take_units) {
  EXPECT_EQ(parsed("rusage[mem=2G]").rusage[0].amount, 2048);
  EXPECT_EQ(parsed("rusage[mem=512MB/host]").rusage[0].per, Per::Host);
}

TEST(resreq, phases_count_with_their_largest_amount) {
  auto req = parsed("rusage[mem=(800 300):duration=(10 20)]");
  EXPECT_EQ(req.rusage.at(0).amount, 800);
  EXPECT_EQ(req.rusage.at(0).duration, std::chrono::minutes(30));
  EXPECT_NE(refusal("rusage[mem=()]"), "accepted");
  EXPECT_NE(refusal("rusage[mem=1:duration=(1"), "accepted");
}

TEST(resreq, durations_are_minutes_without_unit) {
  EXPECT_EQ(parsed("rusage[mem=1:duration=10]").rusage[0].duration, std::chrono::minutes(10));
  EXPECT_EQ(parsed("rusage[mem=1:duration=10m]").rusage[0].duration, std::chrono::minutes(10));
  EXPECT_EQ(parsed("rusage[mem=1:duration=2h]").rusage[0].duration, std::chrono::hours(2));
}

TEST(resreq, spans) {
  EXPECT_EQ(parsed("span[hosts=1]").span.hosts, 1);
  EXPECT_EQ(parsed("span[hosts=-1]").span.hosts, -1);
  EXPECT_TRUE(parsed("span[ptile='!',modelA:4]").span.ptile_all);
  EXPECT_EQ(parsed("span[block=4]").span.block, 4u);
  EXPECT_EQ(parsed("span[stripe]").span, SpanReq());
  EXPECT_NE(refusal("span[hosts=2]"), "accepted");
  EXPECT_NE(refusal("span[ptile=0]"), "accepted");
  EXPECT_NE(refusal("span[ptile=1.5]"), "accepted");
}

TEST(resreq, errors_hold_the_fragments_that_clients_know) {
  EXPECT_TRUE(refused_with("rusage[mem=]", "Error in rusage section"));
  EXPECT_TRUE(refused_with("rusage[mem=]", "Expected number, string"));
  EXPECT_TRUE(refused_with("span[hosts=1] span[ptile=2]", "duplicate section"));
  EXPECT_TRUE(
      refused_with("rusage[hname=1]", "cannot be used in the resource requirement section"));
  EXPECT_TRUE(refused_with("rusage[mem=1", "Error in rusage section"));
  EXPECT_TRUE(refused_with("{span[hosts=1]}||{span[ptile=1]}", "braces are not expected here"));
  EXPECT_TRUE(refused_with("nosuch[1]", "Bad resource requirement syntax"));
}

TEST(resreq, several_of_one_submission_are_joined) {
  std::vector<std::string> texts = {"mem>100", "select[ncpus>2] rusage[mem=5]", "rusage[lic=1]",
                                    "span[hosts=1]", "span[ptile=3]"};
  auto req = parse_resreqs(texts);
  ASSERT_TRUE(req) << req.error().text;
  EXPECT_EQ(req->select, "(mem>100) && (ncpus>2)");
  EXPECT_EQ(req->rusage.size(), 2u);
  EXPECT_EQ(req->span, (SpanReq{.ptile = 3}));
}

TEST(resreq, a_job_goes_over_its_queue) {
  auto merged = merge(parsed("select[ssd] rusage[mem=100,lic=1] span[hosts=1]"),
                      parsed("select[mem>5] rusage[mem=200]"));
  EXPECT_EQ(merged.select, "(ssd) && (mem>5)");
  EXPECT_EQ(merged.usage_of("mem")->amount, 200);
  EXPECT_EQ(merged.usage_of("lic")->amount, 1);
  EXPECT_EQ(merged.span.hosts, 1);
  EXPECT_EQ(merged.usage_of("swp"), nullptr);
}

TEST(resreq, text_parses_to_the_same_value) {
  auto req =
      parsed("select[a>1] order[-x:y] rusage[mem=1.5/task:duration=2h,l=3] span[ptile=2] same[t]");
  EXPECT_EQ(parsed(to_string(req)), req) << to_string(req);
}

TEST(gpu, every_keyword_is_read) {
  auto req = parse_gpu(
      "num=2/task:mode=exclusive_process:mps=yes,nocvd:j_exclusive=yes:gmodel=A100-40G:gmem=8G");
  ASSERT_TRUE(req) << req.error().text;
  EXPECT_EQ(req->milli_num, 2000u);
  EXPECT_EQ(req->per, Per::Task);
  EXPECT_EQ(req->mode, GpuMode::Exclusive);
  EXPECT_EQ(req->mps, true);
  EXPECT_EQ(req->model, "A100-40G");
  EXPECT_EQ(req->mem, Bytes{8LL << 30});
}

TEST(gpu, a_dash_is_the_default) {
  EXPECT_EQ(parse_gpu("-")->milli_num, 1000u);
  EXPECT_EQ(parse_gpu("num=0.5")->milli_num, 500u);
}

TEST(gpu, mistakes_are_named) {
  EXPECT_EQ(parse_gpu("nun=1").error().text,
            "GPU requirement: unknown keyword \"nun\": Bad resource requirement syntax");
  for (auto text : {"num=x", "num=-1", "num=1/core", "num", "mode=best", "gmem=many", "num=1:"})
    EXPECT_FALSE(parse_gpu(text)) << text;
}

TEST(gpu, a_job_goes_over_its_profile) {
  auto merged =
      merge(*parse_gpu("num=4/host:mode=shared:gmem=4G"), *parse_gpu("num=1:gmodel=V100"));
  EXPECT_EQ(merged.milli_num, 1000u);
  EXPECT_EQ(merged.per, Per::Unsaid);
  EXPECT_EQ(merged.mode, GpuMode::Shared);
  EXPECT_EQ(merged.model, "V100");
  EXPECT_EQ(merged.mem, Bytes{4LL << 30});
}

// Pieces that the grammar knows, and bytes that it does not, in random order.
std::string noise(std::mt19937& random) {
  static const std::vector<std::string> kPieces = {"select[",
                                                   "rusage[",
                                                   "span[",
                                                   "order[",
                                                   "same[",
                                                   "cu[",
                                                   "affinity[",
                                                   "]",
                                                   "mem",
                                                   "=",
                                                   "1e5",
                                                   "(",
                                                   ")",
                                                   "&&",
                                                   "||",
                                                   "!",
                                                   "<",
                                                   "'",
                                                   "\"",
                                                   ":",
                                                   ",",
                                                   "duration",
                                                   "ptile",
                                                   "hosts",
                                                   "-",
                                                   " ",
                                                   "/",
                                                   "num",
                                                   "mode",
                                                   "defined",
                                                   "{",
                                                   "}",
                                                   "9999999999999999999",
                                                   "\x80",
                                                   std::string(1, '\0')};
  std::string text;
  for (auto n = random() % 20; n > 0; --n)
    text += random() % 8 == 0 ? std::string(1, static_cast<char>(random()))
                              : kPieces[random() % kPieces.size()];
  return text;
}

TEST(resreq, an_amount_loses_no_digit_in_text) {
  for (auto text : {"rusage[mem=2k]", "rusage[mem=0.1]", "rusage[mem=1e15]"}) {
    auto req = parsed(text);
    EXPECT_EQ(parsed(to_string(req)), req) << to_string(req);
  }
}

TEST(resreq, no_bytes_bring_the_parsers_down) {
  std::mt19937 random(7);
  std::size_t accepted = 0;
  for (int i = 0; i < 50000; ++i) {
    auto text = noise(random);
    auto req = parse_resreq(text);
    (void)parse_gpu(text);
    if (!req) continue;
    ++accepted;
    auto select = Select::parse(req->select);
    ASSERT_TRUE(select) << text;
    (void)select->matches([](auto) { return std::optional<Value>(1.0); });
  }
  EXPECT_GT(accepted, 100u);
}

}  // namespace
}  // namespace wm::expr
