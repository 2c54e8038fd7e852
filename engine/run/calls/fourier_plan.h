// What transforms of one length need, whoever's lines they are of: factors, turns, convolutions; and what they cost. Start at
// Plan and plan_of().
#pragma once

#include "run/calls/fourier_costs.h"
#include "run/calls/fourier_levels.h"

#include <memory>
#include <mutex>
#include <vector>

namespace quern::fft {

template <class T>
const Loops<T>& loops();  // of this processor
// The narrower ones for few lines; they work with the same steps.
template <class T>
const Loops<T>& loops_for(int64_t lines);

// Numbers in vectors' memory.
template <class T>
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(int64_t count);  // of T
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  int64_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(T* p) const;
  };
  std::unique_ptr<T, Free> data_;
  int64_t bytes_ = 0;
};

// e^(-2 pi i k / n): few are computed, the others are products of two, in more digits than T has.
class Roots {
 public:
  explicit Roots(int64_t n);
  struct Root {
    long double re, im;
  };
  Root operator()(int64_t k) const {  // 0 <= k < n
    const Root &a = coarse_[static_cast<size_t>(k >> shift_)], &b = fine_[static_cast<size_t>(k & mask_)];
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }

 private:
  int64_t shift_, mask_;
  std::vector<Root> coarse_, fine_;
};

// Turns of any number below n.
template <class T>
class TurnsPlan {
 public:
  explicit TurnsPlan(int64_t n);
  const Turns<T>& turns() const { return turns_; }
  int64_t bytes() const { return coarse_.bytes() + fine_.bytes(); }

 private:
  Numbers<T> coarse_, fine_;
  Turns<T> turns_;
};

// Owns what its Steps name.
template <class T>
class StepsPlan {
 public:
  explicit StepsPlan(int64_t n);
  StepsPlan(const StepsPlan&) = delete;
  const Steps<T>& steps() const { return steps_; }
  int64_t bytes() const { return bytes_; }

 private:
  void factorize(int64_t n);
  void convolve(int64_t n, int64_t within);
  Numbers<T>& numbers(int64_t count);

  Steps<T> steps_{};
  std::vector<Step<T>> list_;
  std::vector<Numbers<T>> numbers_;
  int64_t bytes_ = 0;
};

// Of one line by itself: as a matrix, or as a convolution that is one.
template <class T>
class LinePlan {
 public:
  LinePlan(int64_t n, int64_t rows, int64_t within);
  int64_t n() const { return n_; }
  const Split<T>& split() const { return split_; }
  int64_t blocks() const { return (split_.n2 + loops<T>().width - 1) / loops<T>().width; }
  int64_t groups() const { return (split_.n1 + loops<T>().width - 1) / loops<T>().width; }
  int64_t work() const { return blocks() * split_.n1 * loops<T>().width * 2; }  // Ts
  int64_t room() const;                                                         // of a thread, for columns and for rows
  // Of a convolution: split() is of its length.
  bool is_convolution() const { return chirp_.data() != nullptr; }
  int64_t within() const { return split_.n1 * split_.n2; }
  const T* chirp() const { return chirp_.data(); }
  const T* filter() const { return filter_.data(); }
  int64_t bytes() const;

 private:
  void divide(int64_t n, int64_t n1);

  int64_t n_;
  Split<T> split_{};
  std::unique_ptr<StepsPlan<T>> first_, second_;
  Numbers<T> turns_, block_turns_, chirp_, filter_;
};

// Everything of one length of complex numbers; made when it is asked for.
template <class T>
class Plan {
 public:
  explicit Plan(int64_t n);
  ~Plan();
  Plan(const Plan&) = delete;
  int64_t n() const { return n_; }
  double lanes_cost() const { return lanes_cost_; }  // nanoseconds of a vector of lines, about
  double line_cost() const { return line_.cost; }    // of one line by itself; never: it cannot be
  int64_t line_work() const;                         // Ts of memory for its matrix
  int64_t line_within() const { return line_.within; }
  double tall_cost() const { return line_.in_lanes; }  // of a vector of lines, each as the matrix of line(); never: there is none
  int64_t tall_work() const;                           // Ts of memory for these
  const Steps<T>& lanes() const;
  const LinePlan<T>& line() const;
  const TurnsPlan<T>& ends() const;  // of 2 n reals
  const T* lanes_ends() const;       // the same, k from 0 to n / 2 without gaps

 private:
  void made(int64_t bytes) const;

  int64_t n_;
  double lanes_cost_;
  Costs::ByItself line_;
  mutable std::mutex lock_;
  mutable int64_t bytes_ = 0;
  mutable std::unique_ptr<StepsPlan<T>> lanes_;
  mutable std::unique_ptr<LinePlan<T>> line_plan_;
  mutable std::unique_ptr<TurnsPlan<T>> ends_;
  mutable Numbers<T> lanes_ends_;
};

// Plans are kept, those used last, for whoever asks next; after a use, one that is too large is let go.
template <class T>
std::shared_ptr<const Plan<T>> plan_of(int64_t n);
template <class T>
void let_go_of_plans();

}  // namespace quern::fft
