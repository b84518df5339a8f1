/** `npm start`: installs missing tools, then runs the gateway in the foreground. Arguments go to `sluice serve`. */

import { spawn } from 'node:child_process';
import { BUILT_MAIN, ensureBuilt, SOURCE_MAIN } from './built.mjs';
import { ensureDebianPackages, ensureJail, ensureNodeModules, nodeBinary } from './setup.mjs';

// npm and the compiler run at the same time.
const packages = ensureNodeModules('start');
ensureDebianPackages('start');
ensureJail();
await packages;

const node = nodeBinary();
const isBuilt = ensureBuilt(node);
if (!isBuilt)
  process.stderr.write(
    'The gateway could not be bundled; see above. It starts from its sources, which takes longer.\n',
  );
const child = spawn(node, [isBuilt ? BUILT_MAIN : SOURCE_MAIN, 'serve', ...process.argv.slice(2)], {
  stdio: 'inherit',
});

// The gateway decides how it ends; this process only passes the signal on and reports the outcome.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
