import Foundation
import Glibc
import Testing

/// A server of releases in Python: answers what a file says, keeps a list of what it was asked, and serves files with ranges.
final class CloudServer {
  let port: Int
  private let folder: TemporaryFolder
  private let process = Process()

  private static let script = """
    import http.server, json, os, sys, threading, time
    folder, parent = sys.argv[1], os.getppid()
    lock = threading.Lock()
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def log_message(self, *_): pass
        def do_GET(self):
            with lock, open(folder + '/requests', 'a') as log:
                log.write(json.dumps({'path': self.path, 'key': self.headers['Memfault-Project-Key'], 'range': self.headers['Range']}) + '\\n')
            plan = json.load(open(folder + '/plan'))
            path, _, query = self.path.partition('?')
            answer = plan.get(path, {'status': 404})
            body = answer.get('text', '').encode()
            if 'file' in answer: body = open(folder + '/' + answer['file'], 'rb').read()
            time.sleep(answer.get('sleep', 0))
            status, start = answer.get('status', 200), 0
            if self.headers['Range'] and status == 200 and 'file' in answer:
                status, start = 206, int(self.headers['Range'][6:-1])
            rest = body[start:]
            self.send_response(status)
            for name, value in answer.get('headers', {}).items(): self.send_header(name, value)
            if status == 206: self.send_header('Content-Range', f'bytes {start}-{len(body) - 1}/{len(body)}')
            if status != 204: self.send_header('Content-Length', str(len(rest)))
            self.end_headers()
            # A connection that breaks: every time, or where nothing was there before.
            cut = answer.get('cut') or (answer.get('cutFirst') if not start else None)
            self.wfile.write(rest[:cut] if cut else rest)
            if cut: self.close_connection = True
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.daemon_threads = True
    def watch():
        while os.getppid() == parent: time.sleep(0.5)
        os._exit(0)
    threading.Thread(target=watch, daemon=True).start()
    open(folder + '/port.new', 'w').write(str(server.server_address[1]))
    os.rename(folder + '/port.new', folder + '/port')
    server.serve_forever()
    """

  static let latest = "/api/v0/releases/latest"

  /// Starts it; it answers 404 until `plan` was given.
  init() async throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    _ = try folder.write("{}", to: "plan")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.script, folder.path]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let file = folder.path + "/port"
    try await eventually(within: .seconds(20), "the server of releases is there") { access(file, R_OK) == 0 }
    port = try #require(Int(String(contentsOfFile: file, encoding: .utf8)))
  }

  deinit { stop() }

  func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  var address: String { "http://127.0.0.1:\(port)" }

  /// What is answered from now on, by path: `status`, `headers`, `text`, `file`, `cut`, `cutFirst`, `sleep` (seconds before it answers).
  func plan(_ answers: [String: [String: Any]]) throws {
    let file = folder.path + "/plan"
    try JSONSerialization.data(withJSONObject: answers).write(to: URL(filePath: file), options: .atomic)
  }

  /// A release with one artefact that is served from a file of this name.
  static func release(
    _ version: String, _ file: String, _ content: Data, sha256: String, name: String? = nil, url: String, hardware: String? = "1.0"
  ) throws -> [String: Any] {
    var artefact: [String: Any] = ["id": 7, "type": "firmware", "filename": name ?? file, "file_size": content.count, "url": url, "sha256": sha256]
    artefact["hardware_version"] = hardware
    let document: [String: Any] = ["id": 1, "version": version, "notes": "", "artifacts": [artefact]]
    return ["text": String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)]
  }

  func serve(_ content: Data, as name: String) throws { try content.write(to: URL(filePath: folder.path + "/" + name)) }

  /// Everything that was asked, in order.
  func requests() throws -> [[String: Any]] {
    guard let text = try? String(contentsOfFile: folder.path + "/requests", encoding: .utf8) else { return [] }
    return try text.split(separator: "\n").map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  /// How often the latest release was asked for.
  func askedForReleases() throws -> Int { try requests().count { ($0["path"] as? String)?.hasPrefix(Self.latest) == true } }
}
