// Role: what other programs send over sockets: frames cut at any byte, with any length, and the
// words that travel in them, of agents, hosts and workers, spoiled. Whatever comes: a value or a
// refusal, what is read is written and read again as the same, and no more is kept than has come.
// Prints the bytes.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "libwm/base/hash.h"
#include "libwm/codec/codec.h"
#include "libwm/frames/cutter.h"
#include "libwm/model/elastic.h"
#include "libwm/model/node/node.h"
#include "test/support/mutate.h"

namespace wm {
namespace {

using Strings = std::vector<std::string>;

// Lengths and field keys that readers stumble over.
const Strings kPieces{std::string(4, '\0'),
                      "\xff\xff\xff\xff",
                      std::string("\0\0\0\x80", 4),
                      "\x0a\xff\xff\xff\x7f",
                      "\x12\x80\x80\x80\x80\x10",
                      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                      "\x0a\x01",
                      "\x1a\x00",
                      "\xfa\x01",
                      "\x0b\x0c"};

/// What a stream holds, and how it was cut: by any cutter of these frames.
struct Cut {
  Strings frames;
  bool refused = false;
  std::size_t most_held = 0;
};

// `stream` in pieces of these sizes, over and over.
Cut cut(std::string_view stream, std::size_t limit, std::size_t beside,
        const std::vector<std::size_t>& sizes) {
  Cut all;
  frames::Cutter cutter(limit, beside);
  for (std::size_t n = 0; !stream.empty() && !all.refused; ++n) {
    auto piece = stream.substr(0, sizes[n % sizes.size()]);
    stream.remove_prefix(piece.size());
    cutter.add(piece);
    for (;;) {
      auto next = cutter.next();
      all.refused = !next;
      if (!next || !*next) break;
      all.frames.push_back(std::string((*next)->beside) + "|" + std::string((*next)->payload));
    }
    all.most_held = std::max(all.most_held, cutter.buffered());
  }
  return all;
}

TEST(frame_fuzz, where_a_stream_is_cut_makes_no_difference) {
  std::mt19937 random(1);
  for (unsigned n = 0; n < test::fuzz_count(300); ++n) {
    const std::size_t beside = random() % 3, limit = 200;
    std::string stream;
    Strings sent;
    for (auto count = random() % 6; count > 0; --count) {
      std::string payload(random() % (limit + 1), static_cast<char>(random()));
      std::string type(beside, static_cast<char>(random()));
      stream += frames::frame(payload, type);
      sent.push_back(type + "|" + payload);
    }
    std::vector<std::size_t> sizes(1 + random() % 4);
    for (auto& size : sizes) size = 1 + random() % 90;
    auto got = cut(stream, limit, beside, sizes);
    EXPECT_FALSE(got.refused) << n;
    EXPECT_EQ(got.frames, sent) << n;
  }
}

TEST(frame_fuzz, a_spoiled_stream_is_cut_the_same_by_any_cutter_and_keeps_little) {
  test::Mutator mutator(2, kPieces);
  std::mt19937 random(3);
  const std::size_t limit = 300;
  std::string good;
  for (int n = 0; n < 5; ++n) frames::append_frame(good, std::string(40 * n, 'a'));
  for (unsigned n = 0; n < test::fuzz_count(2000); ++n) {
    auto stream = mutator.spoiled(good);
    auto whole = cut(stream, limit, 0, {stream.size() + 1});
    auto bits = cut(stream, limit, 0, {1 + random() % 7, 1 + random() % 50});
    EXPECT_EQ(bits.frames, whole.frames) << hex(stream);
    EXPECT_EQ(bits.refused, whole.refused) << hex(stream);
    if (!bits.refused) {
      EXPECT_LE(bits.most_held, limit + frames::kLengthBytes + 50) << hex(stream);
    }
  }
}

TEST(frame_fuzz, a_length_beyond_the_limit_is_refused_by_its_header_alone) {
  for (std::uint32_t length : {301u, 1u << 20, 0x7fffffffu, 0xffffffffu}) {
    auto got = cut(frames::header(length), 300, 0, {1});
    EXPECT_TRUE(got.refused) << length;
    EXPECT_LE(got.most_held, frames::kLengthBytes);
  }
  EXPECT_FALSE(cut(frames::header(300), 300, 0, {1}).refused);
}

// Of `bytes`: a value or words; the value as bytes is read as what it is, and is no larger than
// what came: every element of a list took a byte at least.
template <class Words>
void read_again(const std::string& bytes) {
  auto value = codec::decode<Words>(bytes);
  if (!value) {
    EXPECT_EQ(test::trouble_with_refusal(value.error().text), "") << hex(bytes);
    return;
  }
  // What older programs did not say is worked out where words are read, so once is not enough.
  auto settled = codec::decode<Words>(codec::encode(*value));
  ASSERT_TRUE(settled) << hex(bytes) << ": " << settled.error().text;
  auto written = codec::encode(*settled);
  auto again = codec::decode<Words>(written);
  ASSERT_TRUE(again) << hex(bytes) << ": " << again.error().text;
  EXPECT_EQ(codec::encode(*again), written) << hex(bytes);  // not by ==, for which NaN is another
  EXPECT_LE(written.size(), 64 * bytes.size() + 1024) << hex(bytes);
}

template <class Words>
void spoil(const std::vector<Words>& good, unsigned seed) {
  test::Mutator mutator(seed, kPieces);
  Strings texts;
  for (const auto& words : good) texts.push_back(codec::encode(words));
  for (const auto& text : texts) read_again<Words>(text);
  for (unsigned n = 0; n < test::fuzz_count(1500); ++n)
    read_again<Words>(mutator.spoiled(mutator.one_of(texts)));
  for (const auto& text : texts)  // and every half of each
    for (std::size_t n = 0; n < text.size(); ++n) read_again<Words>(text.substr(0, n));
}

AgentReport report(AgentFact fact) { return {{12, 3}, Attempt{4}, HostId{5}, std::move(fact)}; }

TEST(frame_fuzz, facts_of_agents) {
  EpochFormed formed{EpochNumber{7},
                     LeadNumber{2},
                     {TaskNumber{1}, TaskNumber{3}},
                     400,
                     Duration(20000),
                     true,
                     2,
                     "grow",
                     EpochCause::Resize};
  WorkerProgress progress{EpochNumber{2}, 10, 640, 1, 0.25, -1, Duration(20000), 3200.5, -1, true};
  spoil<AgentReport>(
      {report(AgentUp{"127.0.0.1:40123", {}}), report(formed), report(WorkersCapped{8}),
       report(WorkerSeen{TaskNumber{2}}), report(TaskFaulty{TaskNumber{2}, "hangs in step 4"}),
       report(JobProgress{progress, 4}), report(TrialSaid{R"({"loss":[[1,0.5]]})"})},
      10);
}

TEST(frame_fuzz, words_of_workers) {
  spoil<FromWorker>({WorkerHello{1, TaskNumber{3}, 4711, 4, 2}, WorkerDone{40, 2}}, 11);
  spoil<ToWorker>({EpochPlan{EpochNumber{7},
                             LeadNumber{2},
                             {TaskNumber{3}, TaskNumber{1}},
                             "127.0.0.1:9",
                             true,
                             "grow",
                             1,
                             EpochCause::Resize},
                   WorkerLeave{"it goes on", 2}, WorkerStand{}},
                  12);
}

TEST(frame_fuzz, orders_to_agents) {
  AgentOrder order;
  order.job = {12, 4};
  order.tasks = {{TaskNumber{1}, HostId{1}, false}, {TaskNumber{2}, HostId{2}, true}};
  order.hang_limit = Duration(30000000);
  spoil<NodeToAgent>({order, TaskGone{TaskNumber{1}, "signal 9"}, NodeHeartbeat{MasterSeen::Down},
                      WorkerCheckpoint{"grace"}},
                     13);
}

TEST(frame_fuzz, what_hosts_say) {
  HostFact fact;
  spoil<HostFact>({fact}, 14);
  spoil<HostRegister>({HostRegister{}}, 15);
}

}  // namespace
}  // namespace wm
