// Where pending work is cut: at the iterations of loops, so that any number of iterations between evaluations gives the same
// segments.
#include "graph/rounds.h"
#include "recorded.h"

#include <functional>

namespace recorded {
namespace {

Site line = 1;  // of the program, which says who records an operation

// A round of so many operations, each on a line of its own, that goes on from `x`.
void round_of(Array& x, int length, Site first = 1) {
  for (int i = 0; i < length; ++i) {
    line = first + static_cast<Site>(i);
    x = op(i % 2 ? Op::cos : Op::sin, x);
  }
}

class Cuts : public Recorded {
 protected:
  Cuts() {
    set_site_hooks({[] { return line; }, nullptr});
  }
  ~Cuts() override { set_site_hooks({}); }
  // The lengths of the segments of what a program records.
  std::string cut(const std::function<void(Array& x)>& program) { return recorded(program, &Rounds::cut); }
  std::string cut_what_is_over(const std::function<void(Array& x)>& program) {
    return recorded(program, &Rounds::cut_what_is_over);
  }
  std::string cut_rounds(int length, int times) {
    return cut([&](Array& x) {
      for (int i = 0; i < times; ++i) round_of(x, length, static_cast<Site>(100 * length));
    });
  }

  Rounds rounds;
  std::vector<Array> held;  // by the program, until all is cut

 private:
  std::string recorded(const std::function<void(Array& x)>& program,
                       Rounds::Segments (Rounds::*cut)(std::span<Node* const> nodes)) {
    Array x = memory("x", {5000});
    program(x);
    std::vector<Node*> nodes = needed_for({});
    std::vector<size_t> lengths;
    for (auto segment : (rounds.*cut)(nodes)) lengths.push_back(segment.size());
    held.clear();
    return join_text(lengths, " ");
  }
};

TEST_F(Cuts, RoundsGoTogetherByMultiples) {
  EXPECT_EQ(cut_rounds(2, 21), "32 8 2");
  EXPECT_EQ(cut_rounds(2, 39), "32 32 8 2 2 2");
}

TEST_F(Cuts, MultiplesFitAKernel) {
  EXPECT_EQ(cut_rounds(7, 21), "112 28 7");  // 16 rounds are as much as one holds
  EXPECT_EQ(cut_rounds(8, 21), "32 32 32 32 32 8");
  EXPECT_EQ(cut_rounds(30, 8), "90 90 30 30");
  EXPECT_EQ(cut_rounds(40, 3), "80 40");
  EXPECT_EQ(cut_rounds(57, 3), "57 57 57");
}

TEST_F(Cuts, AKnownLoopIsCutFromItsFirstRound) {
  EXPECT_EQ(cut_rounds(2, 1), "2");
  EXPECT_EQ(cut_rounds(2, 2), "4");  // by chance, for all one knows
  EXPECT_EQ(cut_rounds(2, 3), "2 2 2");
  EXPECT_EQ(cut_rounds(2, 2), "2 2");
  EXPECT_EQ(cut_rounds(2, 1), "2");
}

TEST_F(Cuts, LongRoundsAreALoopTheSecondTime) { EXPECT_EQ(cut_rounds(16, 2), "16 16"); }

TEST_F(Cuts, WhatSurroundsALoopIsApart) {
  EXPECT_EQ(cut([&](Array& x) {
              round_of(x, 5, 100);
              for (int i = 0; i < 5; ++i) round_of(x, 3);
              round_of(x, 4, 200);
            }),
            "5 12 3 4");
}

// Of a loop that is known, rounds are found wherever they begin; what is left of the first and the last one is apart.
TEST_F(Cuts, AKnownRoundIsFoundInTheMiddle) {
  EXPECT_EQ(cut_rounds(60, 4), "60 60 60 60");
  EXPECT_EQ(cut([&](Array& x) {
              round_of(x, 8, 6052);
              round_of(x, 60, 6000);
              round_of(x, 5, 6000);
            }),
            "8 60 5");
}

TEST_F(Cuts, TheLastRoundIsAloneWhereItKeepsMore) {
  EXPECT_EQ(cut([&](Array& x) {
              for (int i = 0; i < 9; ++i) {
                held.clear();
                round_of(x, 2);
                held.push_back(x);  // a name for what it computes on the way
                round_of(x, 1, 3);
              }
            }),
            "12 12 3");
}

TEST_F(Cuts, ALoopInALoopIsPartOfIt) {
  EXPECT_EQ(cut([&](Array& x) {
              for (int i = 0; i < 3; ++i) {
                for (int k = 0; k < 4; ++k) round_of(x, 3);
                round_of(x, 8, 50);
              }
            }),
            "20 20 20");
}

TEST_F(Cuts, BranchesAreRoundsOfTheirOwn) {
  auto program = [&](Array& x) {
    for (int i : {0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1}) i == 0 ? round_of(x, 4) : round_of(x, 6, 50);
  };
  EXPECT_EQ(cut(program), "4 4 4 6 6 6 4 6 4 4 6");
}

// The same function of each of many arrays is no loop over time: nothing goes on.
TEST_F(Cuts, ManyArraysAreNoLoop) {
  EXPECT_EQ(cut([&](Array&) {
              for (int i = 0; i < 10; ++i) {
                Array y = memory("y", {5000});
                round_of(y, 3);
                held.push_back(y);
              }
            }),
            "30");
}

TEST_F(Cuts, LinesTellLoopsApart) {
  EXPECT_EQ(cut([&](Array& x) {
              for (int i = 0; i < 4; ++i) round_of(x, 3);
              for (int i = 0; i < 4; ++i) round_of(x, 3, 50);
            }),
            "12 12");
}

// ---- in the middle of a loop

TEST_F(Cuts, OnlyRoundsThatAreOverAreCut) {
  EXPECT_EQ(cut_what_is_over([&](Array& x) {
              for (int i = 0; i < 22; ++i) round_of(x, 2);
              round_of(x, 1);
            }),
            "32");  // whole multiples; the others wait
  EXPECT_EQ(rounds.missing(), 0u);
}

TEST_F(Cuts, ItIsSaidHowMuchIsMissing) {
  EXPECT_EQ(cut_what_is_over([&](Array& x) {
              for (int i = 0; i < 12; ++i) round_of(x, 2);
              round_of(x, 1);
            }),
            "");
  EXPECT_EQ(rounds.missing(), 9u);  // 17 rounds of 2, of which 25 operations are there
  EXPECT_TRUE(rounds.may_come_again());
}

TEST_F(Cuts, WithoutALoopNothingIsOver) {
  EXPECT_EQ(cut_what_is_over([&](Array& x) { round_of(x, 100); }), "");
  EXPECT_EQ(rounds.missing(), 0u);
  EXPECT_FALSE(rounds.may_come_again());
  EXPECT_EQ(cut_what_is_over([&](Array& x) {
              for (int i = 0; i < 20; ++i) round_of(x, 2);
              round_of(x, 30, 100);  // behind the loop
            }),
            "");
}

}  // namespace
}  // namespace recorded
