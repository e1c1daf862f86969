import Testing

/// Expects what a mutating call returned to be a value; `#expect` itself cannot take a mutating call.
func expect<Value: Equatable>(_ actual: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(actual == expected, sourceLocation: sourceLocation)
}
