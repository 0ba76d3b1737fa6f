// Preloaded into the action: sends it a signal when it prints a line that SIGNAL_AT matches or,
// without SIGNAL_AT, when it starts to listen for signals.
const signal = process.env['SIGNAL'];
const line = process.env['SIGNAL_AT'];
const send = () => void process.kill(process.pid, signal);
if (signal !== undefined && line === undefined) {
  const listen = name => {
    if (name !== 'SIGTERM') return;
    process.off('newListener', listen);
    setImmediate(send);
  };
  process.on('newListener', listen);
}
if (signal !== undefined && line !== undefined) {
  const write = process.stdout.write.bind(process.stdout);
  let due = true;
  process.stdout.write = (chunk, ...rest) => {
    if (due && new RegExp(line).test(String(chunk))) {
      due = false;
      setImmediate(send);
    }
    return write(chunk, ...rest);
  };
}
