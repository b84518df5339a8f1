/** `npm start`: installs missing tools, then runs the gateway in the foreground. Arguments go to `sluice serve`. */

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureDebianPackages, ensureJail, ensureNodeModules, nodeBinary, ROOT } from './setup.mjs';

// npm runs beside the compiler.
const packages = ensureNodeModules('start');
ensureDebianPackages('start');
ensureJail();
await packages;

const main = join(ROOT, 'src', 'app', 'main.ts');
const child = spawn(nodeBinary(), [main, 'serve', ...process.argv.slice(2)], { stdio: 'inherit' });

// The gateway decides how it ends; this process only passes the signal on and reports the outcome.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
