/** `npm run long`: installs missing tools, and then runs `scripts/long/main.ts` on the Node.js that runs Sluice. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureNodeModules, nodeBinary } from './setup.mjs';

await ensureNodeModules('test');

const node = nodeBinary();
if (node === process.execPath) await import('./long/main.ts');
else {
  const main = fileURLToPath(new URL('./long/main.ts', import.meta.url));
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends SIGINT to both.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code) => process.exit(code ?? 1));
}
