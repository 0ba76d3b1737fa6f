import { type Check, type Checks, differs, judge, no, rejectsWrongToken, yes } from './check.ts';
import { attach, type CommandOptions, kill, type Outcome, start } from './process.ts';
import { fieldOf } from './service.ts';

function say({ end, last }: Outcome): string {
  return `end ${JSON.stringify(end)}, last message ${JSON.stringify(last)}`;
}

function hasExited(outcome: Outcome, code: number) {
  const { end, last } = outcome;
  const isWhole = last !== undefined && fieldOf(last, 'error') === undefined;
  // E2B's agent leaves out an exit code of 0, so that only `exited` tells it from a signal.
  const isRight = fieldOf(end, 'exited') === true && (fieldOf(end, 'exitCode') ?? 0) === code;
  return judge(isWhole && isRight, say(outcome));
}

function prints(script: string, expected: string, options?: CommandOptions): Check {
  return async ({ service }) => {
    const { stdout } = await start(service, script, options);
    return judge(stdout === expected, JSON.stringify(stdout));
  };
}

function fails(options: CommandOptions, code: string): Check {
  return async ({ service }) => {
    const outcome = await start(service, 'true', options);
    if (outcome.pid !== undefined) return no(`started: ${say(outcome)}`);
    const isExpected = fieldOf(outcome.last, 'error', 'code') === code;
    return isExpected ? yes(say(outcome)) : differs(say(outcome));
  };
}

const ODD_VALUE = 'it\'s "x"\nü€';

export const RUN_CHECKS: Checks = {
  required: {
    async 'start event and output'({ service }) {
      const { pid, stdout, stderr } = await start(service, 'echo ü; cat; echo no >&2');
      const isRight = pid !== undefined && stdout === 'ü\n' && stderr === 'no\n';
      return judge(isRight, JSON.stringify({ pid, stdout, stderr }));
    },
    'exit code 0': async ({ service }) => hasExited(await start(service, 'exit 0'), 0),
    'exit code 3': async ({ service }) => hasExited(await start(service, 'exit 3'), 3),
    environment: prints('printf %s "$ODD"', ODD_VALUE, { envs: { ODD: ODD_VALUE } }),
    // The upload checks have made this folder.
    'working directory': trial =>
      prints('basename "$PWD"', `${trial.id}\n`, { cwd: `/tmp/${trial.id}` })(trial),
    async signal({ service }) {
      const onStart = async (pid: number) => void (await kill(service, pid));
      const outcome = await start(service, 'exec sleep 20', { onStart });
      const { end } = outcome;
      return judge(end !== undefined && fieldOf(end, 'exited') !== true, say(outcome));
    },
    async 'attach by pid'({ service }) {
      const { pid } = await start(service, 'sleep 1; exit 3', { onStart: async () => 'leave' });
      return hasExited(await attach(service, pid ?? 0), 3);
    },
  },
  others: {
    'missing working directory': fails({ cwd: '/no/such/folder' }, 'invalid_argument'),
    'unknown user is rejected': fails({ user: 'no-such-user' }, 'unauthenticated'),
    'wrong token is rejected': rejectsWrongToken(() => ({
      method: 'POST',
      path: '/process.Process/Start',
    })),
  },
};
