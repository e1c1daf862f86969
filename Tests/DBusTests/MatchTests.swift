import Testing

@testable import DBus

/// Rules as D-Bus Specification 0.42, "Match Rules" writes them.
struct MatchTests {
  @Test(
    "a rule in the bus' language",
    arguments: [
      (DBusMatch(), "type='signal'"),
      (DBusMatch(sender: "org.bluez", path: "/a", member: "M"), "type='signal',sender='org.bluez',path='/a',member='M'"),
      (DBusMatch(pathNamespace: "/a", interface: "a.B", argument0: "it's"), #"type='signal',path_namespace='/a',interface='a.B',arg0='it'\''s'"#),
    ])
  func rule(match: DBusMatch, text: String) {
    #expect(match.rule == text)
  }

  @Test("values that hold nothing of what is asked for say so instead of trapping")
  func accessors() {
    #expect(DBusValue.variant(.variant(.string("x"))).text == "x")
    #expect(DBusValue.uint64(.max).integer == nil)
    #expect(DBusValue.bytes([1]).elements == nil)
    #expect(DBusValue.dictionary([.init(.int32(1), .bool(true))], key: "i", value: "b").properties == nil)
    #expect(DBusValue.properties(["b": .byte(1), "a": .byte(2)]).entries?.map(\.key) == [.string("a"), .string("b")])
  }
}
