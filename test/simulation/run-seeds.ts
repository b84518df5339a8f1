/**
 * Runs seeds without a test runner: `node test/simulation/run-seeds.ts <first> <count> [trace]`. Prints a line for each,
 * ends with the first failure and status 1. With `trace`, prints the events.
 */

import { simulate } from './simulation.ts';

const [first = '1', count = '1', shows] = process.argv.slice(2);
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const before = process.cpuUsage();
  const { failure, trace, knownDefects, ...counts } = await simulate(seed);
  const { user, system } = process.cpuUsage(before);
  const cpuMs = Math.round((user + system) / 1_000);
  const known = [...knownDefects];
  const line = { ...counts, cpuMs, known, failure: failure?.message ?? null };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  if (shows !== undefined) process.stdout.write(`${trace}\n${failure?.stack ?? ''}\n`);
  if (failure !== null && shows === undefined) process.exit(1);
}
