import Testing
import TextCoding

@Suite struct JSONValueTests {
  let value = JSONValue.object([
    ("zeta", .int(.min)), ("alpha", .array([.null, .bool(true), .bool(false), .array([]), .object([])])),
    ("n\"ame", .string("x")),
  ])

  @Test func `Members keep the order they were given in`() {
    #expect(
      value.text(pretty: false)
        == #"{"zeta":-9223372036854775808,"alpha":[null,true,false,[],{}],"n\"ame":"x"}"#)
  }

  @Test func `Pretty text puts every element on its own line`() {
    #expect(
      value.text(pretty: true) == #"""
        {
          "zeta": -9223372036854775808,
          "alpha": [
            null,
            true,
            false,
            [],
            {}
          ],
          "n\"ame": "x"
        }
        """#)
  }

  @Test func `Strings are escaped as RFC 8259 asks and safe on a terminal`() {
    let hostile = "\"\\/\u{08}\u{0c}\n\r\t\0\u{1b}\u{7f}\u{85}\u{2028}\u{202e}é👋"
    let expected = #""\"\\/\b\f\n\r\t\u0000\u001b\u007f\u0085\u2028\u202eé👋""#
    #expect(JSONValue.string(hostile).text(pretty: false) == expected)
    #expect(JSONValue.string("\r\n").text(pretty: true) == #""\r\n""#)
  }
}
