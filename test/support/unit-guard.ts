/**
 * The guard of the unit tier, loaded before each of its files: a unit test is deterministic. It starts no process, opens no
 * socket, writes no file outside a temporary folder, and does not wait for real time. Otherwise the test fails, with its
 * deed and the place. A test that needs more belongs in `*.real.test.ts` (CONTRIBUTING.md, "Which test goes where").
 *
 * Time is judged by the delays that timers were given, never by how long the machine took.
 */

import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { resolve, sep } from 'node:path';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { timeSlicesBy } from '../../src/core/sliced-work.ts';

/** The most real time that one test may wait for, all of its timers together. */
const MAX_WAIT_MS = 50;

/** Longer timers are deadlines of libraries against hangs. They end no test that works. */
const MIN_DEADLINE_MS = 5_000;

/** Where unit tests may write. /dev/shm has what threads share. */
const WRITABLE = [tmpdir(), '/dev/shm'];

type Callable = (this: unknown, ...args: unknown[]) => unknown;

class Trespasses {
  #found: string[] = [];
  #waitedMs = 0;
  /** Counts tests: the current one does not wait for timers of an earlier one. */
  test = 0;

  note(what: string): void {
    this.#found.push(`${what}\n${callers()}`);
  }

  timerCreated(delayMs: number): void {
    if (delayMs > MAX_WAIT_MS && delayMs < MIN_DEADLINE_MS) this.note(`sets a real timer of ${delayMs} ms`);
  }

  timerFired(delayMs: number): void {
    this.#waitedMs += delayMs;
  }

  /** Throws the findings since the last call. */
  check(): void {
    const found = this.#found;
    if (this.#waitedMs > MAX_WAIT_MS) found.push(`waits ${this.#waitedMs} ms of real time`);
    this.#found = [];
    this.#waitedMs = 0;
    this.test++;
    if (found.length > 0) throw new Error(`A unit test ${[...new Set(found)].join('\nand ')}`);
  }
}

/** The innermost calls outside Node.js and packages. */
function callers(): string {
  const lines = new Error().stack?.split('\n').slice(1) ?? [];
  const own = lines.filter((line) => !/node:|node_modules|unit-guard/.test(line));
  return own.slice(0, 4).join('\n');
}

function wrap(
  owner: object,
  names: readonly string[],
  before: (name: string, args: unknown[]) => void,
): void {
  const members = owner as Record<string, Callable>;
  for (const name of names) {
    const original = members[name]!;
    const wrapped: Callable = function (...args) {
      before(name, args);
      return original.apply(this, args);
    };
    // Keeps what util.promisify looks for.
    members[name] = Object.assign(wrapped, original);
    for (const key of Object.getOwnPropertySymbols(original)) {
      const custom = (original as unknown as Record<symbol, Callable>)[key]!;
      Object.defineProperty(wrapped, key, {
        value: (...args: unknown[]) => {
          before(name, args);
          return custom(...args);
        },
      });
    }
  }
}

function guardProcesses(trespasses: Trespasses): void {
  const names = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'];
  wrap(childProcess, names, (_name, [command]) => trespasses.note(`starts a process: ${String(command)}`));
}

function guardSockets(trespasses: Trespasses): void {
  wrap(net.Server.prototype, ['listen'], () => trespasses.note('listens'));
  wrap(net.Socket.prototype, ['connect'], () => trespasses.note('opens a connection'));
  wrap(dgram.Socket.prototype, ['bind', 'send'], () => trespasses.note('opens a UDP socket'));
}

function guardFiles(trespasses: Trespasses): void {
  const check = (name: string, [path, flags]: unknown[]) => {
    if (typeof path === 'number' || (name.startsWith('open') && (flags === undefined || flags === 'r')))
      return;
    const whole = resolve(path instanceof URL ? path.pathname : String(path));
    if (!WRITABLE.some((folder) => whole === folder || whole.startsWith(folder + sep)))
      trespasses.note(`writes ${whole}`);
  };
  const names = ['appendFile', 'mkdir', 'mkdtemp', 'open', 'rename', 'rm', 'writeFile'];
  wrap(fs.promises, names, check);
  wrap(fs, [...names.filter((name) => name !== 'open'), 'createWriteStream'], check);
  wrap(
    fs,
    ['appendFileSync', 'mkdirSync', 'mkdtempSync', 'openSync', 'renameSync', 'rmSync', 'writeFileSync'],
    check,
  );
}

function guardTimers(trespasses: Trespasses): void {
  const counting =
    (original: Callable): Callable =>
    (fn, delay, ...args) => {
      const delayMs = Number(delay ?? 0);
      const { test } = trespasses;
      trespasses.timerCreated(delayMs);
      const counted = (...given: unknown[]) => {
        if (test === trespasses.test) trespasses.timerFired(delayMs);
        return (fn as Callable)(...given);
      };
      return original(counted, delay, ...args);
    };
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const original = timers[name] as unknown as Callable;
    const counted = counting(original);
    for (const key of Object.getOwnPropertySymbols(original))
      Object.defineProperty(counted, key, { value: (original as unknown as Record<symbol, unknown>)[key] });
    Object.assign(timers, { [name]: counted });
    Object.assign(globalThis, { [name]: counted });
  }
  wrap(timersPromises, ['setTimeout'], (_name, [delay]) => {
    trespasses.timerCreated(Number(delay ?? 0));
    trespasses.timerFired(Number(delay ?? 0));
  });
}

function guardPolling(trespasses: Trespasses): void {
  wrap(vi, ['waitFor', 'waitUntil'], (name) => trespasses.note(`polls with vi.${name}`));
}

/** One per process: modules of Node.js are the same for all files of a worker. */
function install(): Trespasses {
  const trespasses = new Trespasses();
  guardProcesses(trespasses);
  guardSockets(trespasses);
  guardFiles(trespasses);
  guardTimers(trespasses);
  guardPolling(trespasses);
  syncBuiltinESMExports();
  return trespasses;
}

const KEY = Symbol.for('sluice.unit-guard');
const shared = globalThis as { [KEY]?: Trespasses };
shared[KEY] ??= install();
const trespasses = shared[KEY];
// Slices end after their steps alone: the order of work does not depend on the machine.
timeSlicesBy(() => 0);
wrap(expect, ['poll'], () => trespasses.note('polls with expect.poll'));

// The next test answers for trespasses of a hook or of a file's loading; after the last test, the file does.
afterEach(() => trespasses.check());
afterAll(() => trespasses.check());
