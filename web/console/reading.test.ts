import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const READ_MS = 400;
const CHANGE_EVERY_MS = 100;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { baseURI: 'http://api.example/console/' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a list is read although changes come faster than it can be read, and once more after the last one', async () => {
  const { Source } = await import('./reading.ts');
  let started = 0;
  const source = new Source(
    (signal) =>
      new Promise<number>((resolve, reject) => {
        const count = ++started;
        setTimeout(() => resolve(count), READ_MS);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  source.refresh();
  for (let atMs = 0; atMs < 3_000; atMs += CHANGE_EVERY_MS) {
    source.refreshSoon();
    await vi.advanceTimersByTimeAsync(CHANGE_EVERY_MS);
  }
  expect(source.state.value).toMatchObject({ kind: 'read' });
  expect(started).toBeLessThan(7);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(source.state.value).toMatchObject({ kind: 'read', value: started });
  source.close();
});
