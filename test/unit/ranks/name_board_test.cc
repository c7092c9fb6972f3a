// Names that ranks publish for each other.
#include "libwm/ranks/name_board.h"

#include <gtest/gtest.h>

namespace wm::ranks {
namespace {

using What = NameAsk::What;

NameAsk ask(What what, std::uint32_t rank, const std::vector<std::string>& names) {
  NameAsk made{.from = rank / 2, .number = 10 + rank, .what = what, .rank = rank};
  for (const auto& name : names) made.values.push_back({name, 3, "of " + name, 0});
  return made;
}
NameAsk waiting(std::uint32_t rank, const std::vector<std::string>& names) {
  auto made = ask(What::LookUp, rank, names);
  made.wait = true;
  return made;
}
NameAnswer found(std::uint32_t rank, bool ok, std::vector<NamedValue> values = {}) {
  return {rank / 2, 10 + rank, ok, std::move(values)};
}
using Answers = std::vector<NameAnswer>;

TEST(name_board, what_is_published_is_found_with_its_owner) {
  NameBoard board;
  EXPECT_EQ(board.on(ask(What::Publish, 3, {"a"})), Answers{found(3, true)});
  EXPECT_EQ(board.on(ask(What::LookUp, 0, {"a"})),
            (Answers{found(0, true, {{"a", 3, "of a", 3}})}));
  EXPECT_EQ(board.on(ask(What::LookUp, 0, {"a"})),
            (Answers{found(0, true, {{"a", 3, "of a", 3}})}));
}

TEST(name_board, what_is_not_there_is_said_at_once_with_what_is) {
  NameBoard board;
  board.on(ask(What::Publish, 3, {"a"}));
  EXPECT_EQ(board.on(ask(What::LookUp, 0, {"a", "b"})),
            (Answers{found(0, false, {{"a", 3, "of a", 3}})}));
}

TEST(name_board, who_waits_is_answered_when_all_is_there) {
  NameBoard board;
  EXPECT_EQ(board.on(waiting(0, {"a", "b"})), Answers{});
  EXPECT_EQ(board.on(ask(What::Publish, 3, {"a"})), Answers{found(3, true)});
  EXPECT_EQ(board.on(ask(What::Publish, 2, {"b"})),
            (Answers{found(2, true), found(0, true, {{"a", 3, "of a", 3}, {"b", 3, "of b", 2}})}));
  EXPECT_EQ(board.on(waiting(1, {"b"})), (Answers{found(1, true, {{"b", 3, "of b", 2}})}));
}

TEST(name_board, a_name_for_one_reader_is_gone_after_him) {
  NameBoard board;
  board.on(waiting(0, {"a"}));
  board.on(waiting(1, {"a"}));
  auto once = ask(What::Publish, 3, {"a"});
  once.once = true;
  EXPECT_EQ(board.on(once), (Answers{found(3, true), found(0, true, {{"a", 3, "of a", 3}})}));
  EXPECT_EQ(board.on(ask(What::LookUp, 2, {"a"})), Answers{found(2, false)});
  EXPECT_EQ(board.on(once), (Answers{found(3, true), found(1, true, {{"a", 3, "of a", 3}})}));
}

TEST(name_board, a_name_is_its_publishers) {
  NameBoard board;
  board.on(ask(What::Publish, 3, {"a"}));
  EXPECT_EQ(board.on(ask(What::Publish, 2, {"b", "a"})), Answers{found(2, false)});
  EXPECT_EQ(board.on(ask(What::LookUp, 0, {"b"})), Answers{found(0, false)});
  EXPECT_EQ(board.on(ask(What::TakeBack, 2, {"a"})), Answers{found(2, true)});
  EXPECT_TRUE(board.on(ask(What::LookUp, 0, {"a"}))[0].ok);
  EXPECT_EQ(board.on(ask(What::Publish, 3, {"a"})), Answers{found(3, true)});
  EXPECT_EQ(board.on(ask(What::TakeBack, 3, {"a"})), Answers{found(3, true)});
  EXPECT_FALSE(board.on(ask(What::LookUp, 0, {"a"}))[0].ok);
}

}  // namespace
}  // namespace wm::ranks
