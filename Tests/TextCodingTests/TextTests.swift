import Testing
import TextCoding

@Suite struct TextTests {
  @Test func `Durations are a number and a unit`() {
    #expect(DurationText.parse("7d") == 604_800)
    #expect(DurationText.parse("12h") == 43_200)
    #expect(DurationText.parse("30m") == 1_800)
    #expect(DurationText.parse("45s") == 45)
    #expect(DurationText.parse("0s") == 0)
    #expect(DurationText.parse("18446744073709551615s") == .max)
  }

  @Test(arguments: [
    "", "d", "7", "7D", "-7d", "+7d", "7 d", " 7d", "7d ", "1.5h", "7dd", "1h30m", "7w", "٧d",
    "18446744073709551616s", "307445734561825861m", "99999999999999999999999999d",
  ]) func `What is no duration is refused`(_ text: String) {
    #expect(DurationText.parse(text) == nil)
  }

  @Test func `A hostile name cannot drive a terminal`() {
    #expect(TerminalText.escape("plain Grüße 👩‍👩‍👧 \\") == "plain Grüße 👩‍👩‍👧 \\")
    #expect(TerminalText.escape("a\u{1b}[2Jb") == "a\\u{1B}[2Jb")
    #expect(TerminalText.escape("\0\t\n\r\u{7f}\u{9b}") == "\\u{00}\\u{09}\\u{0A}\\u{0D}\\u{7F}\\u{9B}")
    #expect(TerminalText.escape("x\u{202e}fdp.exe\u{2069}") == "x\\u{202E}fdp.exe\\u{2069}")
    #expect(
      TerminalText.escape("\u{200e}\u{200f}\u{061c}\u{2028}\u{2029}") == "\\u{200E}\\u{200F}\\u{61C}\\u{2028}\\u{2029}")
  }

  @Test func `No control character is left whatever comes in`() {
    var everything = ""
    for value in UInt32(0)...0x2fff {
      if let scalar = Unicode.Scalar(value) { everything.unicodeScalars.append(scalar) }
    }
    for text in [TerminalText.escape(everything), JSONValue.string(everything).text(pretty: false)] {
      let controls = text.unicodeScalars.filter {
        $0.properties.generalCategory == .control || $0.properties.isBidiControl
          || $0.properties.generalCategory == .lineSeparator || $0.properties.generalCategory == .paragraphSeparator
      }
      #expect(controls.isEmpty)
    }
  }

  @Test func `Only well formed UTF-8 becomes text`() {
    #expect(UTF8Text.validate(Array("Grüße 👋\0".utf8)) == "Grüße 👋\0")
    #expect(UTF8Text.validate([]) == "")
    #expect(UTF8Text.validate([0xf4, 0x8f, 0xbf, 0xbf]) == "\u{10ffff}")
    let malformed: [[UInt8]] = [
      [0x80], [0xc3], [0xc0, 0x80], [0xe0, 0x80, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf8, 0x88],
      [0xff], [0x61, 0xe2, 0x82],
    ]
    for bytes in malformed { #expect(UTF8Text.validate(bytes) == nil) }
  }
}
