import { test } from 'node:test';
import { chaos, sharedChaos } from './chaos.ts';

test('chaos loses nothing, and every file meets its fate', () => chaos(1, 150));

test('chaos over shared requests loses nothing', () => sharedChaos(1, 150));
