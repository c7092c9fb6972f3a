#include "libwm/trainer/groups/mpi/mpi_group.h"

// C++ bindings of old are not wanted.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <limits>

namespace wm::groups {
namespace {

constexpr std::size_t kPiece = std::numeric_limits<int>::max() / 2;  // MPI counts in ints
constexpr int kMessage = 1;

Plan plan_of_world() {
  Plan plan;
  MPI_Comm_rank(MPI_COMM_WORLD, &plan.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &plan.world);
  plan.survivors = static_cast<std::uint32_t>(plan.world);
  return plan;
}

// Calls `work` with the begin and length of each piece.
template <class Work>
void in_pieces(std::size_t size, Work work) {
  for (std::size_t at = 0; at < size; at += kPiece)
    work(at, static_cast<int>(std::min(kPiece, size - at)));
}

class MpiGroup final : public Group {
 public:
  using Group::Group;

  // Reduced at rank 0 and told to all: MPI_Allreduce may differ in its last bits between ranks.
  bool sum(std::span<double> values) override {
    if (dead_) return false;
    bool first = plan.rank == 0;
    in_pieces(values.size(), [&](std::size_t at, int count) {
      auto* own = values.data() + at;
      MPI_Reduce(first ? MPI_IN_PLACE : own, first ? own : nullptr, count, MPI_DOUBLE, MPI_SUM, 0,
                 MPI_COMM_WORLD);
      MPI_Bcast(own, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    });
    return true;
  }
  bool send(std::span<const char> bytes, int rank) override {
    if (dead_) return false;
    in_pieces(bytes.size(), [&](std::size_t at, int count) {
      MPI_Send(bytes.data() + at, count, MPI_BYTE, rank, kMessage, MPI_COMM_WORLD);
    });
    return true;
  }
  bool receive(std::span<char> bytes, int rank) override {
    if (dead_) return false;
    in_pieces(bytes.size(), [&](std::size_t at, int count) {
      MPI_Recv(bytes.data() + at, count, MPI_BYTE, rank, kMessage, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    });
    return true;
  }
  bool overlaps() const override { return false; }
  // Nobody waits for whom MPI has lost: it ends all ranks.
  void abort() override { dead_ = true; }
  bool dead() const override { return dead_; }
  void leave() override {}

 private:
  std::atomic<bool> dead_{false};
};

}  // namespace

MpiWorld::MpiWorld() { MPI_Init(nullptr, nullptr); }

MpiWorld::~MpiWorld() { finalize(); }

void MpiWorld::finalize() {
  int over = 0;
  MPI_Finalized(&over);
  if (!over) MPI_Finalize();
}

std::shared_ptr<Group> MpiWorld::group() { return std::make_shared<MpiGroup>(plan_of_world()); }

}  // namespace wm::groups
