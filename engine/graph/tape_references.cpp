// References to entries and to what arrays know of the tape, and how they are let go.
#include <utility>
#include <vector>

#include "graph/tape.h"

namespace quern {

EntryRef::EntryRef(Entry* entry) : entry_(entry) {
  if (!entry_) return;
  GraphLock lock;
  ++entry_->references;
}
EntryRef::EntryRef(const EntryRef& other) : EntryRef(other.entry_) {}
EntryRef::~EntryRef() {
  if (entry_) release(entry_);
}

TapeViewRef::TapeViewRef(TapeView* view) : view_(view) {
  if (view_) ++view_->references;
}
TapeViewRef::TapeViewRef(const TapeViewRef& other) : TapeViewRef(other.view_) {}
TapeViewRef::~TapeViewRef() {
  if (view_) release(view_);
}

static void forget_part(Entry& part) {
  std::vector<Entry*>& parts = part.own[0].from->extras->parts;
  if (part.part < parts.size() && parts[part.part] == &part) parts[part.part] = nullptr;
}

// Chains of entries are let go one by one, never by recursion: they may be millions long.
void release(Entry* entry) {
  GraphLock lock;
  if (--entry->references > 0) return;
  std::vector<Entry*> dead{entry};
  while (!dead.empty()) {
    Entry* e = dead.back();
    dead.pop_back();
    if (e->kind == Entry::Kind::part) forget_part(*e);
    auto let_go = [&](TapeOperand& operand) {
      Entry* from = operand.from.detach();
      if (from && --from->references == 0) dead.push_back(from);
    };
    for (TapeOperand& operand : e->own) let_go(operand);
    if (e->extras)
      for (TapeOperand& operand : e->extras->more) let_go(operand);
    delete e;
    --live_entries;
  }
}

void release(Variable* variable) {
  while (variable && --variable->references == 0) {
    Variable* left = variable->left;
    delete variable;
    variable = left;
  }
}

void release(TapeView* view) {
  GraphLock lock;
  if (--view->references > 0) return;
  release(view->own);
  delete view;
}

}  // namespace quern
