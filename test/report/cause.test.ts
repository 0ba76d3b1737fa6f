import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCause } from '../../src/report/cause.ts';

/** What tools print when they fail, shortened. A » stands before each line that names the cause. */
const OUTPUTS: Readonly<Record<string, string>> = {
  'npm test with an assertion of Node': `> app@1.0.0 test
node:assert:90
  throw new AssertionError(obj);

»AssertionError [ERR_ASSERTION]: 1 == 2
    at Object.<anonymous> (/home/user/app/test.js:1:32)
  code: 'ERR_ASSERTION',

Node.js v20.20.2`,
  'npm without a script': `»npm error Missing script: "nope"
npm error
»npm error To see a list of scripts, run:
npm error   npm run
npm error A complete log of this run can be found in: /root/.npm/_logs/1-debug-0.log`,
  'npm without a package': `npm error code E404
»npm error 404 Not Found - GET https://registry.example.com/nope - Not found
»npm error 404  'nope@*' is not in this registry.`,
  'a workspace of npm': `»sh: 1: vitest: not found
npm error Lifecycle script \`test\` failed with error:
npm error code 127
npm error path /home/user/app
npm error workspace app@1.0.0
npm error command sh -c vitest`,
  'a program that is missing': `> vitest run
»sh: 1: vitest: not found`,
  'a module that is missing': `  throw err;
»Error: Cannot find module '/home/user/nope.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
Node.js v20.20.2`,
  'node --test': `✔ access denied for guests (0.5ms)
»✖ breaks (1.1ms)
ℹ fail 1
✖ failing tests:
✖ breaks (1.1ms)
»  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  1 !== 2`,
  TAP: `ok 1 - access denied for guests
»not ok 2 - breaks
  error: |-
  name: 'AssertionError'`,
  vitest: ` ✓ src/b.test.ts (1 test) 2ms
   × adds 4ms
⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯
» FAIL  src/a.test.ts > adds
»AssertionError: expected 1 to be 2 // Object.is equality
 ❯ src/a.test.ts:4:13
      Tests  1 failed | 2 passed (3)`,
  jest: `PASS src/b.test.js
»FAIL src/a.test.js
  ✓ access denied for guests (2 ms)
»  ● adds
    expect(received).toBe(expected) // Object.is equality
Tests:       1 failed, 2 passed, 3 total`,
  pytest: `>       assert x["a"] == 2
»E       assert 1 == 2
test_a.py:5: AssertionError
»E       ConnectionError: refused
»FAILED test_a.py::test_b - assert 1 == 2
========================= 2 failed, 1 passed in 0.02s ==========================`,
  'a traceback, and the log of a teardown': `Traceback (most recent call last):
  File "app.py", line 3, in <module>
»Timeout: after 3 s
The database was stopped`,
  'go test': `»--- FAIL: TestB (0.00s)
»    a_test.go:4: got 1, want 2
FAIL
»FAIL\tx\t0.003s
FAIL`,
  'a panic of Go': `»panic: assignment to entry in nil map
goroutine 18 [running]:
exit status 2`,
  'go build': `# x
»./b.go:1:23: undefined: nope`,
  'cargo build': `   Compiling x v0.1.0 (/home/user/x)
»error[E0308]: mismatched types
 --> src/main.rs:1:26
»error: could not compile \`x\` (bin "x") due to 1 previous error`,
  'cargo test': `test ok ... ok
test adds ... FAILED
»thread 'adds' (12184) panicked at src/main.rs:2:21:
»assertion \`left == right\` failed
  left: 2
»error: test failed, to rerun pass \`--bin x\``,
  tsc: "»a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
  'gcc and make': `a.c: In function ‘main’:
»a.c:1:20: error: ‘x’ undeclared (first use in this function)
»make: *** [Makefile:2: a.o] Error 1`,
  git: `Cloning into 'x'...
»fatal: repository '/nope' does not exist`,
  'the shell itself': `starting
»bash: line 2: NOPE: unbound variable`,
  'a file that is missing, if no line is better': `»cat: /nope: No such file or directory
»mkdir: cannot create directory ‘/x’: Permission denied`,
  'more than three': '»Error: a\n»Error: b\nError: a\n»Error: c\nError: d',
  'nothing that says why': 'Deploying 3 files\n0 errors, 2 warnings\nwaiting for health',
  'only what went well': '✓ access denied for guests\nok 2 - file not found\nPASS no such user',
};
for (const [what, marked] of Object.entries(OUTPUTS))
  test(`the cause of a failure is named by the lines of [${what}]`, () => {
    const lines = marked.split('\n');
    const causes = lines.filter(line => line.startsWith('»')).map(line => line.slice(1).trim());
    assert.deepEqual(findCause(lines.map(line => line.replace('»', ''))), causes);
  });
