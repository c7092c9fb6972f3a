// Role: see store_files.h.
#include "test/support/store_files.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

namespace wm::test {

ScratchDir::ScratchDir() {
  // In memory where there is such a file system: a sync then costs nothing.
  bool in_memory = ::access("/dev/shm", W_OK) == 0;
  auto base =
      in_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
  const char* tag = ::getenv("WM_TEST_TAG");  // names the owner, when it is left behind
  path_ = (base / ("wm." + std::string(tag ? tag : "store") + "-XXXXXX")).string();
  WM_CHECK(::mkdtemp(path_.data()) != nullptr);
}

ScratchDir::~ScratchDir() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

WallTime at_second(std::int64_t seconds) {
  return WallTime(std::chrono::seconds(1794000000 + seconds));  // 2026-11-06
}

store::EventRow event_row(std::uint64_t n) {
  return {Seq{n}, at_second(static_cast<std::int64_t>(n)), static_cast<std::uint16_t>(n % 7), 1,
          "event " + std::to_string(n)};
}

store::Batch events(std::uint64_t first, std::uint64_t count) {
  store::Batch batch;
  for (auto n = first; n < first + count; ++n) batch.events.push_back(event_row(n));
  return batch;
}

store::RequestKey request_key(std::uint64_t n) {
  store::RequestKey key(20, '\0');
  for (std::size_t i = 0; i < 8; ++i) key[4 + i] = static_cast<char>(n >> (8 * i));
  return key;
}

store::Batch full_batch(std::uint64_t first, std::uint64_t count) {
  auto batch = events(first, count);
  std::string script = "#!/bin/sh\necho " + std::to_string(first);
  batch.blobs.push_back({store::blob_hash(script), script});
  batch.replies.push_back({request_key(first), at_second(static_cast<std::int64_t>(first)),
                           "reply " + std::to_string(first)});
  return batch;
}

std::vector<store::EventRow> all_events(store::EventStore& store, Seq from) {
  std::vector<store::EventRow> all;
  for (;;) {
    auto rows = store.read_events(from, {.rows = 100});
    WM_CHECK(rows);
    if (rows->empty()) return all;
    from.value += rows->size();
    all.insert(all.end(), rows->begin(), rows->end());
  }
}

}  // namespace wm::test
