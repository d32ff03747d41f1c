import TextCoding

/// The arguments of this process.
enum CommandLineArguments {
  /// Without the program's name. Bytes that are no UTF-8 are refused rather than repaired: another name would be found.
  static func read() throws(CommandFailure) -> [String] {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let pointer = CommandLine.unsafeArgv[index] else { break }
      var bytes: [UInt8] = []
      var offset = 0
      while pointer[offset] != 0 {
        bytes.append(UInt8(bitPattern: pointer[offset]))
        offset += 1
      }
      guard let argument = UTF8Text.validate(bytes) else { throw .usage("argument \(index) is not UTF-8") }
      arguments.append(argument)
    }
    return arguments
  }
}
