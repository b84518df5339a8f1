/**
 * Bundles the gateway: `node scripts/build.mjs` makes .built from src. Processes and threads then load a few files instead of thousands.
 * Plain JavaScript, because the installed gateway runs it. The gateway also runs from src.
 */

import { globSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'src');
const OUTPUT = join(ROOT, '.built');
/** How the gateway names the modules that its threads and processes run. */
const THREAD_MODULE = /new URL\('(\.\/[\w-]+-(?:worker|process)\.ts)', import\.meta\.url\)/g;
/** Packages that load native code or files of their own, and those that few gateways load. */
const OUTSIDE = [
  '@aws-sdk/client-s3',
  '@fastify/static',
  '@fastify/swagger-ui',
  '@ffmpeg-installer/ffmpeg',
  'acme-client',
  'fluent-ffmpeg',
  'nodemailer',
  'pg',
  'pino',
  'pino-pretty',
  'rolldown',
  'sharp',
  'web-push',
];

/** The modules that processes and threads start with, by the name of their bundled file. */
function entryModules() {
  const entries = { main: join(SOURCE, 'app', 'main.ts') };
  for (const file of globSync('**/!(*.test|*-fixture).ts', { cwd: SOURCE })) {
    const path = join(SOURCE, file);
    for (const [, module] of readFileSync(path, 'utf8').matchAll(THREAD_MODULE)) {
      entries[basename(module, '.ts')] = resolve(dirname(path), module);
    }
  }
  return entries;
}

/** Modules find the files that they read from their source, and the modules of threads from the bundle. */
const keepImportMeta = {
  name: 'keep-import-meta',
  transform: {
    filter: { id: /[\\/]src[\\/].*\.ts$/, code: /import\.meta/ },
    handler(code, id) {
      const source = relative(OUTPUT, id);
      const own = {
        url: `new URL('${source}', import.meta.url).href`,
        dirname: `(import.meta.dirname + '/${dirname(source)}')`,
        main: 'false',
      };
      return code
        .split(THREAD_MODULE)
        .map((part, index) =>
          index % 2 === 0
            ? part.replaceAll(/import\.meta\.(url|dirname|main)/g, (_whole, name) => own[name])
            : `new URL('./${basename(part, '.ts')}.js', import.meta.url)`,
        )
        .join('');
    },
  },
};

const isOutside = (id) => OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`));

const unfinished = `${OUTPUT}-${process.pid}`;
const bundle = await rolldown({
  input: entryModules(),
  platform: 'node',
  tsconfig: false,
  external: isOutside,
  plugins: [keepImportMeta],
  onLog: (_level, { message }) => {
    throw new Error(`the gateway cannot be bundled: ${message}`);
  },
});
try {
  await bundle.write({
    dir: unfinished,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  rmSync(OUTPUT, { recursive: true, force: true });
  renameSync(unfinished, OUTPUT);
} finally {
  await bundle.close();
  rmSync(unfinished, { recursive: true, force: true });
}
