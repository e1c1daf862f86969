import FoundationEssentials
import Glibc
import Testing

/// Python's http.server on a port that the kernel chose: another implementation of HTTP than the one under test.
final class LoopbackServer: Sendable {
  let port: Int
  private let process: pid_t

  /// What the server answers, by path.
  static let files = """
    import http.server, json, os, ssl, sys, threading, time
    parent, seen = os.getppid(), {}
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def log_message(self, *_): pass
        def send(self, status, body=b'', **headers):
            self.send_response(status)
            headers.setdefault('Content_Length', len(body))
            for name, value in headers.items():
                if value is not None: self.send_header(name.replace('_', '-'), str(value))
            self.end_headers()
            self.wfile.write(body)
        def do_GET(self):
            path = self.path.lstrip('/')
            if path.startswith('bytes/'): self.send(200, bytes(i % 251 for i in range(int(path[6:]))))
            elif path.startswith('status/'): self.send(int(path[7:]), b'no artefact')
            elif path.startswith('circle'): self.send(302, b'moved', Location='/' + path)
            elif path.startswith('to/'): self.send(302, b'moved', Location=path[3:])
            elif path == 'c/info2.json':
                self.send(200, b'{"0.4": {"5": {"vanilla": {"1.5.0": {"filename": "firmware.zip"}, "2.0-rc1": {"filename": "gone.zip"}}}}}')
            elif path.endswith('/firmware.zip'): self.send(200, self.path.encode())
            elif path == 'agent': self.send(200, (self.headers['User-Agent'] + ' ' + self.headers['Accept-Encoding']).encode())
            elif path == 'endless':
                self.send(200, Content_Length=None, Connection='close')
                self.close_connection = True
                try:
                    # With pauses: libcurl 7.88 does not come back from one call while there is something to read, and until then no cancel reaches URLSession.
                    while True:
                        self.wfile.write(bytes(65536))
                        time.sleep(0.01)
                except OSError: pass
            elif path.startswith('release/'):
                asked = self.headers['Memfault-Project-Key'] + ' ' + self.headers['Accept'] + ' ' + self.path.split('?', 1)[1]
                self.send(200, json.dumps({'version': '1.0.0', 'notes': asked, 'artifacts': [{'url': 'https://h/x'}]}).encode())
            elif path.startswith('answers/'):
                status = int(path[8:].split('/')[0].split('?')[0])
                self.send(status, b'' if status == 204 else b'text', Retry_After=9, Location='/release/x?y' if status == 302 else None, Content_Length=None if status == 204 else 4)
            elif path.split('/')[0] in ('range', 'breaks', 'once'):
                kind, count = path.split('/')
                body = bytes(i % 251 for i in range(int(count)))
                start = int((self.headers['Range'] or 'bytes=0-')[6:-1])
                if kind == 'once': start = 0
                broken = not self.headers['Range'] and kind == 'breaks' or kind == 'once' and not seen.get(path)
                seen[path] = True
                if start >= len(body): return self.send(416)
                self.send(206 if start else 200, (body[start:][:3000] if broken else body[start:]), Content_Length=len(body) - start,
                          Content_Range=f'bytes {start}-{len(body) - 1}/{len(body)}' if start else None)
                if broken: self.close_connection = True
            elif path == 'lies':
                self.send(200, bytes(10), Content_Length=1000)
                self.close_connection = True
            elif path == 'silent': time.sleep(60)
            elif path == 'stalls':
                self.send(200, bytes(10), Content_Length=1000)
                time.sleep(60)
            elif path == 'drips':
                self.send(200, Content_Length=100000)
                try:
                    while True:
                        self.wfile.write(b'x'); time.sleep(0.05)
                except OSError: pass
            else: self.send(404)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.daemon_threads = True
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    def watch():
        while os.getppid() == parent: time.sleep(0.5)
        os._exit(0)
    threading.Thread(target=watch, daemon=True).start()
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """

  /// - Parameters:
  ///   - certificate: a certificate and its key make it a server of https.
  ///   - script: another server than that of files; it writes its port's number first.
  ///   - arguments: further words for the script.
  init(certificate: (String, String)? = nil, script: String = files, arguments: [String] = []) throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    let words = ["python3", "-c", script] + (certificate.map { [$0.0, $0.1] } ?? []) + arguments
    var argv = words.map { strdup($0) }
    defer { for word in argv { free(word) } }
    argv.append(nil)
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, "python3", &actions, nil, argv, environ)
    close(ends[1])
    try #require(code == 0, "python3 is needed for this test")
    process = pid
    // Python may write the number and the end of its line apart.
    var text: [UInt8] = []
    var byte: UInt8 = 0
    while text.last != UInt8(ascii: "\n"), read(ends[0], &byte, 1) == 1 { text.append(byte) }
    port = try #require(Int(String(decoding: text.dropLast(), as: UTF8.self)), "the server did not start")
  }

  /// A server that waits for it before it listens.
  func wake() { kill(process, SIGUSR1) }

  /// Called at the end of a test: an object may go before the scope that holds it ends.
  func stop() {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  func url(_ path: String, scheme: String = "http") throws -> URL { try #require(URL(string: "\(scheme)://127.0.0.1:\(port)/\(path)")) }
}
