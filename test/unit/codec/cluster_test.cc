#include "libwm/model/cluster.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "libwm/codec/codec.h"

namespace wm {
namespace {

// Bytes of zeros that take memory only where they are written.
class Sparse {
 public:
  explicit Sparse(std::size_t size)
      : size_(size),
        at_(::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  ~Sparse() { ::munmap(at_, size_); }

  bool is_there() const { return at_ != MAP_FAILED; }
  void put(std::size_t at, const std::string& bytes) {
    bytes.copy(static_cast<char*>(at_) + at, bytes.size());
  }
  std::string_view first(std::size_t bytes) const { return {static_cast<const char*>(at_), bytes}; }

 private:
  std::size_t size_;
  void* at_;
};

std::string varint(std::uint64_t n) {
  std::string out;
  for (; n > 0x7f; n >>= 7) out += static_cast<char>(n | 0x80);
  return out + static_cast<char>(n);
}

// A field that nobody knows, so long that all of it is `total` bytes.
std::string head_of_filler(std::size_t total) {
  auto key = varint(999u << 3 | 2);
  return key + varint(total - key.size() - varint(total).size());
}

Cluster state() {
  Cluster cluster;
  cluster.seq = Seq{77};
  cluster.last_job = 4711;
  Host host;
  host.id = HostId{3};
  host.name = "h3";
  cluster.hosts.set(3, host);
  return cluster;
}

class Snapshots : public testing::TestWithParam<std::size_t> {};

// Sizes at which an int or 32 bits are too few for a position.
TEST_P(Snapshots, what_stands_behind_so_many_bytes_is_read) {
  auto filler = GetParam();
  auto bytes = codec::encode(state());
  Sparse all(filler + bytes.size());
  ASSERT_TRUE(all.is_there());
  all.put(0, head_of_filler(filler));
  all.put(filler, bytes);
  auto back = codec::decode<Cluster>(all.first(filler + bytes.size()));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->last_job, 4711u);
  EXPECT_EQ(back->seq, Seq{77});
  ASSERT_TRUE(back->hosts.find(3));
  EXPECT_EQ(back->hosts.find(3)->name, "h3");
}

TEST_P(Snapshots, one_that_is_cut_off_is_damaged) {
  auto filler = GetParam();
  Sparse all(filler);
  ASSERT_TRUE(all.is_there());
  all.put(0, head_of_filler(filler));
  auto back = codec::decode<Cluster>(all.first(filler - 1));
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code, Code::Damaged);
}

INSTANTIATE_TEST_SUITE_P(sizes, Snapshots,
                         testing::Values(std::size_t{1} << 10, (std::size_t{1} << 31) + 5,
                                         (std::size_t{1} << 32) + 5));

}  // namespace
}  // namespace wm
