import { connect } from 'node:net';

// Sends the same request over some connections until the time is over, and prints how many were answered: a sender that
// does next to nothing, to see what the sink can take.

const [, , port, bytes, connections, ms] = process.argv.map(Number);
const boundary = 'boundary';
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`;
const body = `${head}${'x'.repeat(bytes ?? 0)}\r\n--${boundary}--\r\n`;
const fields = `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length}`;
const request = Buffer.from(`POST /files?path=f HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n\r\n${body}`);

let answered = 0;
for (let index = 0; index < (connections ?? 0); index += 1) {
  const socket = connect(port ?? 0, '127.0.0.1', () => socket.write(request));
  // An answer is short enough to come in one piece.
  socket.on('data', () => {
    answered += 1;
    socket.write(request);
  });
}
setTimeout(() => {
  console.log(answered);
  process.exit();
}, ms);
