// Role: scalars of TensorBoard: what each writer leaves is read, what is none is passed over, and a
// file that still grows is read up to its last whole record.
#include "libwm/rest/event_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace wm::rest {
namespace {

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value > 127; value >>= 7) out += static_cast<char>((value & 127) | 128);
  return out + static_cast<char>(value);
}
std::string field(unsigned number, unsigned kind, const std::string& data) {
  return varint(number << 3 | kind) + (kind == 2 ? varint(data.size()) : "") + data;
}
template <class Number>
std::string raw(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}
std::string record(const std::string& event) {
  return raw<std::uint64_t>(event.size()) + "crc!" + event + "crc!";
}
std::string event(double time, std::uint64_t step, const std::string& tag,
                  const std::string& value) {
  auto scalar = field(1, 2, tag) + value;
  return record(field(1, 1, raw(time)) + field(2, 0, varint(step)) +
                field(5, 2, field(1, 2, scalar)));
}
std::string simple(float value) { return field(2, 5, raw(value)); }
std::string tensor(const std::string& fields) { return field(8, 2, fields); }

struct event_file : testing::Test {
  std::string seen;
  EventsRead read(const std::string& bytes) {
    seen.clear();
    return each_scalar(bytes, "logs", [this](const MetricName& name, const MetricPoint& point) {
      seen += name.first + "/" + name.second + "@" + std::to_string(int(point.iteration)) + "=" +
              std::to_string(point.value).substr(0, 5) + " ";
    });
  }
};

TEST_F(event_file, each_writers_scalars_are_read) {
  auto bytes = record(field(1, 1, raw(1.0)) + field(3, 2, "brain.Event:2")) +
               event(7.5, 300, "loss", simple(0.25F)) +
               event(8, 301, "acc", tensor(field(1, 0, varint(1)) + field(4, 2, raw(0.5F)))) +
               event(9, 302, "acc", tensor(field(1, 0, varint(2)) + field(6, 2, raw(0.75)))) +
               event(9, 303, "acc", tensor(field(1, 0, varint(1)) + field(2, 2, "")));
  auto end = read(bytes);
  EXPECT_EQ(end.bytes, bytes.size());
  EXPECT_FALSE(end.damaged);
  EXPECT_EQ(seen, "logs/loss@300=0.250 logs/acc@301=0.500 logs/acc@302=0.750 logs/acc@303=0.000 ");
}

TEST_F(event_file, what_is_no_scalar_or_damaged_is_passed_over) {
  auto shape = field(1, 0, varint(1)) + field(2, 2, field(2, 2, "x")) + field(4, 2, raw(1.0F));
  auto bytes = event(1, 1, "table", tensor(shape)) +
               event(1, 2, "text", tensor(field(1, 0, varint(7)))) +
               event(1, 3, "picture", field(4, 2, "png")) + event(1, 4, "", simple(1)) +
               event(1, 5, "nan", simple(std::nanf(""))) + record("\xff\xff\xff") +
               record(field(5, 2, "\x0a\x7f")) + event(1, 6, "lr", simple(1));
  EXPECT_EQ(read(bytes).bytes, bytes.size());
  EXPECT_EQ(seen, "logs/lr@6=1.000 ");
}

TEST_F(event_file, a_half_record_waits_and_a_long_one_need_not_be_held) {
  auto first = event(1, 1, "a", simple(1)), second = event(1, 2, "a", simple(2));
  for (std::size_t n = 0; n < second.size(); ++n)
    EXPECT_EQ(read(first + second.substr(0, n)).bytes, first.size()) << n;
  auto picture = raw<std::uint64_t>(5 << 20) + "crc!" + std::string(1000, 'p');
  EXPECT_EQ(read(first + picture).bytes, first.size());
  EXPECT_EQ(read(picture).bytes, (5u << 20) + 16);
  EXPECT_EQ(read(raw<std::uint64_t>(kLongestRecord - 16) + "crc!").bytes, 0u);
  EXPECT_TRUE(read("this is no such file at all").damaged);
  EXPECT_EQ(read("").bytes, 0u);
}

TEST(steps, say_how_long_each_took) {
  std::string seen;
  auto text =
      std::string("step,epoch,world,samples,t_begin,t_end\n1,1,2,64,1000000000,1500000000\n") +
      "2,1,3,96,1500000000,1750000000\n3,1,3,bad,1,2\n4,1,3,96,17";
  auto end = each_step(text, [&](const MetricName& name, const MetricPoint& point) {
    EXPECT_EQ(name.first, kSteps);
    seen += name.second + "@" + std::to_string(int(point.iteration)) + "=" +
            std::to_string(point.value).substr(0, 4) + " ";
  });
  EXPECT_EQ(seen,
            "seconds@1=0.50 samples@1=64.0 world@1=2.00 seconds@2=0.25 samples@2=96.0 "
            "world@2=3.00 ");
  EXPECT_EQ(end, text.rfind('\n') + 1);
}

}  // namespace
}  // namespace wm::rest
