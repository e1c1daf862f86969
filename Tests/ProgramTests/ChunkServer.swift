import Foundation
import Glibc
import Testing

/// Python's http.server as the cloud: takes chunks one by one and as multipart/mixed, and writes down each in the order in which it came.
final class ChunkServer: Sendable {
  private static let script = """
    import email.parser, http.server, json, os, sys, threading, time
    parent, log = os.getppid(), open(sys.argv[2], 'a', buffering=1)
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def log_message(self, *_): pass
        def do_POST(self):
            body, kind = self.rfile.read(int(self.headers['Content-Length'])), self.headers['Content-Type']
            parts = [body]
            if kind.startswith('multipart/'):
                message = email.parser.BytesParser().parsebytes(b'Content-Type: ' + kind.encode() + b'\\r\\n\\r\\n' + body)
                parts = [part.get_payload(decode=True) for part in message.get_payload()]
            status = 202 if self.headers['Memfault-Project-Key'] == sys.argv[3] else 403
            if status == 202:
                for part in parts: log.write(json.dumps({'path': self.path, 'number': int.from_bytes(part[4:8], 'big'), 'bytes': len(part)}) + '\\n')
            self.send_response(status)
            self.send_header('Content-Length', '0')
            self.end_headers()
    server = http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Handler)
    server.daemon_threads = True
    def watch():
        while os.getppid() == parent: time.sleep(0.5)
        os._exit(0)
    threading.Thread(target=watch, daemon=True).start()
    server.serve_forever()
    """

  let port: Int
  private let log: String
  private let process = Process()

  /// A port that nobody listens on just now: boards are told it before the server is there.
  static func freePort() throws -> Int {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(file) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, size) == 0 && getsockname(file, $0, &size) == 0 }
    }
    try #require(bound)
    return Int(UInt16(bigEndian: address.sin_port))
  }

  init(port: Int, key: String, in folder: TemporaryFolder) throws {
    self.port = port
    log = folder.path + "/seen.jsonl"
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", Self.script, String(port), log, key]
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  func end() { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
  deinit { end() }

  /// The numbers of the chunks that came, by device.
  func chunks() throws -> [String: [Int]] {
    var chunks: [String: [Int]] = [:]
    for line in ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n") {
      let entry = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let device = try #require((entry["path"] as? String)?.split(separator: "/").last)
      chunks[String(device), default: []].append(try #require(entry["number"] as? Int))
    }
    return chunks
  }
}
