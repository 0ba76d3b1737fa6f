// Starts the TypeScript program that the first argument names, such as `demo`. This file is
// JavaScript, so that an older Node prints a clear message instead of failing to load TypeScript.

const program = String(process.argv[2]);
process.argv.splice(2, 1);
if (Number.parseInt(process.versions.node, 10) >= 24) {
  await import(`./${program}.ts`);
} else {
  console.error(
    `This is Node ${process.versions.node}, but this needs Node 24. npm ci installs it, except on macOS.`,
  );
  process.exitCode = 1;
}
