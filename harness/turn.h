// A turn at the target: how many target workers work at once, whatever the number of slots.
//
//   Turn turn(context.turns);
//   turn.Take();        // waits until a place is free
//   ...                 // compile, execute
//   turn.Give();        // the comparison that follows needs none
//
// With more slots than turns the reference of one case works while the targets of others do, and no core waits.
#ifndef OPBYOP_HARNESS_TURN_H_
#define OPBYOP_HARNESS_TURN_H_

#include <chrono>
#include <semaphore>

namespace opbyop::harness {

class Turn {
 public:
  // Without `turns` every turn is free.
  explicit Turn(std::counting_semaphore<>* turns) : turns_(turns) {}
  ~Turn() { Give(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool TryTake() {
    if (!taken_) taken_ = turns_ == nullptr || turns_->try_acquire();
    return taken_;
  }

  void Take() {
    if (TryTake()) return;
    const auto begin = std::chrono::steady_clock::now();
    turns_->acquire();
    taken_ = true;
    waited_ += std::chrono::steady_clock::now() - begin;
  }

  void Give() {
    if (taken_ && turns_ != nullptr) turns_->release();
    taken_ = false;
  }

  // Time spent in Take: no time of the case.
  double waited_ms() const { return std::chrono::duration<double, std::milli>(waited_).count(); }

 private:
  std::counting_semaphore<>* turns_;
  bool taken_ = false;
  std::chrono::steady_clock::duration waited_{};
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_TURN_H_
