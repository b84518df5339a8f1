import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parsePlain } from './plain-json.ts';

it('leaves no mark that could turn a name around', () => {
  const named = { name: 'Lobby\u202egpj.exe\u202c', 'x\u2066': ['\u200fשלום\u061c', 'a\u2069b'] };
  expect(parsePlain(JSON.stringify(named))).toEqual({ name: 'Lobbygpj.exe', x: ['שלום', 'ab'] });
});

it('reads all that the gateway sends', () => {
  const root = resolve(import.meta.dirname, '.');
  const others = globSync('**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.test.ts'] }).filter((file) =>
    /\.json\(\)|JSON\.parse/.test(readFileSync(resolve(root, file), 'utf8')),
  );
  // The service worker shows texts of the gateway as the system shows notifications; the last stores what it has read.
  expect(others.toSorted()).toEqual(['plain-json.ts', 'service-worker.ts', 'ui/public-url-step.tsx']);
});
