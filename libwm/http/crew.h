// Role: the threads that a server's connections run in: one each, taken again by later ones, so that
// none is made for every request. For server.cc alone.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace wm::http {

/// nginx makes a connection for each request to wuserd: a thread that has ended one takes the next,
/// for as long as these come. @thread any
class Crew : public std::enable_shared_from_this<Crew> {
 public:
  using Job = std::function<void()>;

  /// Runs the job on an idle thread, or on a new one. False: the system has no room for another.
  bool run(Job job);

 private:
  bool take(Job& job);

  std::mutex lock_;
  std::condition_variable news_;
  std::deque<Job> waiting_;  // Guarded by lock_.
  std::size_t idle_ = 0;     // Guarded by lock_.
};

}  // namespace wm::http
