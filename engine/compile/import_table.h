// Which function a loaded library calls where it calls one of another library's by name.
#pragma once

namespace quern {

// From now on `library` (dlopen's handle) calls `function` wherever it calls the one called `name`. False: it does not import
// that.
bool redirect_import(void* library, const char* name, void* function);

}  // namespace quern
