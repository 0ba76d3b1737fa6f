import packageJson from '../../package.json' with { type: 'json' };

/** How the action names itself to the agent. */
export const userAgent = `sandbox-sync/${packageJson.version}`;
