/** The code of a system error, such as `ENOENT`; undefined for any other error, such as a bug. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
