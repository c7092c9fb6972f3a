// Bytes of what is said about a launch, and their tags: the format is append-only.
#include "libwm/model/node/launch.h"

#include <gtest/gtest.h>

#include "libwm/codec/codec.h"

namespace wm {
namespace {

template <class Words>
void comes_back(const Words& words) {
  auto back = codec::decode<Words>(codec::encode(words));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, words);
}

TEST(launch_codec, words_come_back_as_they_were) {
  LaunchStart start{"node2", {"/bin/sh", "-c", "x"}, {"A=1", "B="}, "/tmp", 17, true, true, 3, 4};
  comes_back(ToLaunch{start});
  comes_back(ToLaunch{LaunchAttach{TaskNumber{2}, 24, 80}});
  comes_back(ToLaunch{LaunchInput{std::string("a\0\xff", 3)}});
  comes_back(ToLaunch{LaunchResize{1, 2}});
  comes_back(ToLaunch{LaunchSignal{15}});
  comes_back(ToLaunch{LaunchTaken{1u << 20}});
  comes_back(ToLaunch{LaunchConnect{"/run/x/web"}});
  comes_back(ToLaunch{LaunchAsk{"worker"}});
  start.group = "worker";
  comes_back(ToLaunch{start});
  comes_back(FromLaunch{LaunchPlaces{{"a", "a", "b"}}});
  comes_back(FromLaunch{LaunchUp{4711}});
  comes_back(FromLaunch{LaunchOutput{2, "err"}});
  comes_back(FromLaunch{LaunchTaken{5}});
  comes_back(FromLaunch{LaunchEnded{7 << 8, true, "no"}});
}

TEST(launch_codec, the_bytes_of_a_signal_are_these) {
  EXPECT_EQ(codec::encode(ToLaunch{LaunchSignal{15}}), std::string("\x2a\x02\x08\x1e", 4));
  EXPECT_EQ(codec::encode(ToLaunch{LaunchConnect{"/a"}}), std::string("\x3a\x04\x0a\x02/a", 6));
}

}  // namespace
}  // namespace wm
