/**
 * The console as it is served: web/console/ bundled in memory, with names that carry a hash of the content, compressed once.
 * Nothing is written to disk, and nothing is bundled before someone opens the console, which takes about half a second. A
 * process of its own does it: the bundler's memory, 140 MB, stays with the process that loaded it.
 */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ASSET_TYPES, CompressedAsset } from '../http/compressed-asset.ts';

/** A script of the console, bundled. */
export interface ConsoleScript {
  readonly fileName: string;
  readonly code: string;
  readonly isEntry: boolean;
  /** File names. */
  readonly imports: readonly string[];
}

export type BundleScripts = () => Promise<readonly ConsoleScript[]>;

export interface ConsoleBundle {
  /** The document, for every address of the console. `basePath`: of the API listener as browsers reach it, without a slash at its end. */
  page(basePath: string): CompressedAsset;
  /** Scripts and the style sheet, by their public names (`main.1a2b3c4d.js`). */
  readonly byName: ReadonlyMap<string, CompressedAsset>;
}

const FOLDER = resolve(import.meta.dirname, '../../web/console');
const BUNDLER = fileURLToPath(new URL('./bundle-scripts.ts', import.meta.url));
/** The console has 0.6 MB of scripts. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** For a machine under load. */
const BUNDLER_TIMEOUT_MS = 60_000;
const HASH_DIGITS = 10;
/** Style sheet of the plots. */
const PLOT_STYLE = resolve(import.meta.dirname, '../../node_modules/uplot/dist/uPlot.min.css');
/** A style sheet of a part of the console, on a line of its own. */
const STYLE_IMPORT = /^@import "\.\/([\w-]+\.css)";\n/gm;

let made: Promise<ConsoleBundle> | null = null;

/** The same for everyone in this thread. A failure is not kept: the next call tries again. */
export function consoleBundle(bundleScripts: BundleScripts): Promise<ConsoleBundle> {
  made ??= makeBundle(bundleScripts).catch((error: unknown) => {
    made = null;
    throw error;
  });
  return made;
}

/** Runs bundle-scripts.ts. Its environment is empty: that of the gateway can have secrets. */
export const bundleInProcess: BundleScripts = async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [BUNDLER], {
    env: {},
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: BUNDLER_TIMEOUT_MS,
  });
  return JSON.parse(stdout) as ConsoleScript[];
};

async function makeBundle(bundleScripts: BundleScripts): Promise<ConsoleBundle> {
  const [template, style, theme, chunks] = await Promise.all([
    readFile(resolve(FOLDER, 'index.html'), 'utf8'),
    readStyle(),
    readFile(resolve(FOLDER, 'early-theme.js'), 'utf8'),
    bundleScripts(),
  ]);
  const styleName = `style.${hashOf(style)}.css`;
  const themeName = `theme.${hashOf(theme)}.js`;
  const byName = new Map(
    chunks.map(({ fileName, code }) => [fileName, new CompressedAsset(ASSET_TYPES.js, code)]),
  );
  byName.set(styleName, new CompressedAsset(ASSET_TYPES.css, style));
  byName.set(themeName, new CompressedAsset(ASSET_TYPES.js, theme));
  const entry = chunks.find(({ isEntry }) => isEntry)!;
  const preloads = entry.imports.map((name) => `<link rel="modulepreload" href="assets/${name}" />`);
  const html = template
    .replace('{{style}}', () => `assets/${styleName}`)
    .replace('{{theme}}', () => `assets/${themeName}`)
    .replace('{{main}}', () => `assets/${entry.fileName}`)
    .replace('{{preloads}}', () => preloads.join('\n    '));
  return {
    page: (basePath) =>
      new CompressedAsset(
        ASSET_TYPES.html,
        html.replace('{{base}}', () => `${basePath}/console/`),
      ),
    byName,
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
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
