import { test } from 'node:test';
import { batchChaos, chaos } from './chaos.ts';

test('chaos loses nothing, and every file meets its fate', () => chaos(1, 150));

test('chaos in batches loses nothing', () => batchChaos(1, 150));
