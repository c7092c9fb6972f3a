// Role: bodies that go on to another server: in memory or on disk, whole either way.
#include "daemons/wuserd/files/body.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"
#include "test/support/said_exchange.h"

namespace wm::user {
namespace {

std::string text_at(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(body, a_short_one_is_in_memory) {
  test::OwnFolder folder;
  std::string sent(Body::kInMemory, 'x');
  test::SaidExchange exchange({}, sent);
  auto body = Body::take(exchange, sent.size(), folder.path());
  ASSERT_TRUE(body);
  EXPECT_EQ(body->text(), sent);
  EXPECT_EQ(body->path(), "");
}

TEST(body, a_longer_one_is_in_a_file_that_has_no_name) {
  test::OwnFolder folder;
  std::string sent(Body::kInMemory + 1, 'x');
  sent.front() = 'a';
  sent.back() = 'z';
  test::SaidExchange exchange({}, sent);
  auto body = Body::take(exchange, sent.size(), folder.path());
  ASSERT_TRUE(body);
  EXPECT_EQ(body->text(), "");
  EXPECT_EQ(text_at(body->path()), sent);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(body, one_that_is_too_long_is_refused_with_the_limit) {
  test::OwnFolder folder;
  for (std::size_t most : {std::size_t{99}, Body::kInMemory + 99}) {
    test::SaidExchange exchange({}, std::string(most + 1, 'x'));
    auto body = Body::take(exchange, most, folder.path());
    ASSERT_FALSE(body);
    EXPECT_EQ(body.error().code, Code::Limit);
    EXPECT_NE(body.error().text.find(std::to_string(most)), std::string::npos);
  }
}

}  // namespace
}  // namespace wm::user
