import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFaults } from '../../local-agent/fault-file.ts';
import type { Fault } from '../../local-agent/faults.ts';

test('every kind of fault can be written as JSON', () => {
  const faults: Fault[] = [
    { on: 'any', do: { kind: 'status', status: 503, body: 'b', headers: { a: 'b' }, early: true } },
    { on: 'upload', path: '/a', skip: 1, times: 2, do: { kind: 'delay', ms: 5 } },
    { on: 'stats', do: { kind: 'reset', at: 'during-body' } },
    { on: 'stats', do: { kind: 'hang-up', at: 'after-body' } },
    { on: 'any', do: { kind: 'truncate' } },
    { on: 'any', do: { kind: 'stall', at: 'reading' } },
    { on: 'any', do: { kind: 'answer', body: 'b', status: 201, headers: {} } },
    { on: 'any', do: { kind: 'drop' } },
    { on: 'any', do: { kind: 'endless', chunk: 'x' } },
  ];
  const json = JSON.stringify(faults);
  assert.equal(JSON.stringify(parseFaults(json)), json);
});

const WRONG = [
  { json: '{', message: /^The faults are not JSON/ },
  { json: '{}', message: /must be a JSON array/ },
  { json: '[1]', message: /^\[0\] must be an object/ },
  { json: '[{"on":"upload"}]', message: /^\[0\]\.do is missing/ },
  { json: '[{"on":"all","do":{"kind":"drop"}}]', message: /^\[0\]\.on must be one of: upload, stats, any/ },
  { json: '[{"on":"any","time":1,"do":{"kind":"drop"}}]', message: /^\[0\]\.time is not known/ },
  { json: '[{"on":"any","times":-1,"do":{"kind":"drop"}}]', message: /^\[0\]\.times cannot be -1/ },
  { json: '[{"on":"any","do":{"kind":"dorp"}}]', message: /^\[0\]\.do\.kind must be one of: status,/ },
  { json: '[{"on":"any","do":{"kind":"delay"}}]', message: /^\[0\]\.do\.ms is missing/ },
  { json: '[{"on":"any","do":{"kind":"drop","ms":1}}]', message: /^\[0\]\.do\.ms is not known/ },
];
for (const { json, message } of WRONG) {
  test(`the fault file ${json} is refused`, () => {
    assert.throws(() => parseFaults(json), { name: 'FaultFileError', message });
  });
}
