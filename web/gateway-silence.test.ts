import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** As if nothing answered: only the patience of the caller ends it. */
const hang = (_url: string, { signal }: RequestInit): Promise<Response> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

let silence: typeof import('./gateway-silence.ts');
let requests: number;
let fetchNow: (url: string, init: RequestInit) => Promise<Response>;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const ending = new AbortController();
    setTimeout(() => ending.abort(), ms);
    return ending.signal;
  });
  requests = 0;
  fetchNow = hang;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    requests += 1;
    return fetchNow(url, init);
  });
  vi.resetModules();
  silence = await import('./gateway-silence.ts');
  silence.noteResponse();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** As players do, once a second. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await vi.advanceTimersByTimeAsync(1_000);
    silence.listen('/live/grant/status');
  }
}

test('a silent gateway is noticed within 10 s, by one request', async () => {
  await pass(9);
  expect(requests).toBe(1);
  await pass(1);
  expect(silence.silentMs()).toBe(10_000);
});

test('a gateway that answers anything is asked nothing', async () => {
  for (let second = 0; second < 60; second++) {
    silence.noteResponse();
    await pass(1);
  }
  expect(requests).toBe(0);
  expect(silence.silentMs()).toBeNull();
});

test('a gateway that answers when asked is asked every 6 s, and is not silent', async () => {
  fetchNow = () => Promise.resolve(new Response());
  await pass(60);
  expect(requests).toBe(10);
  expect(silence.silentMs()).toBeNull();
});

test('all that ask at the same time share a request, and any answer ends the silence', async () => {
  const both = Promise.all([silence.responds('/a'), silence.responds('/b')]);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await both).toEqual([false, false]);
  expect(requests).toBe(1);
  expect(silence.silentMs()).toBe(4_000);
  silence.noteResponse();
  expect(silence.silentMs()).toBeNull();
});

test('an answer that came in the meantime outweighs a request without one', async () => {
  const requested = silence.responds('/a');
  await vi.advanceTimersByTimeAsync(2_000);
  silence.noteResponse();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await requested).toBe(true);
});
