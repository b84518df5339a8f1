/**
 * `node guarded.mjs NICENESS COMMAND ARGS…`: runs a command in the process group that this process leads, and ends the whole group
 * when its input ends. So nothing is left running when the process that started it is killed, even by SIGKILL.
 */

import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** Gateways and databases have this long to close their files. */
const GRACE_MS = 10_000;
const [niceness, command, ...args] = process.argv.slice(2);

setPriority(Number(niceness));
// It has to outlive the signals that it sends to its group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
child.on('error', (error) => {
  process.stderr.write(`${command} did not start: ${error.message}\n`);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

process.stdin.resume();
process.stdin.on('error', () => undefined);
process.stdin.on('close', () => {
  process.kill(-process.pid, 'SIGTERM');
  setTimeout(() => process.kill(-process.pid, 'SIGKILL'), GRACE_MS);
});
