import FoundationEssentials
import Testing

@testable import Cloud

/// Python's http.server as a server of chunks; batches are taken apart by Python's email package, which knows nothing of our writer.
struct ChunkServer {
  /// What came to be taken, in order of arrival.
  struct Taken: Decodable, Hashable {
    var path: String
    var hex: String
  }

  struct Log: Decodable {
    var taken: [Taken]
    /// Requests, also those that were not taken: content type and number of chunks.
    var requests: [Request]
    var keys: [String]
    var worst: Int
  }

  struct Request: Decodable, Hashable {
    var type: String
    var chunks: Int
    var status: Int
  }

  /// What happens to requests, in order; all further ones are taken (202).
  enum Step: String {
    /// The connection is closed in the middle of the body.
    case cut
    /// Everything is taken, and the connection closed without an answer.
    case mute
    case hang
    /// It is answered after `wake`.
    case wait
  }

  let server: LoopbackServer

  private static let script = """
    import email, http.server, json, os, signal, socket, sys, threading, time
    plan, rules = json.loads(sys.argv[1]), json.loads(sys.argv[2])
    parent, lock, taken, requests, keys, busy, worst = os.getppid(), threading.Lock(), [], [], set(), {}, [0]
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def log_message(self, *_): pass
        def end(self, status, fields={}, body=b''):
            self.send_response(status)
            for name, value in {'Content-Length': str(len(body)), **fields}.items(): self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        def do_GET(self):
            with lock:
                self.end(200, body=json.dumps({'taken': taken, 'requests': requests, 'keys': sorted(keys), 'worst': worst[0]}).encode())
        def parts(self, body):
            kind = self.headers['Content-Type']
            if not kind.startswith('multipart/'): return [body]
            message = email.message_from_bytes(b'Content-Type: ' + kind.encode() + b'\\r\\n\\r\\n' + body)
            assert message.is_multipart() and not message.defects, message.defects
            found = []
            for part in message.get_payload():
                data = part.get_payload(decode=True)
                assert int(part['Content-Length']) == len(data) and part['Content-Type'] == 'application/octet-stream', (part.items(), data)
                found.append(data)
            return found
        def do_POST(self):
            with lock:
                step = plan.pop(0) if plan else ''
                busy[self.path] = busy.get(self.path, 0) + 1
                worst[0] = max(worst[0], busy[self.path])
            self.post(step)
        def done(self):
            # Before the answer leaves: its reader may be quicker than what comes after it here.
            with lock: busy[self.path] -= 1
        def post(self, step):
            length = int(self.headers['Content-Length'])
            if step == 'cut':
                self.rfile.read(length // 2)
                self.done()
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            chunks = self.parts(self.rfile.read(length))
            kind = self.headers['Content-Type'].split(';')[0]
            with lock: keys.add(self.headers['Memfault-Project-Key'])
            status, fields = 202, {}
            if step and step[0].isdigit():
                status, *rest = step.split(' ', 1)
                status, fields = int(status), ({rest[0].split(': ')[0]: rest[0].split(': ')[1]} if rest else {})
            elif rules.get('multipart') and kind.startswith('multipart/'): status = rules['multipart']
            elif len(chunks) > rules.get('most', 1000): status = 413
            elif any(bytes.fromhex(rules.get('bad', '00' * 50)) in chunk for chunk in chunks): status = 400
            elif self.headers['Memfault-Project-Key'] == rules.get('badKey'): status = 403
            with lock:
                requests.append({'type': kind, 'chunks': len(chunks), 'status': status})
                if status == 202: taken.extend({'path': self.path, 'hex': chunk.hex()} for chunk in chunks)
            if step == 'wait': signal.sigwait([signal.SIGUSR1])
            self.done()
            if step == 'hang': return time.sleep(60)
            if step == 'mute':
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            self.end(status, fields, b'Accepted' if status == 202 else b'')
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler, bind_and_activate=False)
    server.daemon_threads = True
    server.request_queue_size = 64
    server.server_bind()
    def watch():
        while os.getppid() == parent: time.sleep(0.5)
        os._exit(0)
    threading.Thread(target=watch, daemon=True).start()
    print(server.server_address[1], flush=True)
    if rules.get('sleeps'): signal.sigwait([signal.SIGUSR1])
    server.server_activate()
    server.serve_forever()
    """

  /// - Parameters:
  ///   - plan: a `Step`, or a status and a header field (`503 Retry-After: 2`), for the first requests.
  ///   - rules: JSON: `multipart` (status for batches), `most` (chunks of a request, else 413), `bad` (hex; a chunk with it gets 400), `badKey`, `sleeps`.
  init(_ plan: [String] = [], rules: String = "{}") throws {
    let text = "[" + plan.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    server = try LoopbackServer(script: Self.script, arguments: [text, rules])
  }

  func log() async throws -> Log {
    let answer = try await HTTPSession().send(HTTPRequest(url: try server.url("log"), limit: 16 << 20))
    return try JSONDecoder().decode(Log.self, from: Data(answer.body))
  }
}
