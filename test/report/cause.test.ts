import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCause } from '../../src/report/cause.ts';

/** What tools print when they fail, shortened, and the lines of it that name the cause. */
const OUTPUTS: Readonly<Record<string, readonly [output: string, ...causes: string[]]>> = {
  'npm test with an assertion of Node': [
    `> app@1.0.0 test
> node test.js

node:assert:90
  throw new AssertionError(obj);
  ^

AssertionError [ERR_ASSERTION]: 1 == 2
    at Object.<anonymous> (/home/user/app/test.js:1:32)
  code: 'ERR_ASSERTION',
}

Node.js v20.20.2`,
    'AssertionError [ERR_ASSERTION]: 1 == 2',
  ],
  'npm without a script': [
    `npm error Missing script: "nope"
npm error
npm error To see a list of scripts, run:
npm error   npm run
npm error A complete log of this run can be found in: /root/.npm/_logs/1-debug-0.log`,
    'npm error Missing script: "nope"',
    'npm error To see a list of scripts, run:',
  ],
  'npm without a package': [
    `npm error code E404
npm error 404 Not Found - GET https://registry.example.com/nope - Not found
npm error 404  'nope@*' is not in this registry.
npm error A complete log of this run can be found in: /root/.npm/_logs/1-debug-0.log`,
    'npm error 404 Not Found - GET https://registry.example.com/nope - Not found',
    "npm error 404  'nope@*' is not in this registry.",
  ],
  'a workspace of npm': [
    `sh: 1: vitest: not found
npm error Lifecycle script \`test\` failed with error:
npm error code 127
npm error path /home/user/app
npm error workspace app@1.0.0
npm error command failed
npm error command sh -c vitest`,
    'sh: 1: vitest: not found',
  ],
  'a program that is missing': [
    '> app@1.0.0 test\n> vitest run\n\nsh: 1: vitest: not found',
    'sh: 1: vitest: not found',
  ],
  'a module that is missing': [
    `node:internal/modules/cjs/loader:1210
  throw err;
Error: Cannot find module '/home/user/nope.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
  requireStack: []
}

Node.js v20.20.2`,
    "Error: Cannot find module '/home/user/nope.js'",
  ],
  'node --test': [
    `✔ access denied for guests (0.5ms)
✖ breaks (1.1ms)
ℹ pass 1
ℹ fail 1

✖ failing tests:

test at a.test.mjs:4:1
✖ breaks (1.1ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  1 !== 2`,
    '✖ breaks (1.1ms)',
    'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
  ],
  TAP: [
    `ok 1 - access denied for guests
not ok 2 - breaks
  ---
  error: |-
    Expected values to be strictly equal:
  name: 'AssertionError'
  ...`,
    'not ok 2 - breaks',
  ],
  vitest: [
    ` ✓ src/b.test.ts (1 test) 2ms
 ❯ src/a.test.ts (2 tests | 1 failed) 5ms
   × adds 4ms
     → expected 1 to be 2 // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/a.test.ts > adds
AssertionError: expected 1 to be 2 // Object.is equality

- Expected
+ Received

 ❯ src/a.test.ts:4:13

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 2 passed (3)`,
    'FAIL  src/a.test.ts > adds',
    'AssertionError: expected 1 to be 2 // Object.is equality',
  ],
  jest: [
    `PASS src/b.test.js
FAIL src/a.test.js
  ✓ access denied for guests (2 ms)
  ✕ adds (3 ms)

  ● adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 2
    Received: 1

Tests:       1 failed, 2 passed, 3 total`,
    'FAIL src/a.test.js',
    '● adds',
  ],
  pytest: [
    `=================================== FAILURES ===================================
>       assert x["a"] == 2
E       assert 1 == 2

test_a.py:5: AssertionError
>       raise ConnectionError("refused")
E       ConnectionError: refused
=========================== short test summary info ============================
FAILED test_a.py::test_b - assert 1 == 2
========================= 2 failed, 1 passed in 0.02s ==========================`,
    'E       assert 1 == 2',
    'E       ConnectionError: refused',
    'FAILED test_a.py::test_b - assert 1 == 2',
  ],
  'a traceback, and the log of a teardown': [
    `Traceback (most recent call last):
  File "app.py", line 3, in <module>
    raise Timeout("after 3 s")
Timeout: after 3 s
Stopping the database
The database was stopped`,
    'Timeout: after 3 s',
  ],
  'go test': [
    `--- FAIL: TestB (0.00s)
    a_test.go:4: got 1, want 2
FAIL
FAIL\tx\t0.003s
FAIL`,
    '--- FAIL: TestB (0.00s)',
    'a_test.go:4: got 1, want 2',
    'FAIL\tx\t0.003s',
  ],
  'a panic of Go': [
    `panic: assignment to entry in nil map

goroutine 18 [running]:
x.TestP(0x34d2a07a4488?)
exit status 2`,
    'panic: assignment to entry in nil map',
  ],
  'go build': ['# x\n./b.go:1:23: undefined: nope', './b.go:1:23: undefined: nope'],
  'cargo build': [
    `   Compiling x v0.1.0 (/home/user/x)
error[E0308]: mismatched types
 --> src/main.rs:1:26
error: could not compile \`x\` (bin "x") due to 1 previous error`,
    'error[E0308]: mismatched types',
    'error: could not compile `x` (bin "x") due to 1 previous error',
  ],
  'cargo test': [
    `test ok ... ok
test adds ... FAILED
thread 'adds' (12184) panicked at src/main.rs:2:21:
assertion \`left == right\` failed
  left: 2
 right: 3
error: test failed, to rerun pass \`--bin x\``,
    "thread 'adds' (12184) panicked at src/main.rs:2:21:",
    'assertion `left == right` failed',
    'error: test failed, to rerun pass `--bin x`',
  ],
  tsc: [
    "a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    "a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
  ],
  'gcc and make': [
    `a.c: In function ‘main’:
a.c:1:20: error: ‘x’ undeclared (first use in this function)
make: *** [Makefile:2: a.o] Error 1`,
    'a.c:1:20: error: ‘x’ undeclared (first use in this function)',
    'make: *** [Makefile:2: a.o] Error 1',
  ],
  git: [
    "Cloning into 'x'...\nfatal: repository '/nope' does not exist",
    "fatal: repository '/nope' does not exist",
  ],
  'the shell itself': [
    'starting\nbash: line 2: NOPE: unbound variable',
    'bash: line 2: NOPE: unbound variable',
  ],
  'a file that is missing, only without a better line': [
    'cat: /nope: No such file or directory\nmkdir: cannot create directory ‘/x’: Permission denied',
    'cat: /nope: No such file or directory',
    'mkdir: cannot create directory ‘/x’: Permission denied',
  ],
  'more than three': [
    'Error: a\nError: b\nError: a\nError: c\nError: d',
    'Error: a',
    'Error: b',
    'Error: c',
  ],
  'nothing that says why': [
    'Deploying 3 files\n0 errors, 2 warnings\nwaiting for the health check',
  ],
  'only what went well': ['✓ access denied for guests\nok 2 - file not found\nPASS no such user'],
};
for (const [what, [output, ...causes]] of Object.entries(OUTPUTS))
  test(`the cause of a failure is named by the lines of [${what}]`, () =>
    assert.deepEqual(findCause(output.split('\n')), causes));
