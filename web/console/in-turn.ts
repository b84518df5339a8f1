/**
 * Works on many items of a list: a few in parallel, each with its own end, with retries while the gateway is
 * busy.
 */

import { CallError } from './api.ts';

export type Progress<Result> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: CallError };

/** A minute of tries: what limits them is counted per minute. */
const MAX_TRIES = 12;
const BUSY_WAIT_SEC = 3;
const MAX_WAIT_SEC = 20;

/** Ends when the work on each item has ended, or when `signal` is aborted: items that have not begun are then skipped. */
export async function eachInTurn<Item, Result>(
  items: readonly Item[],
  { atOnce, signal }: { readonly atOnce: number; readonly signal: AbortSignal },
  work: (item: Item) => Promise<Result>,
  onProgress: (item: Item, progress: Progress<Result>) => void,
): Promise<void> {
  for (const item of items) onProgress(item, { kind: 'waiting' });
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) {
      if (signal.aborted) return;
      onProgress(item, { kind: 'running' });
      const progress = await outcomeOf(() => work(item));
      if (signal.aborted) return;
      onProgress(item, progress);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function outcomeOf<Result>(work: () => Promise<Result>): Promise<Progress<Result>> {
  try {
    return { kind: 'done', result: await work() };
  } catch (thrown) {
    const error = thrown instanceof CallError ? thrown : new CallError(String(thrown), { status: 0 });
    return { kind: 'failed', error };
  }
}

/** Tries again while the gateway says that it is busy or that this was too often. Fails with the last CallError. */
export async function patiently<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
  wait: (sec: number, signal: AbortSignal) => Promise<void> = waitSec,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof CallError) || ![429, 503].includes(thrown.status) || tries >= MAX_TRIES)
        throw thrown;
      await wait(Math.min(thrown.retryAfterSec ?? BUSY_WAIT_SEC, MAX_WAIT_SEC), signal);
      signal.throwIfAborted();
    }
  }
}

function waitSec(sec: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, sec * 1_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Gives the same text for the same call, so that a call whose answer was lost is not done twice (`once` of `call`). */
export function onceKeeper(): (body: object) => string {
  let last = { body: '', once: '' };
  return (body) => {
    const text = JSON.stringify(body);
    if (last.body !== text) last = { body: text, once: newOnce() };
    return last.once;
  };
}

/** `crypto.randomUUID` is not there over plain HTTP. */
function newOnce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
