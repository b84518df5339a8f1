/**
 * Replaces chance and time for everything in the process while a simulation runs: random bytes and UUIDs come from its
 * seed, and reads of the time, timers, and immediates use those of its world. One place for all of it.
 */

import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import { Random } from './random.ts';
import { IMMEDIATES, type World } from './world.ts';

type Scrypt = (
  password: Buffer | string,
  salt: Buffer,
  length: number,
  options: object,
  done: (error: Error | null, derived: Buffer) => void,
) => void;

/** Runs `work` with everything that is random or has to do with time taken from `world`. One at a time. */
export async function deterministically<T>(world: World, work: () => Promise<T>): Promise<T> {
  // Not the world's own: how much chance the product uses must not change the decisions of the simulation.
  const random = new Random(world.seed ^ 0x2545f491);
  const restores = [
    ...replaceCrypto(random),
    replace(Math, 'random', () => random.next()),
    replace(Date, 'now', () => world.epochMs),
    replace(performance, 'now', () => world.nowMs),
    replace(performance, 'eventLoopUtilization', () => ({
      active: 0.1 * world.nowMs,
      idle: 0.9 * world.nowMs,
      utilization: 0.1,
    })),
    ...replaceTimers(world),
  ];
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    for (const restore of restores.reverse()) restore();
    syncBuiltinESMExports();
  }
}

function replace<T extends object, K extends keyof T>(target: T, name: K, value: unknown): () => void {
  const before = target[name];
  target[name] = value as T[K];
  return () => {
    target[name] = before;
  };
}

function replaceCrypto(random: Random): (() => void)[] {
  const scrypt: Scrypt = (password, salt, length, _options, done) => {
    const derived = crypto.createHash('sha512').update(password).update(salt).digest().subarray(0, length);
    queueMicrotask(() => done(null, derived));
  };
  const randomUUID = (): string => {
    const bytes = random.bytes(16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  };
  const randomInt = (from: number, to?: number): number =>
    to === undefined ? random.below(from) : from + random.below(to - from);
  return [
    replace(crypto, 'randomUUID', randomUUID),
    replace(crypto, 'randomBytes', (length: number) => random.bytes(length)),
    replace(crypto, 'randomInt', randomInt),
    replace(crypto, 'scrypt', scrypt),
  ];
}

type Callback = (...values: unknown[]) => void;

/** Timers of libraries belong to no process: they are rare, and none of ours uses them. */
function replaceTimers(world: World): (() => void)[] {
  const handleOf = (timer: { cancel(): void }) => {
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => false,
      refresh: () => handle,
      close: () => timer.cancel(),
      cancel: () => timer.cancel(),
    };
    return handle;
  };
  const later = (fn: Callback, delayMs = 0, ...values: unknown[]) =>
    handleOf(world.after(delayMs, () => fn(...values), undefined, world.current));
  const immediately = (fn: Callback, ...values: unknown[]) =>
    handleOf(world.after(0, () => fn(...values), IMMEDIATES, world.current));
  const clear = (handle: { cancel?: () => void } | undefined) => handle?.cancel?.();
  const repeated = () => {
    throw new Error('setInterval in a simulation');
  };
  return [
    replace(globalThis, 'setTimeout', later),
    replace(globalThis, 'clearTimeout', clear),
    replace(globalThis, 'setImmediate', immediately),
    replace(globalThis, 'clearImmediate', clear),
    replace(globalThis, 'setInterval', repeated),
  ];
}
