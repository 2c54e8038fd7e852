// Linking on a GPU: the driver's linker makes one cubin of a kernel's relocatable code and of what others compiled.
//
// What is handed over may be anybody's file: its head is checked first, and whatever the linker says of it is an error of the
// link alone, also where the driver has no better word than "unknown error".
#include "core/error.h"
#include "device/cubin.h"
#include "device/cuda.h"

#include <elf.h>

#include <cstring>
#include <span>

namespace quern {

using namespace cuda;

namespace {

constexpr uint16_t machine_of_gpus = 190;  // EM_CUDA
constexpr uint32_t fatbin_magic = 0xba55ed50;

template <class T>
T head_of(const std::string& bytes) {
  T head{};
  if (bytes.size() >= sizeof head) std::memcpy(&head, bytes.data(), sizeof head);
  return head;
}

bool is_elf(const std::string& bytes) { return bytes.size() >= sizeof(Elf64_Ehdr) && bytes.compare(0, SELFMAG, ELFMAG) == 0; }

// The kind that is passed to the driver; a cubin may lie in an object file by its name. Raises where it is not what its kind
// says.
int input_of(const LinkedCode& code) {
  bool fits = false;
  int input = input_cubin;
  switch (code.kind) {
    case CodeKind::cubin:
      fits = is_elf(code.bytes) && read_cubin(std::as_bytes(std::span(code.bytes)));
      break;
    case CodeKind::ptx:
      fits = code.bytes.find(".version") != std::string::npos && code.bytes.find(".target") != std::string::npos;
      input = input_ptx;
      break;
    case CodeKind::fatbin: {
      struct Head {
        uint32_t magic;
        uint16_t version, bytes;
        uint64_t content;
      };
      Head head = head_of<Head>(code.bytes);
      fits = head.magic == fatbin_magic && head.bytes <= code.bytes.size() && head.content <= code.bytes.size() - head.bytes;
      input = input_fatbin;
      break;
    }
    case CodeKind::object: {
      bool of_gpus = head_of<Elf64_Ehdr>(code.bytes).e_machine == machine_of_gpus;
      fits = is_elf(code.bytes) && (!of_gpus || read_cubin(std::as_bytes(std::span(code.bytes))));
      input = of_gpus ? input_cubin : input_object;
      break;
    }
    case CodeKind::archive:
      fits = code.bytes.starts_with("!<arch>\n");
      input = input_archive;
      break;
  }
  if (!fits)
    raise(ErrorKind::compile, "[link] {} is not {}: its {} bytes are something else, or damaged", code.name,
          code_kind_names[static_cast<int>(code.kind)], code.bytes.size());
  return input;
}

class Linker {
 public:
  Linker(CudaDevice& device, uintptr_t most_registers) : device_(device) {
    int options[] = {jit_info_log, jit_info_log_bytes, jit_error_log, jit_error_log_bytes, jit_max_registers};
    void* bytes = reinterpret_cast<void*>(sizeof errors_ - 1);
    void* values[] = {info_, bytes, errors_, bytes, reinterpret_cast<void*>(most_registers)};
    QUERN_CU(device_, "link", cuLinkCreate_v2(most_registers ? 5 : 4, options, values, &link_));
  }
  ~Linker() {
    if (link_) driver().cuLinkDestroy(link_);
  }
  Linker(const Linker&) = delete;

  void add(int input, const std::string& bytes, const std::string& name) {  // PTX: with the 0 at the end of the string
    size_t size = bytes.size() + (input == input_ptx ? 1 : 0);
    check(driver().cuLinkAddData_v2(link_, input, const_cast<char*>(bytes.c_str()), size, name.c_str(), 0, nullptr, nullptr),
          name);
  }
  std::vector<std::byte> complete(const std::string& name) {
    void* code = nullptr;
    size_t bytes = 0;
    check(driver().cuLinkComplete(link_, &code, &bytes), name);
    auto* first = static_cast<std::byte*>(code);
    return {first, first + bytes};
  }
  std::string info() const { return info_; }

 private:
  void check(Result result, const std::string& name) {
    if (result == success) return;
    if (result == error_out_of_memory || (result >= error_illegal_address && result < error_not_supported))
      device_.fail(result, "link", "cuLink");  // of the context, not of the code
    std::string says = errors_[0] ? errors_ : describe(result);
    if (result == error_no_binary_for_gpu)
      says +=
          formatted("; it must be compiled for {} or as PTX, and as relocatable code (nvcc -rdc=true)", device_.target().arch);
    raise(ErrorKind::compile, "[link] {} cannot be linked: {}", name, says);
  }

  CudaDevice& device_;
  LinkHandle link_ = nullptr;
  char info_[8192] = {}, errors_[8192] = {};
};

}  // namespace

Binary CudaDevice::link(const Binary& binary, const std::string& name, const std::vector<LinkedCode>& others,
                        unsigned most_registers) {
  Use use(*this, "link");
  if (!use) return {};  // the process ends
  std::vector<int> inputs;
  for (const LinkedCode& code : others) inputs.push_back(input_of(code));
  std::string own(reinterpret_cast<const char*>(binary.code.data()), binary.code.size());
  Linker linker(*this, most_registers);
  linker.add(own.compare(0, SELFMAG, ELFMAG) == 0 ? input_cubin : input_ptx, own, name);
  for (size_t i = 0; i < others.size(); ++i) linker.add(inputs[i], others[i].bytes, others[i].name);
  Binary linked{linker.complete(name), binary.names, binary.log};
  if (std::string info = linker.info(); !info.empty()) linked.log += (linked.log.empty() ? "" : "\n") + info;
  return linked;
}

std::string CudaDevice::linker_id() { return formatted("driver {}", driver_report().version); }

}  // namespace quern
