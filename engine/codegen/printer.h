// The printer of a group's kernel; see emit.h for what it prints. Elements and what they need are in emit.cpp, the walks of
// reductions in emit_reduction.cpp. Names in the text: a load's pointer a<i> and value x<i>, a constant c<i> and k<i>, a store's
// pointer o<i>, a node's value v<i>, what it divides by d<i>; of a reduction node s<i> is a lane's part, z<i> the sum, w<i> the
// result.
#pragma once

#include "codegen/emit.h"
#include "core/format.h"

#include <string>
#include <vector>

namespace quern {

class Printer {
 public:
  Printer(const Group& group, const Form& form) : group_(group), form_(form) {}
  std::string print();
  std::string print_segments();

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    out_ += std::string(static_cast<size_t>(depth) * 2, ' ') + formatted(format, std::forward<Args>(args)...) + "\n";
  }

  std::string start();
  void numbers();
  void parameters();
  std::string user_rows() const;
  DType stored_type(size_t store) const;
  std::string index(const std::vector<std::string>& steps, size_t from, size_t to) const;
  void coordinates(int depth, size_t from, size_t to, std::string number);
  bool is_positions(size_t load) const { return group_.loads[load].node->op == Op::index; }
  bool is_fixed(size_t load) const;
  bool is_number(size_t load) const { return !is_positions(load) && is_fixed(load); }  // no store of the kernel changes it
  bool is_one_position(size_t load) const { return is_positions(load) && is_fixed(load); }
  bool is_reduction(size_t node) const { return group_.nodes[node]->op == Op::reduce; }
  bool is_per_element(size_t node) const { return !group_.per_result[node] && !group_.is_uniform(*group_.nodes[node]); }
  bool divides_by_number(size_t node) const;
  std::string value(const Origin& source, DType wanted) const;

  void constants(int depth);
  void uniform(int depth);
  bool is_fast(const Node& node) const;
  void row_result(int depth, size_t node);
  void user_result(int depth, size_t node);
  void load(int depth, size_t load, size_t dimensions);
  std::vector<bool> needed_in(uint8_t loop) const;
  void element(int depth, uint8_t loop);
  void elementwise();
  void packs();

  struct Lanes {
    std::string lane, other;  // which of the 32 lanes a thread is, and which of the block's results it works on
  };
  void reduction();
  void reduction_start();
  void loads_of_results();
  void start_reductions(int depth, uint8_t loop);
  void coordinates_of_lanes(int depth, const std::string& lane);
  void next_coordinates(int depth);
  void coordinates_of_rows(int depth);
  void next_row(int depth);
  bool reduces_in(uint8_t loop) const;
  bool is_last(uint8_t loop) const;
  int loads_ahead(uint8_t loop) const;
  void several_at_a_time(uint8_t loop, const Lanes& lanes, int ahead);
  int64_t elements_of_round() const;
  void one_after_the_other(uint8_t loop);
  void in_lanes(uint8_t loop, const Lanes& lanes);
  std::string lane_of(size_t n, const Lanes& lanes, const std::string& lane) const;
  std::string tree_of(size_t n, const Lanes& lanes) const;
  void in_columns(uint8_t loop);
  void in_rows(uint8_t loop);
  void in_block(uint8_t loop);
  void tree_of_warp(int depth, size_t node, const std::string& lanes, const std::string& lane);
  void finish_reduction(int depth, size_t node, const std::string& sum);
  void on_results(int depth, uint8_t loop);
  void store_results(int depth);
  void combine_in_last_block();
  std::string sum_type(size_t node) const;
  std::string reduction_name(size_t node) const;

  const Group& group_;
  const Form& form_;
  struct Parameter {
    std::string type, name;
  };
  std::string out_;
  std::vector<Parameter> parameters_;
  std::string block_ = "blockIdx.x";  // along the innermost dimension
  std::vector<std::vector<std::string>> load_steps_, store_steps_;
  std::vector<bool> loaded_;  // loads whose value is there already, for each result
  std::vector<bool> needed_;  // nodes that the loop being printed computes
  uint8_t loops_ = 1;
  std::string only_if_;   // in front of what an element changes
  bool in_pack_ = false;  // values come from packs of neighbours, and go there
};

std::string_view name_of(Reduction reduction);  // of the class in quern/array.cuh

}  // namespace quern
