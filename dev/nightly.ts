// Runs the tests that take minutes or need the network. With --agent URL --token TOKEN
// [--sandbox-id ID], only runs the actions against that agent.

const names = process.argv.includes('--agent') ? ['real-agent'] : ['slow', 'e2b-sdk', 'act'];
for (const name of names) await import(`./nightly/${name}.ts`);
