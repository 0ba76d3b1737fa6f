/** A variable of the environment that the step must set. */
export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

/** The lines of such a variable that hold something. */
export function linesOf(name: string): string[] {
  return variable(name)
    .split('\n')
    .filter(line => line.trim() !== '');
}

/** Ends the step: every finding is an error that fails it; where there is none, `well` is told. */
export function conclude(findings: readonly string[], well: string): void {
  for (const finding of findings) console.log(`::error::${finding}`);
  if (findings.length === 0) console.log(well);
  else process.exitCode = 1;
}
