import RelayWire
import Testing

@Suite struct RelayAddressTests {
  @Test(
    "An address has one spelling",
    arguments: [
      ("http://127.0.0.1:7440", "http://127.0.0.1:7440"), ("HTTP://Relay.Example:80/", "http://relay.example"),
      ("https://relay.example:443/lockstep/", "https://relay.example/lockstep"),
      ("https://relay.example:80", "https://relay.example:80"), ("http://[::1]:7440", "http://[::1]:7440"),
      ("http://relay_1.local:007440", nil), ("http://relay.example:0", nil), ("http://relay.example:65536", nil),
      ("http://relay.example:65535", "http://relay.example:65535"),
      ("http://relay.example:07440", "http://relay.example:7440"),
    ] as [(String, String?)])
  func normalSpelling(text: String, expected: String?) {
    #expect(RelayAddress(text)?.text == expected)
  }

  @Test(
    "What is no plain http address is refused",
    arguments: [
      "", "relay.example", "ftp://relay.example", "file:///etc/passwd", "http://", "http:///path", "http://user@host",
      "http://user:password@host", "http://host?query", "http://host#fragment", "http://host/a b", "http://host/../x",
      "http://host/a//b", "http://host/%2e", "http://ho st", "http://host:", "http://host:x", "http://[::1",
      "http://[]",
      "http://[zz]", "http://host\u{0}", "http://hö.example", "http://host/\r\nX: y", "://host", "http:host",
      "http://" + String(repeating: "a", count: 600),
    ])
  func refused(text: String) {
    #expect(RelayAddress(text) == nil)
  }
}
