// Fences over the agents of several hosts, and ranks that end while others wait for them: the
// machines of all hosts, their words carried by hand.
#include "libwm/ranks/rank_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>

namespace wm::ranks {
namespace {

using Ranks = std::vector<std::uint32_t>;

/// The agents of a job and the links between them.
class Job {
 public:
  Job(const std::string& hosts, std::uint32_t width) : map_(*parse_rank_map(hosts)) {
    FanOut tree{static_cast<std::uint32_t>(map_.hosts.size()), width};
    for (std::uint32_t place = 0; place < tree.count; ++place)
      tables_.emplace_back(map_, place, tree);
  }

  void arrive(std::uint32_t place, const Ranks& ranks, std::uint64_t ticket, std::string bytes) {
    take(place, tables_[place].arrive(ranks, ticket, std::move(bytes)));
  }
  void connect(std::uint32_t rank) { at(rank).connected(rank); }
  void finalize(std::uint32_t rank) { at(rank).finalized(rank); }
  void end(std::uint32_t rank) { take(map_.place_of(rank), at(rank).ended(rank)); }
  void cut_off(std::uint32_t place) { take(place, tables_[place].cut_off()); }

  /// What the fence with this ticket was answered: its bytes, "failed", or "waits".
  std::string answer(std::uint64_t ticket) const {
    auto at = answers_.find(ticket);
    return at == answers_.end() ? "waits" : at->second;
  }
  const std::map<std::uint32_t, std::string>& broken() const { return broken_; }
  int words() const { return words_; }

 private:
  RankTable& at(std::uint32_t rank) { return tables_[map_.place_of(rank)]; }

  void take(std::uint32_t place, const RankTable::Actions& actions) {
    for (const auto& action : actions) {
      if (auto* done = std::get_if<RankTable::Complete>(&action)) {
        EXPECT_FALSE(answers_.contains(done->ticket)) << "answered twice";
        answers_[done->ticket] = done->ok ? done->bytes : "failed";
      } else if (auto* broken = std::get_if<RankTable::Broken>(&action)) {
        EXPECT_FALSE(broken_.contains(place)) << "said twice";
        broken_[place] = broken->why;
      } else {
        carry(place, std::get<RankTable::Send>(action));
      }
    }
  }
  void carry(std::uint32_t from, const RankTable::Send& send) {
    ++words_;
    auto& to = tables_[send.place];
    if (auto* part = std::get_if<FencePart>(&send.words)) take(send.place, to.on(*part));
    else if (auto* done = std::get_if<FenceDone>(&send.words)) take(send.place, to.on(*done));
    else if (auto* left = std::get_if<RankLeft>(&send.words)) take(send.place, to.on(*left));
    else if (auto* broken = std::get_if<RanksBroken>(&send.words))
      take(send.place, to.on(*broken, from));
    else FAIL() << "unexpected words";
  }

