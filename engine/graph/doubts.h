// Values that may yet prove wrong: an index out of range, a singular matrix are found by the device. The work that may find one
// opens a doubt; what is computed from its result carries it along; once it has come true, whoever looks there gets the error,
// however often. One that was opened by a write into an array is told once: the array lives on. Doubts that came to nothing are
// forgotten.
#pragma once

#include "core/error.h"
#include "core/site.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace quern {

using Doubt = uint32_t;  // in the order of their opening

// Why a value cannot be computed, or is wrong.
struct Failed {
  ErrorKind kind = ErrorKind::bug;
  std::string text;
  Site site = no_site;  // where it was recorded, if the text does not say so
  Failed() = default;
  Failed(ErrorKind kind, std::string text, Site site = no_site) : kind(kind), text(std::move(text)), site(site) {}
};

Doubt open_doubt();
Doubt next_doubt();                              // the number that the next one gets
void tell_once(Doubt doubt);                     // whoever looks first gets the error, and nobody after that
void settle_doubt(Doubt doubt);                  // it came to nothing
void confirm_doubt(Doubt doubt, Failed failed);  // it came true
void add_doubts(std::vector<Doubt>& to, std::span<const Doubt> from);  // those that are not settled; at most some of the newest
bool any_open(std::span<const Doubt> doubts);                          // nobody knows yet
void raise_confirmed(std::span<const Doubt> doubts);

}  // namespace quern
