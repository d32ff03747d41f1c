internal import CBOR
internal import VaultModel

extension CBORWriter {
  /// A vector.
  mutating func vector(_ vector: VersionVector) {
    array(vector.entries.count)
    for entry in vector.entries {
      array(2)
      byteString(entry.device.bytes)
      unsigned(entry.counter)
    }
  }

  /// Registers, sorted by their encoded names: the shorter first, then by bytes.
  mutating func registers(_ registers: [AttributeName: Register], _ vector: VersionVector) {
    let sorted = registers.map { (name: $0.key, text: $0.key.text, writes: $0.value.writes) }
      .sorted {
        let (left, right) = ($0.text.utf8.count, $1.text.utf8.count)
        return left == right ? $0.name < $1.name : left < right
      }
    map(sorted.count)
    for (_, text, writes) in sorted {
      self.text(text)
      self.writes(writes, vector)
    }
  }

  /// Writes in the order in which the model holds them.
  mutating func writes(_ writes: [Write], _ vector: VersionVector) {
    array(writes.count)
    for write in writes {
      array(4)
      value(write.value)
      unsigned(UInt64(vector.index(of: write.dot.device)))
      unsigned(write.dot.counter)
      unsigned(write.time)
    }
  }

  private mutating func value(_ value: AttributeValue) {
    switch value {
    case .bytes(let bytes): byteString(bytes)
    case .text(let text): self.text(text)
    case .number(let number): integer(number)
    case .bool(let bool): self.bool(bool)
    case .date(let milliseconds):
      array(2)
      unsigned(0)
      integer(milliseconds)
    case .absent: null()
    }
  }
}

extension VersionVector {
  /// The place of `device` among the entries; the caller checked that every write lies inside the vector.
  fileprivate func index(of device: DeviceID) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].device < device { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
