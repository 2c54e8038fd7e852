// File: quern/device.h
//
// Devices, streams and events. A Device is the CPU or a GPU; work is submitted to its streams and runs in their order, in the
// background. What arrays have recorded is submitted, to the default streams, before an event is recorded and before a wait. All
// classes are handles: copying one is cheap and means the same thing.
//
//   qn::Device device;                       // the first GPU, or the CPU where there is none; QUERN_DEVICE decides otherwise
//   qn::Stream stream(device);
//   qn::Event start(stream), end(stream);    // recorded at once
//   end.synchronize();
//   double ms = end.milliseconds_since(start);
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "quern/error.h"

namespace quern {
class Context;
class Stream;
class Event;
}  // namespace quern

namespace qn {

class Device {
 public:
  Device();  // the default device
  static Device cpu();
  static Device cuda(int index = 0);  // throws ErrorKind::value when there is no such GPU
  static int cuda_count();            // 0 without a GPU or its driver

  std::string name() const;         // "cpu", "cuda:0"
  std::string description() const;  // what the machine calls it
  size_t total_memory() const;      // bytes
  void synchronize() const;         // waits for all work, of arrays too; throws what failed in it
  bool operator==(const Device& other) const { return context_ == other.context_; }

  quern::Context& context() const { return *context_; }  // the engine's own, for its other headers

 private:
  explicit Device(quern::Context& context) : context_(&context) {}
  quern::Context* context_;
};

class Stream {
 public:
  explicit Stream(const Device& device = Device());  // a new one
  static Stream of(const Device& device);            // the device's default stream
  void synchronize() const;                          // waits for its work; throws what failed in it
  bool done() const;
  Device device() const { return device_; }

  const std::shared_ptr<quern::Stream>& handle() const { return handle_; }

 private:
  Stream(const Device& device, std::shared_ptr<quern::Stream> handle) : device_(device), handle_(std::move(handle)) {}
  Device device_;
  std::shared_ptr<quern::Stream> handle_;
};

class Event {
 public:
  explicit Event(const Stream& stream);  // recorded at the end of what is submitted now
  void synchronize() const;
  double milliseconds_since(const Event& start) const;  // both must have been reached

 private:
  quern::Context* context_;
  std::shared_ptr<quern::Event> handle_;
};

}  // namespace qn
