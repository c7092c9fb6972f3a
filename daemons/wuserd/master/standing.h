// Role: connections that stay open as long as who opened them may: each is asked about every two
// seconds, and shut down once the answer is no. Who carries it sees its end.
//
//   visit() keep(fd, may_stay) ─► look() every 2 s ─► may_stay()? no: shutdown(fd) ─► carry() ends
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace wm::user {

/// @thread any
class Standing {
 public:
  using Question = std::function<bool()>;

  /// One of them, as long as this is there: so long `fd` has to stay open.
  class Held {
   public:
    Held(Standing& all, std::uint64_t number) : all_(all), number_(number) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { all_.forget(number_); }

   private:
    Standing& all_;
    std::uint64_t number_;
  };

  /// From now on `fd` stands. @param looks false: nothing but look() asks, which tests call
  [[nodiscard]] Held keep(int fd, Question may_stay, bool looks = true);
  /// Asks about each, and shuts down those that may not stay. @cost the questions, outside of locks
  void look();

 private:
  struct One {
    int fd = -1;
    Question may_stay;
  };
  void forget(std::uint64_t number);
  void look_on();

  std::mutex mutex_;
  std::map<std::uint64_t, One> all_;  // Guarded by mutex_.
  std::uint64_t last_ = 0;            // Guarded by mutex_.
  bool looking_ = false;              // Guarded by mutex_.
};

}  // namespace wm::user
