// Role: the memory twin answers as the real store does, whatever is asked in whatever order.
#include "test/support/memory_store.h"

#include <gtest/gtest.h>

#include <random>

#include "libwm/store/core/core_db.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using namespace wm::test;

template <class T>
std::string answer(const Result<T>& r, const std::function<std::string(const T&)>& show) {
  return r ? show(*r) : std::string(code_name(r.error().code));
}

std::string show_rows(const std::vector<EventRow>& rows) {
  std::string text;
  for (const auto& row : rows) text += std::to_string(row.seq.value) + row.payload + " ";
  return text;
}

// One call, chosen by `dice`, as text: what it answered.
std::string ask(EventStore& store, int dice, std::uint64_t n, std::uint64_t& next) {
  using Size = std::size_t;
  auto number = [](const Size& v) { return std::to_string(v); };
  switch (dice) {
    case 0: return store.write_snapshot({*store.last_seq(), "s"}) ? "ok" : "failed";
    case 1: return answer<Size>(store.archive_events(Seq{n}), number);
    case 2:
      return answer<Size>(store.drop_replies(at_second(static_cast<std::int64_t>(n))), number);
    case 3: return answer<Size>(store.drop_blobs({full_batch(n, 1).blobs[0].hash}, Seq{n}), number);
    case 4: return answer<std::vector<EventRow>>(store.read_events(Seq{n}, {.rows = 5}), show_rows);
    case 5:
      return answer<std::string>(store.blob(full_batch(n, 1).blobs[0].hash),
                                 [](const std::string& s) { return s; });
    case 6: return store.reply(request_key(n))->value_or("none");
    case 7: return store.append(events(next + 1, 1)) ? "ok" : "failed";
    default: break;
  }
  bool kept = static_cast<bool>(store.append(full_batch(next, 1 + n % 3)));
  next += 1 + n % 3;
  return kept ? "ok" : "failed";
}

TEST(memory_store, answers_as_the_real_one_does) {
  ScratchDir dir;
  auto real = CoreDb::open({.dir = dir.path(), .reserve = Bytes{1 << 16}});
  ASSERT_TRUE(real);
  MemoryStore twin;
  std::mt19937 random(20261120);
  std::uint64_t next_real = 1, next_twin = 1;
  for (int i = 0; i < 600; ++i) {
    int dice = static_cast<int>(random() % 12);
    std::uint64_t n = 1 + random() % next_real;
    auto wanted = ask(**real, dice, n, next_real);
    ASSERT_EQ(ask(twin, dice, n, next_twin), wanted) << "call " << i << " kind " << dice;
  }
  EXPECT_EQ(twin.last_seq()->value, (*real)->last_seq()->value);
  EXPECT_EQ(**twin.latest_snapshot(), **(*real)->latest_snapshot());
}

}  // namespace
}  // namespace wm::store
