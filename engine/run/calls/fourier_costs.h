// What transforms cost, and so how a length is best divided: radices of passes, the rows of a matrix, the length of a
// convolution.
//
// The unit is a nanosecond of a processor of 2022 for a vector's pair of numbers; only how costs compare matters. They were
// measured with vectors of 64 bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace quern::fft {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr int64_t largest_of_convolutions = 11;  // the prime factors of their lengths

class Costs {
 public:
  // Of a level's vectors, and a real number's bytes.
  Costs(int64_t width, int64_t bytes) : width_(width), bytes_(bytes) {}

  // The radices of n numbers' passes, in the order of these; n has no factors that are too large.
  std::vector<int64_t> radices(int64_t n);
  // A vector of lines of n numbers, in lanes: by passes, or by a convolution of so many numbers.
  struct InLanes {
    double cost;
    int64_t within;  // 0: none
  };
  InLanes lanes(int64_t n);
  // A line of n numbers by itself: a matrix of so many rows; of its numbers, or of a convolution's. Never, for a prime number
  // that is small. `in_lanes`: of a vector of lines, each as that matrix; never where there is a convolution.
  struct ByItself {
    double cost;
    int64_t rows, within;
    double in_lanes = never;
  };
  ByItself line(int64_t n);
  static double moving();  // a load and a store

 private:
  struct Best {
    double cost;
    int64_t radix;
  };
  double least(int64_t n) const;
  Best best(int64_t n, double least);
  ByItself matrix(int64_t n);

  int64_t width_, bytes_;
  std::map<std::pair<int64_t, double>, Best> known_;
};

}  // namespace quern::fft
