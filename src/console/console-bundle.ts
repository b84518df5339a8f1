/**
 * The console as it is served: web/console/ bundled in memory, names that carry a hash of the content, compressed once.
 * Nothing is written to disk, and nothing is bundled before someone opens the console: it takes about half a second.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CodeSplittingGroup, type OutputChunk, rolldown } from 'rolldown';
import { ASSET_TYPES, type CompressedAsset, compressAsset } from '../http/compressed-asset.ts';

export interface ConsoleBundle {
  /** The document, for every address of the console. `basePath`: of the API listener as browsers reach it, without a slash at its end. */
  page(basePath: string): Promise<CompressedAsset>;
  /** Scripts and the style sheet, by their public names (`main.1a2b3c4d.js`). */
  readonly byName: ReadonlyMap<string, CompressedAsset>;
}

const FOLDER = resolve(import.meta.dirname, '../../web/console');
const HASH_DIGITS = 10;
/** What the plots need. */
const PLOT_STYLE = resolve(import.meta.dirname, '../../node_modules/uplot/dist/uPlot.min.css');
/** A style sheet of a part of the console, on a line of its own. */
const STYLE_IMPORT = /^@import "\.\/([\w-]+\.css)";\n/gm;

/**
 * What every page needs, and small parts that pages share: alone, they were thirty files of a few hundred bytes, and a page
 * waited for twenty of them.
 */
const CHUNKS: CodeSplittingGroup[] = [
  { name: 'start', tags: ['$initial'], priority: 1 },
  { name: 'parts', test: /[\\/]web[\\/]console[\\/]/, minShareCount: 3 },
];

let made: Promise<ConsoleBundle> | null = null;

/** The same for everyone in this process. A failure is not kept: the next call tries again. */
export function consoleBundle(): Promise<ConsoleBundle> {
  made ??= makeBundle().catch((error: unknown) => {
    made = null;
    throw error;
  });
  return made;
}

async function makeBundle(): Promise<ConsoleBundle> {
  const [template, style, chunks] = await Promise.all([
    readFile(resolve(FOLDER, 'index.html'), 'utf8'),
    readStyle(),
    bundleScripts(),
  ]);
  const hash = createHash('sha256').update(style).digest('hex').slice(0, HASH_DIGITS);
  const styleName = `style.${hash}.css`;
  const named = chunks.map(
    async ({ fileName, code }) => [fileName, await compressAsset(ASSET_TYPES.js, code)] as const,
  );
  const byName = new Map(await Promise.all(named));
  byName.set(styleName, await compressAsset(ASSET_TYPES.css, style));
  const entry = chunks.find(({ isEntry }) => isEntry)!;
  const preloads = entry.imports.map((name) => `<link rel="modulepreload" href="assets/${name}" />`);
  const html = template
    .replace('{{style}}', () => `assets/${styleName}`)
    .replace('{{main}}', () => `assets/${entry.fileName}`)
    .replace('{{preloads}}', () => preloads.join('\n    '));
  return {
    page: (basePath) =>
      compressAsset(
        ASSET_TYPES.html,
        html.replace('{{base}}', () => `${basePath}/console/`),
      ),
    byName,
  };
}

async function bundleScripts(): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    input: { main: resolve(FOLDER, 'main.tsx') },
    platform: 'browser',
    // The installed gateway has none.
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    onLog: (_level, { message }) => {
      // A warning of the bundler is a mistake of ours, which no reader of the log could mend.
      throw new Error(`the console cannot be bundled: ${message}`);
    },
  });
  try {
    const { output } = await bundle.generate({
      format: 'esm',
      minify: true,
      entryFileNames: '[name].[hash].js',
      chunkFileNames: '[name].[hash].js',
      codeSplitting: { groups: CHUNKS },
    });
    return output.filter((part) => part.type === 'chunk');
  } finally {
    await bundle.close();
  }
}

/** The plots' style, and `style.css` with the files that it names, in that order: one request for all of them. */
async function readStyle(): Promise<string> {
  const folder = resolve(FOLDER, 'style');
  const sheet = await readFile(resolve(folder, 'style.css'), 'utf8');
  const parts = new Map<string, string>();
  for (const [, name] of sheet.matchAll(STYLE_IMPORT)) {
    parts.set(name!, await readFile(resolve(folder, name!), 'utf8'));
  }
  const own = sheet.replaceAll(STYLE_IMPORT, (_all, name: string) => parts.get(name)!);
  return `${await readFile(PLOT_STYLE, 'utf8')}\n${own}`;
}
