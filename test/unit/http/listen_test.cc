// Role: sockets of the web door: who may connect, and what a peer that is gone, stopped or has
// moved looks like.
#include "libwm/http/listen.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <fstream>

#include "libwm/files/fd.h"
#include "libwm/http/client.h"
#include "libwm/http/metrics_door.h"
#include "test/support/folder.h"

namespace wm::http {
namespace {

using namespace std::chrono_literals;

class listening : public ::testing::Test {
 protected:
  Fd listens(mode_t mode = 0600) const { return Fd(listen_at(path, mode).value()); }
  Fd connects() const { return Fd(connect_to(path).value()); }
  test::OwnFolder folder;
  std::string path = folder.path() + "/s";
};

TEST_F(listening, its_file_has_the_mode_that_was_asked_for_and_replaces_what_was_there) {
  std::ofstream(path) << "no socket";
  for (mode_t mode : {0600, 0660, 0666}) {
    auto fd = listens(mode);
    struct stat facts {};
    ASSERT_EQ(::stat(path.c_str(), &facts), 0);
    EXPECT_TRUE(S_ISSOCK(facts.st_mode));
    EXPECT_EQ(facts.st_mode & 0777, mode);
    EXPECT_TRUE(connects());
  }
}

TEST_F(listening, a_path_that_no_socket_has_room_for_is_refused) {
  auto room = 107 - folder.path().size() - 1;
  path = folder.path() + "/" + std::string(room, 'x');
  EXPECT_TRUE(listens());
  for (const auto& longer : {path + "x", path + std::string(4000, 'x')}) {
    EXPECT_EQ(listen_at(longer, 0600).error().code, Code::System);
    EXPECT_EQ(connect_to(longer).error().code, Code::System);
    EXPECT_FALSE(is_answered(longer));
  }
  EXPECT_EQ(listen_at(folder.path() + "/none/s", 0600).error().code, Code::System);
}

TEST_F(listening, where_nobody_listens_nobody_is_reached) {
  EXPECT_EQ(connect_to(path).error().code, Code::Unavailable);
  EXPECT_FALSE(is_answered(path));
  { auto gone = listens(); }
  EXPECT_EQ(connect_to(path).error().code, Code::Unavailable) << "its file is there still";
  EXPECT_FALSE(is_answered(path));
}

TEST_F(listening, one_that_is_stopped_is_there_and_is_not_waited_for) {
  auto fd = listens();
  EXPECT_TRUE(is_answered(path));  // and so there is one in its queue, which has no more room
  ASSERT_EQ(::listen(fd.get(), 0), 0);
  EXPECT_TRUE(is_answered(path));
  EXPECT_EQ(connect_to(path, 20ms).error().code, Code::Timeout);
  // Without a patience of its own a client is as patient as to be let in takes.
  auto client = Client::connect(path);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Code::Timeout);
}

TEST_F(listening, a_peer_has_hung_up_once_it_closed_and_not_while_it_says_something) {
  auto fd = listens();
  auto own = connects();
  Fd peer(::accept(fd.get(), nullptr, nullptr));
  EXPECT_FALSE(has_hung_up(own.get()));
  ASSERT_TRUE(write_all(peer.get(), "words", "peer"));
  EXPECT_FALSE(has_hung_up(own.get()));
  peer.reset();
  EXPECT_TRUE(has_hung_up(own.get()));
}

TEST(metrics_place, a_port_alone_is_one_of_this_machine_alone) {
  boost::asio::io_context loop;
  auto door = MetricsDoor::open(loop, ":0", {});
  ASSERT_TRUE(door) << door.error().text;
  EXPECT_TRUE((*door)->place().starts_with("127.0.0.1:")) << (*door)->place();
}

TEST(metrics_place, every_port_is_a_place_and_no_other_number) {
  boost::asio::io_context loop;
  auto code = [&](const char* place) {
    auto door = MetricsDoor::open(loop, place, {});
    return door ? Code::Ok : door.error().code;
  };
  EXPECT_NE(code("127.0.0.1:65535"), Code::BadArgument);
  EXPECT_NE(code("[::1]:0"), Code::BadArgument) << "whether this machine has it or not";
  for (const char* none : {"127.0.0.1:65536", "127.0.0.1:1x", "127.0.0.1:", ":x", "127.0.0.1:-1"})
    EXPECT_EQ(code(none), Code::BadArgument) << none;
}

}  // namespace
}  // namespace wm::http