  RankMap map_;
  std::deque<RankTable> tables_;
  std::map<std::uint64_t, std::string> answers_;
  std::map<std::uint32_t, std::string> broken_;
  int words_ = 0;
};

std::string sorted(std::string text) {
  std::sort(text.begin(), text.end());
  return text;
}

TEST(rank_table, a_fence_is_complete_when_every_host_has_arrived) {
  Job job("a 2 b 2 c 1", 32);
  job.arrive(1, {}, 11, "B");
  job.arrive(0, {}, 10, "A");
  EXPECT_EQ(job.answer(10), "waits");
  EXPECT_EQ(job.answer(11), "waits");
  job.arrive(2, {}, 12, "C");
  for (auto ticket : {10, 11, 12}) EXPECT_EQ(sorted(job.answer(ticket)), "ABC");
}

TEST(rank_table, one_host_alone_completes_at_once) {
  Job job("a 4", 32);
  job.arrive(0, {}, 1, "A");
  EXPECT_EQ(job.answer(1), "A");
  EXPECT_EQ(job.words(), 0);
}

TEST(rank_table, fences_of_the_same_ranks_are_kept_apart_by_their_order) {
  Job job("a 1 b 1", 32);
  job.arrive(0, {}, 1, "1");
  job.arrive(0, {}, 2, "2");
  job.arrive(1, {}, 3, "x");
  EXPECT_EQ(sorted(job.answer(1)), "1x");
  EXPECT_EQ(job.answer(2), "waits");
  job.arrive(1, {}, 4, "y");
  EXPECT_EQ(sorted(job.answer(2)), "2y");
  EXPECT_EQ(sorted(job.answer(4)), "2y");
}

TEST(rank_table, a_fence_of_some_ranks_concerns_their_hosts_only) {
  Job job("a 2 b 2 c 2", 32);
  job.arrive(1, {2, 5}, 1, "B");
  EXPECT_EQ(job.answer(1), "waits");
  job.arrive(2, {2, 5}, 2, "C");  // the first host has no part in it and passes it on
  EXPECT_EQ(sorted(job.answer(1)), "BC");
  EXPECT_EQ(sorted(job.answer(2)), "BC");
  EXPECT_EQ(job.words(), 4);
}

TEST(rank_table, data_goes_up_and_down_a_tree) {
  std::string hosts;
  for (int i = 0; i < 40; ++i) hosts += "h" + std::to_string(i) + " 1 ";
  Job job(hosts, 3);
  for (std::uint32_t place = 40; place-- > 0;) job.arrive(place, {}, 100 + place, "x");
  for (std::uint32_t place = 0; place < 40; ++place)
    EXPECT_EQ(job.answer(100 + place), std::string(40, 'x'));
  EXPECT_EQ(job.words(), 2 * 39);  // one word each way on each link
}

TEST(rank_table, who_ends_after_mpi_finalize_harms_nobody) {
  Job job("a 2 b 2", 32);
  for (auto rank : {0, 1, 2, 3}) job.connect(rank);
  for (auto rank : {0, 1, 2, 3}) job.finalize(rank), job.end(rank);
  EXPECT_TRUE(job.broken().empty());
}

TEST(rank_table, programs_that_are_no_mpi_programs_end_as_they_like) {
  Job job("a 2 b 2", 32);
  for (auto rank : {0, 1, 2, 3}) job.end(rank);
  EXPECT_TRUE(job.broken().empty());
}

TEST(rank_table, who_ends_before_mpi_finalize_ends_them_all) {
  Job job("a 2 b 2", 32);
  for (auto rank : {0, 1, 2, 3}) job.connect(rank);
  job.arrive(0, {}, 1, "A");
  job.end(3);
  EXPECT_EQ(job.answer(1), "failed");
  ASSERT_EQ(job.broken().size(), 2u);
  EXPECT_EQ(job.broken().at(0), "rank 3 ended without MPI_Finalize");
}

TEST(rank_table, who_ends_before_mpi_init_is_missed_by_those_that_wait) {
  Job job("a 1 b 1 c 1", 32);
  job.end(2);
  EXPECT_TRUE(job.broken().empty());  // it may be no MPI program
  job.connect(1);
  job.arrive(1, {}, 1, "B");
  EXPECT_EQ(job.answer(1), "failed");
  EXPECT_EQ(job.broken().size(), 3u);
}

TEST(rank_table, who_waits_for_others_is_not_harmed_by_one_that_left) {
  Job job("a 1 b 1 c 1", 32);
  job.arrive(0, {0, 1}, 1, "A");
  job.end(2);
  EXPECT_EQ(job.answer(1), "waits");
  job.arrive(1, {0, 1}, 2, "B");
  EXPECT_EQ(sorted(job.answer(1)), "AB");
}

TEST(rank_table, a_fence_after_the_end_fails_at_once) {
  Job job("a 1 b 2", 32);
  job.connect(1);
  job.end(2);
  job.arrive(1, {}, 1, "B");
  job.arrive(0, {}, 2, "A");
  EXPECT_EQ(job.answer(1), "failed");
  EXPECT_EQ(job.answer(2), "failed");
}

TEST(rank_table, a_lost_neighbour_fails_what_waits_and_blames_nobody) {
  Job job("a 1 b 1", 32);
  job.arrive(0, {}, 1, "A");
  job.cut_off(0);
  EXPECT_EQ(job.answer(1), "failed");
  job.arrive(0, {}, 2, "A");
  EXPECT_EQ(job.answer(2), "failed");
  EXPECT_TRUE(job.broken().empty());
}

}  // namespace
}  // namespace wm::ranks
