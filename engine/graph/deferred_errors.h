// Errors of values that only the device can find: an index out of range, a singular matrix. The work that may find one opens a
// deferred error; what is computed from its result carries it along; once it has come true, reading such a result raises it,
// however often. An error of a write into an array is reported once: the array stays usable. Those that came to nothing are
// forgotten.
#pragma once

#include "core/error.h"
#include "core/site.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace quern {

// Why a value cannot be computed, or is wrong.
struct Failed {
  ErrorKind kind = ErrorKind::bug;
  std::string text;
  Site site = no_site;  // where it was recorded, if the text does not say so
  Failed() = default;
  Failed(ErrorKind kind, std::string text, Site site = no_site) : kind(kind), text(std::move(text)), site(site) {}
};

// Held by the work that may find it and by what depends on that: what nobody holds is gone.
class Deferral;
using DeferredError = std::shared_ptr<Deferral>;

// With the graph's lock held.
DeferredError open_deferred();

// Those that are opened while it lives; a signal handler may run work with one of its own meanwhile. With the graph's lock held.
class OpenedDeferred {
 public:
  OpenedDeferred();
  ~OpenedDeferred() { take(); }
  OpenedDeferred(const OpenedDeferred&) = delete;
  OpenedDeferred& operator=(const OpenedDeferred&) = delete;
  std::vector<DeferredError> take();

 private:
  size_t from_;
};

void tell_once(const DeferredError& error);                        // the first read raises the error, later ones do not
void settle_deferred(const DeferredError& error);                  // it came to nothing
bool came_to_nothing(const DeferredError& error);                  // that is known
void confirm_deferred(const DeferredError& error, Failed failed);  // it came true
void add_deferred(std::vector<DeferredError>& to,
                  std::span<const DeferredError> from);  // those that are not resolved; at most some of the newest
bool any_open(std::span<const DeferredError> deferred);  // nobody knows yet
void raise_confirmed(std::span<const DeferredError> deferred);

}  // namespace quern
