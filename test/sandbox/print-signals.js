// Preloaded into the action: prints each signal as it arrives.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => process.stdout.write(`got ${signal}\n`));
