/** `npm run release`: runs scripts/release/main.ts on the Node.js that runs Sluice. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureNodeModules, nodeBinary } from './setup.mjs';

await ensureNodeModules('test');

const main = fileURLToPath(new URL('./release/main.ts', import.meta.url));
const child = spawn(nodeBinary(), [main, ...process.argv.slice(2)], { stdio: 'inherit' });
child.on('exit', (code) => process.exit(code ?? 1));
