// Loaded into the action's process before the action itself: sends it a signal as soon as it has printed a line that
// SIGNAL_AT matches, or, without a line, as soon as it listens to signals. JavaScript, since it is there for the action.
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
