/** A required environment variable. */
export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

/** The non-empty lines of a required environment variable. */
export function linesOf(name: string): string[] {
  return variable(name)
    .split('\n')
    .filter(line => line.trim() !== '');
}

/** Ends the step: reports each finding as an error, or prints `well` if there is none. */
export function conclude(findings: readonly string[], well: string): void {
  for (const finding of findings) console.log(`::error::${finding}`);
  if (findings.length === 0) console.log(well);
  else process.exitCode = 1;
}
