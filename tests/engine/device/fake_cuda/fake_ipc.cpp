// Memory and events for other processes, in the stand-in for the driver: there are none.
#include "device/cuda_driver.h"

using namespace quern::cuda;

extern "C" {

Result cuIpcGetMemHandle(IpcMemory*, Address) { return error_not_supported; }
Result cuIpcOpenMemHandle_v2(Address*, IpcMemory, unsigned) { return error_not_supported; }
Result cuIpcCloseMemHandle(Address) { return error_not_supported; }
Result cuIpcGetEventHandle(IpcEvent*, EventHandle) { return error_not_supported; }
Result cuIpcOpenEventHandle(EventHandle*, IpcEvent) { return error_not_supported; }

}  // extern "C"
