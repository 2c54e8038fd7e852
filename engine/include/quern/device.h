// File: quern/device.h
//
// Devices, streams and events. A Device is the CPU or a GPU; work is submitted to its streams and runs asynchronously, in the
// order of each stream. Pending array operations are submitted, to their own streams, before an event is recorded and before a
// wait. All classes are handles: copying one is cheap and refers to the same object.
//
//   qn::Device device;                       // the first GPU, or the CPU if there is none; QUERN_DEVICE overrides
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

// A device that computes: the CPU or an NVIDIA GPU.
class Device {
 public:
  Device();                           // the default device
  static Device cpu();                // the CPU
  static Device cuda(int index = 0);  // throws ErrorKind::value if there is no such GPU
  static int cuda_count();            // 0 without a GPU or a driver

  std::string name() const;         // "cpu", "cuda:0"
  std::string description() const;  // the hardware's name
  size_t total_memory() const;      // bytes
  void synchronize() const;         // waits for all work, array operations included; throws their error
  bool operator==(const Device& other) const { return context_ == other.context_; }

  quern::Context& context() const { return *context_; }  // for the other headers of the engine

 private:
  explicit Device(quern::Context& context) : context_(&context) {}
  quern::Context* context_;
};

// A queue of work on a device, in order.
class Stream {
 public:
  explicit Stream(const Device& device = Device());  // a new stream
  static Stream of(const Device& device);            // the device's default stream
  void synchronize() const;                          // waits for its work; throws the error of work that failed
  bool done() const;                                 // whether all of its work has finished
  Device device() const { return device_; }

  const std::shared_ptr<quern::Stream>& handle() const { return handle_; }

 private:
  Stream(const Device& device, std::shared_ptr<quern::Stream> handle) : device_(device), handle_(std::move(handle)) {}
  Device device_;
  std::shared_ptr<quern::Stream> handle_;
};

// A point in a stream's work, to wait for or to measure from.
class Event {
 public:
  explicit Event(const Stream& stream);                 // recorded behind the work submitted so far
  void synchronize() const;                             // waits until it is reached; throws the error of work that failed
  double milliseconds_since(const Event& start) const;  // both events must have completed

 private:
  quern::Context* context_;
  std::shared_ptr<quern::Event> handle_;
};

}  // namespace qn
