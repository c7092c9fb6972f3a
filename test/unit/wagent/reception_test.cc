#include "daemons/wagent/reception.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <memory>
#include <vector>

#include "libwm/frames/blocking.h"
#include "test/support/folder.h"

namespace wm::wagent {
namespace {

TEST(reception, a_caller_that_says_nothing_does_not_keep_the_loop_waiting) {
  test::OwnFolder folder;
  auto path = folder.path() + "/desk";
  boost::asio::io_context loop;
  std::vector<std::string> heard;
  Reception desk(loop, [&](Fd caller) {
    auto words = std::make_shared<std::string>("nothing");
    if (auto frame = frames::read_frame(caller.get()); frame && *frame) *words = **frame;
    return [&heard, words] { heard.push_back(*words); };
  });
  ASSERT_TRUE(desk.listen(path));
  loop.poll();
  auto silent = proc::connect_unix(path), next = proc::connect_unix(path);
  ASSERT_TRUE(silent && next);
  ASSERT_TRUE(frames::write_frame(next->get(), "hello"));
  for (int i = 0; i < 3; ++i) loop.run_one_for(std::chrono::milliseconds(10));  // both admitted
  EXPECT_TRUE(heard.empty());
  EXPECT_TRUE(desk.is_hearing()) << "who ends now would lose what they bring";

  bool ran = false;
  boost::asio::post(loop, [&] { ran = true; });
  loop.poll();
  EXPECT_TRUE(ran);

  silent->reset();  // it gives up
  auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (heard.size() < 2 && std::chrono::steady_clock::now() < until)
    loop.run_one_for(std::chrono::seconds(1));
  EXPECT_EQ(heard, (std::vector<std::string>{"nothing", "hello"}));
  EXPECT_FALSE(desk.is_hearing());
}

}  // namespace
}  // namespace wm::wagent
