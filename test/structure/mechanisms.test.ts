/** What the gateway does in one way: threads, requests to other hosts, and backoff each have one place in the code. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

const FILES = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name))
  .filter(({ name }) => !/\.test\.ts$|-fixture\.ts$|-contract\.ts$|^fake-/.test(name))
  .map(({ parentPath, name }) => join(parentPath, name))
  .map((path) => ({ path: relative(SRC, path), text: readFileSync(path, 'utf8') }));

const filesWith = (pattern: RegExp): string[] =>
  FILES.filter(({ text }) => pattern.test(text))
    .map(({ path }) => path)
    .sort();

it('starts threads in one file', () => {
  expect(filesWith(/^import (?!type)[^;]*\bWorker\b(?<!type Worker)[^;]*'node:worker_threads'/m)).toEqual([
    'threads/spawn-thread.ts',
  ]);
});

it('sends requests to other hosts with one client, and those to its own listeners apart from it', () => {
  expect(filesWith(/^import (?!type)[^;]*\brequest\b[^;]*'node:https?'/m)).toEqual([
    'front-door/viewer-thread/forwarder.ts',
    'network/http-call.ts',
  ]);
});

it('doubles pauses in one file', () => {
  const power = /(?:Ms|_MS) \* \d \*\* \(?[a-zA-Z]/;
  const product =
    /\b2 \* [\w.#]*(?:[Pp]ause|[Rr]etry|[Dd]elay|[Ww]ait)\w*Ms\b|(?:[Pp]ause|[Rr]etry|[Dd]elay|[Ww]ait)\w*Ms \* 2\b/;
  expect(filesWith(new RegExp(`${power.source}|${product.source}`))).toEqual(['core/backoff.ts']);
});
