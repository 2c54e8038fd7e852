// What happens when a handler of a signal throws while the engine works: see core/wait.h.
#pragma once

namespace quern {

void install_interrupts();

}  // namespace quern
