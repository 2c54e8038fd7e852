#pragma once

namespace quern {

// While one lives, its thread expects errors, such as that of a dtype that it tries: the log has none of them.
class ExpectedErrors {
 public:
  ExpectedErrors();
  ~ExpectedErrors();
  ExpectedErrors(const ExpectedErrors&) = delete;
  ExpectedErrors& operator=(const ExpectedErrors&) = delete;
};

}  // namespace quern
