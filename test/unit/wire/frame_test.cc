#include "libwm/wire/frame.h"

#include <gtest/gtest.h>

#include <vector>

namespace wm::wire {
namespace {

std::vector<Frame> drain(FrameDecoder& decoder) {
  std::vector<Frame> out;
  for (auto frame = decoder.next(); frame && *frame; frame = decoder.next()) {
    out.push_back({(*frame)->type, std::string((*frame)->payload)});
  }
  return out;
}

std::string three_frames() {
  return frame_bytes(16, "first") + frame_bytes(0xabcd, "") +
         frame_bytes(17, std::string(300, 'x'));
}

TEST(frame, header_is_little_endian_length_then_type) {  // WIRE-1
  EXPECT_EQ(frame_bytes(0x1234, "ab"), std::string("\x02\x00\x00\x00\x34\x12"
                                                   "ab",
                                                   8));
}

TEST(frame, any_two_cuts_give_the_same_frames) {
  auto whole = three_frames();
  std::vector<Frame> expected = {{16, "first"}, {0xabcd, ""}, {17, std::string(300, 'x')}};
  for (std::size_t a = 0; a <= whole.size(); ++a) {
    for (std::size_t b = a; b <= whole.size(); b += 7) {
      FrameDecoder decoder(1000);
      std::vector<Frame> got;
      for (auto [from, to] : {std::pair(std::size_t{0}, a), {a, b}, {b, whole.size()}}) {
        decoder.add(std::string_view(whole).substr(from, to - from));
        for (auto& frame : drain(decoder)) got.push_back(frame);
      }
      ASSERT_EQ(got, expected) << a << " " << b;
      ASSERT_EQ(decoder.buffered(), 0u);
    }
  }
}

TEST(frame, byte_by_byte_gives_each_frame_at_its_last_byte) {
  FrameDecoder decoder(1000);
  auto bytes = frame_bytes(16, "abc");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    decoder.add(bytes.substr(i, 1));
    EXPECT_EQ(drain(decoder).size(), i + 1 == bytes.size() ? 1u : 0u);
  }
}

TEST(frame, a_length_above_the_limit_is_refused_from_the_header) {  // WIRE-2
  FrameDecoder decoder(100);
  decoder.add(frame_bytes(16, std::string(100, 'y')));
  EXPECT_EQ(drain(decoder).size(), 1u);
  decoder.add(frame_header(16, 101));
  auto refused = decoder.next();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Limit);
  EXPECT_NE(refused.error().text.find("101"), std::string::npos);
}

TEST(frame, a_raised_limit_holds_for_frames_already_buffered) {
  FrameDecoder decoder(3);
  decoder.add(frame_bytes(1, "abc") + frame_bytes(2, "abcdef"));
  ASSERT_TRUE(decoder.next());
  decoder.set_limit(6);
  auto second = decoder.next();
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)->payload, "abcdef");
}

}  // namespace
}  // namespace wm::wire
