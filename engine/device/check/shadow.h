// Shadow memory: for each four bytes (for each byte, where bytes are accessed) who wrote last and who read last, and when.
//
// "When" is a tick: a number that a block raises at each of its barriers, counted on from launch to launch. What orders two
// accesses is decided in ordered() of checked_launch.cpp; here they are only kept. Several readers at once are two of them and a
// mark, since a write after them is wrong whoever they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace quern::check {

struct Stamp {
  uint32_t thread = 0;  // its number in the launch
  uint32_t tick = 0;    // 0: nobody
};

struct Cell {
  Stamp write, read;
  uint32_t other_reader = 0;                 // of several at once: one that is not in `read`
  uint16_t write_place = 0, read_place = 0;  // the place's number; marks above it
  static constexpr uint16_t place_mask = 0x0fff;
  static constexpr uint16_t is_atomic = 0x1000, is_volatile = 0x2000;
  static constexpr uint16_t by_many = 0x4000, by_many_blocks = 0x8000;  // of reads
  static constexpr uint16_t is_written = 0x4000;                        // of writes: by whomever
  static constexpr uint16_t of_block = 0x8000;                          // of atomic writes: for threads of the block alone
};
static_assert(sizeof(Cell) == 24);

class Shadow {
 public:
  explicit Shadow(size_t bytes) : bytes_(bytes) {}
  size_t size() const { return bytes_; }
  size_t held() const { return cells_.size() * sizeof(Cell); }  // what this itself takes

  // The cells of an access: first and how many. Cells become ones of bytes at the first access that is no multiple of four.
  struct Range {
    Cell* first;
    size_t count;
  };
  Range cells(size_t offset, size_t bytes) {
    if (by_bytes_ || (offset | bytes) & 3) {
      split();
      return {cells_.data() + offset, bytes};
    }
    if (cells_.empty()) cells_.resize((bytes_ + 3) / 4);
    return {cells_.data() + offset / 4, bytes / 4};
  }
  // The cells of a range that there are already.
  template <class F>
  void each(size_t offset, size_t bytes, F&& f) const {
    size_t unit = by_bytes_ ? 1 : 4;
    for (size_t i = offset / unit; i < (offset + bytes + unit - 1) / unit && i < cells_.size(); ++i) f(cells_[i]);
  }

  // Which bytes anybody wrote; all of them from mark_all() on.
  bool is_written(size_t offset, size_t bytes) const {
    if (all_written_) return true;
    if (cells_.empty()) return false;
    bool all = true;
    each(offset, bytes, [&](const Cell& cell) { all = all && cell.write_place & Cell::is_written; });
    return all;
  }
  void mark_written(size_t offset, size_t bytes) {
    if (all_written_) return;
    if (bytes >= bytes_) return mark_all();
    size_t end = std::min(offset + bytes, bytes_);
    size_t whole = end == bytes_ ? (end + 3) / 4 * 4 : end;  // the last cell may be of less than four bytes
    auto [cell, count] = cells(offset, (by_bytes_ ? end : whole) - offset);
    if (by_bytes_) count = end - offset;
    for (Cell* last = cell + count; cell != last; ++cell) cell->write_place |= Cell::is_written;
  }
  void mark_all() { all_written_ = true; }

 private:
  void split() {
    if (by_bytes_) return;
    by_bytes_ = true;
    std::vector<Cell> fine(bytes_);
    for (size_t i = 0; i < bytes_ && i / 4 < cells_.size(); ++i) fine[i] = cells_[i / 4];
    cells_ = std::move(fine);
  }

  size_t bytes_;
  std::vector<Cell> cells_;
  bool by_bytes_ = false, all_written_ = false;
};

}  // namespace quern::check
