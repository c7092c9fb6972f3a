#include "libwm/wire/endpoint.h"

#include <gtest/gtest.h>

namespace wm::wire {
namespace {

TEST(endpoint, every_form_reads_back) {
  for (auto text :
       {"node1:7100", "127.0.0.1:0", "[2001:db8::1]:80", ":7100", "unix:/run/wm/n.sock"}) {
    auto endpoint = parse_endpoint(text);
    ASSERT_TRUE(endpoint) << endpoint.error().text;
    EXPECT_EQ(to_string(*endpoint), text);
  }
  EXPECT_EQ(parse_endpoint("/run/x")->path, "/run/x");
  EXPECT_EQ(parse_endpoint("[::1]:80")->host, "::1");
}

TEST(endpoint, a_bad_port_is_named) {
  for (auto text :
       {"node1", "node1:", "node1:x", "node1:65536", "node1:-1", "node1:80x", "unix:"}) {
    auto endpoint = parse_endpoint(text);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_EQ(endpoint.error().code, Code::BadArgument);
  }
}

TEST(endpoint, a_path_longer_than_the_system_allows_is_refused) {
  EXPECT_TRUE(parse_endpoint("/" + std::string(106, 'p')));
  EXPECT_EQ(parse_endpoint("/" + std::string(107, 'p')).error().code, Code::Limit);
}

}  // namespace
}  // namespace wm::wire
