import Testing
import TextCoding

@Suite struct BinaryTextTests {
  /// RFC 4648 section 10.
  static let vectors: [(plain: String, base64: String, base16: String)] = [
    ("", "", ""), ("f", "Zg==", "66"), ("fo", "Zm8=", "666f"), ("foo", "Zm9v", "666f6f"),
    ("foob", "Zm9vYg==", "666f6f62"), ("fooba", "Zm9vYmE=", "666f6f6261"), ("foobar", "Zm9vYmFy", "666f6f626172"),
  ]
  /// RFC 4648 section 10, Base32, respelled in Crockford's alphabet without padding.
  static let base32: [(plain: String, text: String)] = [
    ("", ""), ("f", "CR"), ("fo", "CSQG"), ("foo", "CSQPY"), ("foob", "CSQPYRG"), ("fooba", "CSQPYRK1"),
    ("foobar", "CSQPYRK1E8"),
  ]

  @Test func `The vectors of RFC 4648 are written and read`() {
    for vector in Self.vectors {
      let bytes = Array(vector.plain.utf8)
      #expect(Base64.encode(bytes) == vector.base64)
      #expect(Base64.decode(vector.base64) == bytes)
      #expect(Hex.encode(bytes) == vector.base16)
      #expect(Hex.decode(vector.base16) == bytes)
    }
    for vector in Self.base32 {
      #expect(CrockfordBase32.encode(Array(vector.plain.utf8)) == vector.text)
      #expect(CrockfordBase32.decode(vector.text) == Array(vector.plain.utf8))
    }
  }

  @Test func `Every length up to 70 bytes survives every coding`() {
    var byte: UInt8 = 1
    for length in 0...70 {
      let bytes = (0..<length).map { _ -> UInt8 in
        byte = byte &* 197 &+ 91
        return byte
      }
      #expect(Hex.decode(Hex.encode(bytes)) == bytes)
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
      #expect(CrockfordBase32.decode(CrockfordBase32.encode(bytes)) == bytes)
    }
    let all = [UInt8](0...255)
    #expect(Base64.decode(Base64.encode(all)) == all)
    #expect(Hex.decode(Hex.encode(all).uppercased()) == all)
  }

  @Test(arguments: ["0", "0g", "xx", "0 ", " 00", "0x00", "é"]) func `Hex refuses`(_ text: String) {
    #expect(Hex.decode(text) == nil)
  }

  @Test(arguments: [
    "Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zh==", "Zm9=", "Zm8=Zg==", "Zm 9v", "Zm9v\n", "Zm-v", "Zm_v", "Z=g=",
    "Zm9v====",
  ]) func `Base64 refuses`(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test(arguments: ["C", "CSQ", "CSQPYR", "CS", "CSQH", "U0", "CR=", "CR ", "é", "@@", "[["])
  func `Crockford Base32 refuses`(_ text: String) {
    #expect(CrockfordBase32.decode(text) == nil)
  }

  @Test func `Crockford Base32 forgives what people write`() {
    #expect(CrockfordBase32.decode("csqp-yrk1-e8") == Array("foobar".utf8))
    #expect(CrockfordBase32.decode("OO") == [0])
    #expect(CrockfordBase32.decode("oi0lIL00") == CrockfordBase32.decode("01011100"))
    #expect(CrockfordBase32.decode("---") == [])
  }

  @Test func `Characters and values of Crockford Base32 match`() {
    for value in UInt8(0)..<32 {
      let character = CrockfordBase32.character(value)
      #expect(character.asciiValue.flatMap(CrockfordBase32.value(of:)) == value)
    }
    let accepted = (UInt8(0)...255).filter { CrockfordBase32.value(of: $0) != nil }
    #expect(String(decoding: accepted, as: UTF8.self) == "0123456789ABCDEFGHIJKLMNOPQRSTVWXYZabcdefghijklmnopqrstvwxyz")
  }
}
