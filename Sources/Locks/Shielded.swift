/// Runs work that a cancellation of the surrounding task must not cut short (an ending, above all), where that task runs.
public func shielded<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
  // An unstructured task on purpose: it does not inherit the cancellation. Nor does it inherit the executor, so that one is handed on.
  let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
  return await Task(executorPreference: executor) { await work() }.value
}
