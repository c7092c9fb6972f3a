#include "libwm/frames/cutter.h"

#include <gtest/gtest.h>

#include <vector>

namespace wm::frames {
namespace {

std::vector<std::string> drain(Cutter& cutter) {
  std::vector<std::string> payloads;
  for (auto piece = cutter.next(); piece && *piece; piece = cutter.next())
    payloads.emplace_back((*piece)->payload);
  return payloads;
}

TEST(frames, a_frame_is_its_length_little_end_first_and_its_bytes) {
  EXPECT_EQ(frame("ab"), std::string("\x02\x00\x00\x00"
                                     "ab",
                                     6));
  EXPECT_EQ(frame("ab", "XY"), std::string("\x02\x00\x00\x00XYab", 8));
  std::string out = "before";
  append_frame(out, "ab");
  EXPECT_EQ(out, "before" + frame("ab"));
  EXPECT_EQ(header(0x01020304), std::string("\x04\x03\x02\x01", 4));
  EXPECT_EQ(length_at(header(0xfffefdfc) + "more"), 0xfffefdfcU);
}

TEST(cutter, any_two_cuts_give_the_same_frames) {
  auto whole = frame("first") + frame("") + frame(std::string(300, 'x'));
  std::vector<std::string> expected = {"first", "", std::string(300, 'x')};
  for (std::size_t a = 0; a <= whole.size(); ++a) {
    for (std::size_t b = a; b <= whole.size(); b += 7) {
      Cutter cutter(1000);
      std::vector<std::string> got;
      for (auto [from, to] : {std::pair(std::size_t{0}, a), {a, b}, {b, whole.size()}}) {
        cutter.add(std::string_view(whole).substr(from, to - from));
        for (auto& payload : drain(cutter)) got.push_back(payload);
      }
      ASSERT_EQ(got, expected) << a << " " << b;
      ASSERT_EQ(cutter.buffered(), 0U);
    }
  }
}

TEST(cutter, a_length_above_the_limit_is_refused_from_the_header) {
  Cutter cutter(100);
  cutter.add(frame(std::string(100, 'y')));
  EXPECT_EQ(drain(cutter).size(), 1U);
  cutter.add(header(101));
  EXPECT_EQ(cutter.next().error().code, Code::Limit);
  cutter.clear();
  cutter.add(frame("again"));
  EXPECT_EQ(drain(cutter), std::vector<std::string>{"again"});
}

TEST(cutter, what_lies_beside_the_length_is_not_counted_in_it) {
  Cutter cutter(2, 3);
  auto bytes = frame("ab", "xyz");
  cutter.add(bytes.substr(0, 6));
  EXPECT_FALSE(*cutter.next());
  cutter.add(bytes.substr(6));
  auto piece = cutter.next();
  ASSERT_TRUE(piece && *piece);
  EXPECT_EQ((*piece)->beside, "xyz");
  EXPECT_EQ((*piece)->payload, "ab");
}

}  // namespace
}  // namespace wm::frames
