// Role: addresses, routes and form bodies, with the forms that real clients send and hostile ones.
#include "libwm/rest/url.h"

#include <gtest/gtest.h>

#include "libwm/rest/multipart.h"
#include "libwm/rest/routes.h"

namespace wm::rest {
namespace {

using Words = std::vector<std::string>;

TEST(url, a_target_is_its_segments_and_its_query) {
  auto target = parse_target("/a//b%20c/?args=--x%20y+z&empty&limit=3&limit=4");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, (Words{"a", "b c"}));
  EXPECT_EQ(target->value("args"), "--x y z");
  EXPECT_EQ(target->value("limit"), "3");
  EXPECT_EQ(target->value("none"), "");
  EXPECT_EQ(unescaped("100%"), "100%");
  EXPECT_EQ(unescaped("%zz%4"), "%zz%4");
  EXPECT_EQ(escaped("a b/ä"), "a%20b%2F%C3%A4");
}

TEST(url, no_address_leads_out_or_hides_a_slash) {
  for (auto bad : {"", "x", "/a/../b", "/a/%2e%2e/b", "/a%2fb", "/a%00b", "/a%0ab", "/."})
    EXPECT_FALSE(parse_target(bad)) << bad;
}

TEST(routes, match_by_segment) {
  EXPECT_EQ(match("/execs/{id}/log", {"execs", "c-1", "log"}), Words{"c-1"});
  EXPECT_FALSE(match("/execs/{id}/log", {"execs", "c-1"}));
  EXPECT_FALSE(match("/execs/{id}", {"execs", "c-1", "log"}));
  EXPECT_EQ(match("/plan/{path...}", {"plan", "a", "b"}), Words{"a/b"});
  EXPECT_FALSE(match("/plan/{path...}", {"plan"}));
}

struct Taken {
  std::vector<std::pair<Part, std::string>> parts;
  int ended = 0;
  PartTaker taker() {
    return {[this](const Part& part) -> Result<void> {
              return parts.push_back({part, ""}), Result<void>();
            },
            [this](std::string_view bytes) -> Result<void> {
              return parts.back().second += bytes, Result<void>();
            },
            [this]() -> Result<void> { return ++ended, Result<void>(); }};
  }
};

constexpr std::string_view kParts =
    "preamble\r\n--XX\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\n{}\r\n--XX\r\n"
    "content-disposition: form-data; name=\"file\"; filename=\"a \\\"b\\\".tar\"\r\n"
    "Content-Type: application/x-tar\r\n\r\nline\r\n--X\r\n--XY\r\n--XX--\r\nepilogue";

TEST(multipart, parts_are_the_same_however_the_body_is_cut) {
  for (std::size_t piece = 1; piece < kParts.size() + 1; ++piece) {
    Taken taken;
    Multipart parser("XX", taken.taker());
    for (std::size_t at = 0; at < kParts.size(); at += piece)
      ASSERT_TRUE(parser.feed(kParts.substr(at, piece))) << piece;
    ASSERT_TRUE(parser.finish()) << piece;
    ASSERT_EQ(taken.parts.size(), 2u) << piece;
    EXPECT_EQ(taken.ended, 2);
    EXPECT_EQ(taken.parts[0].second, "{}");
    EXPECT_EQ(taken.parts[1].first, (Part{"file", "a \"b\".tar"}));
    EXPECT_EQ(taken.parts[1].second, "line\r\n--X\r\n--XY");
  }
}

TEST(multipart, what_is_no_such_body_is_refused) {
  Taken taken;
  Multipart cut("XX", taken.taker());
  ASSERT_TRUE(cut.feed("--XX\r\nContent-Disposition: form-data; name=a\r\n\r\nhalf"));
  EXPECT_FALSE(cut.finish());
  Multipart nameless("XX", taken.taker());
  EXPECT_FALSE(nameless.feed("--XX\r\nContent-Type: text/plain\r\n\r\nx"));
  Multipart endless("XX", taken.taker());
  EXPECT_FALSE(endless.feed(std::string(20000, 'x')));
  Multipart fields("XX", taken.taker());
  EXPECT_FALSE(fields.feed("--XX\r\n" + std::string(20000, 'f')));
  EXPECT_FALSE(boundary_of("text/plain; boundary=x"));
  EXPECT_FALSE(boundary_of("multipart/form-data"));
  EXPECT_FALSE(boundary_of("multipart/form-data; boundary=" + std::string(71, 'b')));
  EXPECT_EQ(boundary_of("multipart/form-data; charset=utf-8; boundary=\"a b\"").value(), "a b");
}

TEST(multipart, who_takes_the_parts_may_refuse) {
  PartTaker taker{[](const Part&) -> Result<void> { return fail(Code::Limit, "enough"); }, {}, {}};
  Multipart parser("XX", taker);
  auto fed = parser.feed("--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n");
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().text, "enough");
}

}  // namespace
}  // namespace wm::rest
