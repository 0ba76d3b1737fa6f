// Loaded into the action's process before the action itself: prints each signal as it arrives.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => process.stdout.write(`got ${signal}\n`));
