"""The numbers of CUDA's runtime API, as NVIDIA defines them."""

from quern.lib import _engine


def _numbers(text):
    return {name: int(number) for name, number in (line.split() for line in text.replace("\n", "|").split("|") if line.strip())}


DEVICE_ATTRIBUTES = {name: number for number, _, name in _engine.device_attributes() if name}
CONSTANTS = {f"cudaDevAttr{name}": number for name, number in DEVICE_ATTRIBUTES.items()} | _numbers(
    """
        CUDA_R_32F 0|CUDA_R_64F 1|CUDA_R_16F 2|CUDA_R_8I 3|CUDA_C_32F 4|CUDA_C_64F 5|CUDA_C_16F 6|CUDA_C_8I 7|CUDA_R_8U 8
        CUDA_C_8U 9|CUDA_R_16BF 14
        memcpyHostToHost 0|memcpyHostToDevice 1|memcpyDeviceToHost 2|memcpyDeviceToDevice 3|memcpyDefault 4
        memoryTypeUnregistered 0|memoryTypeHost 1|memoryTypeDevice 2|memoryTypeManaged 3|cudaMemoryTypeHost 1
        cudaMemoryTypeDevice 2
        hostAllocDefault 0|hostAllocPortable 1|hostAllocMapped 2|hostAllocWriteCombined 4
        streamDefault 0|streamNonBlocking 1|streamLegacy 1|streamPerThread 2
        streamCaptureModeGlobal 0|streamCaptureModeThreadLocal 1|streamCaptureModeRelaxed 2
        streamCaptureStatusNone 0|streamCaptureStatusActive 1|streamCaptureStatusInvalidated 2
        eventDefault 0|eventBlockingSync 1|eventDisableTiming 2|eventInterprocess 4
        cudaMemAttachGlobal 1|cudaMemAttachHost 2|cudaMemAttachSingle 4
        cudaMemAdviseSetReadMostly 1|cudaMemAdviseUnsetReadMostly 2|cudaMemAdviseSetPreferredLocation 3
        cudaMemAdviseUnsetPreferredLocation 4|cudaMemAdviseSetAccessedBy 5|cudaMemAdviseUnsetAccessedBy 6
        cudaCpuDeviceId -1|cudaInvalidDeviceId -2|cudaIpcMemLazyEnablePeerAccess 1
        cudaLimitStackSize 0|cudaLimitPrintfFifoSize 1|cudaLimitMallocHeapSize 2|cudaLimitDevRuntimeSyncDepth 3
        cudaLimitDevRuntimePendingLaunchCount 4|cudaLimitMaxL2FetchGranularity 5
        cudaMemAllocationTypePinned 1|cudaMemHandleTypeNone 0|cudaMemHandleTypePosixFileDescriptor 1
        cudaMemLocationTypeInvalid 0|cudaMemLocationTypeDevice 1|cudaMemLocationTypeHost 2|cudaMemLocationTypeHostNuma 3
        cudaMemLocationTypeHostNumaCurrent 4
        cudaMemPoolReuseFollowEventDependencies 1|cudaMemPoolReuseAllowOpportunistic 2
        cudaMemPoolReuseAllowInternalDependencies 3|cudaMemPoolAttrReleaseThreshold 4|cudaMemPoolAttrReservedMemCurrent 5
        cudaMemPoolAttrReservedMemHigh 6|cudaMemPoolAttrUsedMemCurrent 7|cudaMemPoolAttrUsedMemHigh 8
        cudaChannelFormatKindSigned 0|cudaChannelFormatKindUnsigned 1|cudaChannelFormatKindFloat 2|cudaChannelFormatKindNone 3
        cudaResourceTypeArray 0|cudaResourceTypeMipmappedArray 1|cudaResourceTypeLinear 2|cudaResourceTypePitch2D 3
        cudaAddressModeWrap 0|cudaAddressModeClamp 1|cudaAddressModeMirror 2|cudaAddressModeBorder 3
        cudaFilterModePoint 0|cudaFilterModeLinear 1|cudaReadModeElementType 0|cudaReadModeNormalizedFloat 1
        cudaArrayDefault 0|cudaArraySurfaceLoadStore 2
        cudaGraphDebugDotFlagsVerbose 1|cudaGraphDebugDotFlagsKernelNodeParams 4|cudaGraphDebugDotFlagsMemcpyNodeParams 8
        cudaGraphDebugDotFlagsMemsetNodeParams 16|cudaGraphDebugDotFlagsHostNodeParams 32
        cudaGraphDebugDotFlagsEventNodeParams 64|cudaGraphDebugDotFlagsExtSemasSignalNodeParams 128
        cudaGraphDebugDotFlagsExtSemasWaitNodeParams 256|cudaGraphDebugDotFlagsKernelNodeAttributes 512
        cudaGraphDebugDotFlagsHandles 1024|cudaGraphDebugDotFlagsConditionalNodeParams 32768
    """
)

# What errors are called; the text that CUDA gives with each.
ERRORS = {
    0: ("cudaSuccess", "no error"),
    1: ("cudaErrorInvalidValue", "invalid argument"),
    2: ("cudaErrorMemoryAllocation", "out of memory"),
    3: ("cudaErrorInitializationError", "initialization error"),
    100: ("cudaErrorNoDevice", "no CUDA-capable device is detected"),
    101: ("cudaErrorInvalidDevice", "invalid device ordinal"),
    217: ("cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"),
    400: ("cudaErrorInvalidResourceHandle", "invalid resource handle"),
    600: ("cudaErrorNotReady", "device not ready"),
    700: ("cudaErrorIllegalAddress", "an illegal memory access was encountered"),
    704: ("cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"),
    705: ("cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"),
    719: ("cudaErrorLaunchFailure", "unspecified launch failure"),
    801: ("cudaErrorNotSupported", "operation not supported"),
    999: ("cudaErrorUnknown", "unknown error"),
}
__all__ = list(CONSTANTS)  # noqa: PLE0605


def __getattr__(name):
    if name in CONSTANTS:
        return CONSTANTS[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
