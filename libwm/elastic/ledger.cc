// A keyed permutation instead of a shuffled list: any position is found in constant time and
// memory on every host, and a newcomer needs the cursor only.
#include "libwm/elastic/ledger.h"

#include <algorithm>
#include <bit>

#include "libwm/base/result.h"

namespace wm::elastic {
namespace {

constexpr int kRounds = 8;  // 4 give a permutation that looks random, the rest is for tiny domains

/// One value from two, well mixed. @source splitmix64's finaliser, S. Vigna 2015
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a + 0x9e3779b97f4a7c15ULL * (b + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Balanced Feistel network on 2 * half_bits bits.
std::uint64_t feistel(std::uint64_t value, int half_bits, std::uint64_t key) {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  std::uint64_t left = value >> half_bits;
  std::uint64_t right = value & mask;
  for (int round = 0; round < kRounds; ++round) {
    std::uint64_t next = left ^ (mix(mix(key, static_cast<std::uint64_t>(round)), right) & mask);
    left = right;
    right = next;
  }
  return left << half_bits | right;
}

}  // namespace

Take take(const Ledger& ledger, Cursor cursor, std::uint64_t global_batch) {
  WM_CHECK(ledger.samples > 0 && global_batch > 0 && cursor.next < ledger.samples);
  Take step;
  step.at = cursor;
  step.count = std::min(global_batch, ledger.samples - cursor.next);
  step.ends_epoch = cursor.next + step.count == ledger.samples;
  step.after = step.ends_epoch ? Cursor{cursor.data_epoch + 1, 0}
                               : Cursor{cursor.data_epoch, cursor.next + step.count};
  return step;
}

std::uint64_t sample(const Ledger& ledger, std::uint64_t data_epoch, std::uint64_t position) {
  WM_CHECK(position < ledger.samples);
  if (!ledger.shuffle || ledger.samples == 1) return position;
  const int half_bits = (std::bit_width(ledger.samples - 1) + 1) / 2;
  const std::uint64_t key = mix(ledger.seed, data_epoch);
  std::uint64_t at = position;
  do at = feistel(at, half_bits, key);
  while (at >= ledger.samples);  // walks along its cycle back into the domain
  return at;
}

std::uint64_t augmentation_seed(const Ledger& ledger, std::uint64_t data_epoch,
                                std::uint64_t sample) {
  return mix(mix(ledger.seed, data_epoch), sample);
}

}  // namespace wm::elastic
