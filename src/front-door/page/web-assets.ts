/**
 * The viewer page as it is served: web/ with types stripped, names that carry a hash of the content, each file compressed once. A
 * module's hash covers the modules it imports, because their names are in its text.
 */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { ASSET_TYPES, CompressedAsset } from '../../http/compressed-asset.ts';
import { basePathOf } from '../response/base-path.ts';

export interface WebAssets {
  /** The viewer page. */
  readonly page: CompressedAsset;
  /** The page of a shared video wall. */
  readonly wallPage: CompressedAsset;
  /** A wall that another page steers. */
  readonly watchedWallPage: CompressedAsset;
  /** The page of a shared group of clips or timelapses. */
  readonly clipsPage: CompressedAsset;
  /** The page that shows that the public URL answers. */
  readonly reachPage: CompressedAsset;
  /** The page's assets, by their public names (`share.1a2b3c4d.js`). */
  readonly byName: ReadonlyMap<string, CompressedAsset>;
}

export type WebAssetsOnDemand = () => Promise<WebAssets>;

export interface WebAssetsOptions {
  /** Folder with the pages: share.html, wall.html, watched-wall.html, clips.html, reach.html. */
  readonly webFolder?: string;
  /** Base of the front door as viewers reach it. */
  readonly publicMediaUrl: string;
}

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGE_FILE = 'share.html';
const WALL_PAGE_FILE = 'wall.html';
const WATCHED_WALL_PAGE_FILE = 'watched-wall.html';
const CLIPS_PAGE_FILE = 'clips.html';
const REACH_PAGE_FILE = 'reach.html';
/** hls.js without features that the page does not use; it includes Low-Latency HLS. */
const LIBRARY_NAME = 'hls.js';
const LIBRARY_FILE = resolve(ROOT, 'node_modules/hls.js/dist/hls.light.min.mjs');

const SOURCE_FILE = /(?<!\.d|\.test)\.ts$|\.css$/;
/** A part of a page that several pages have, on a line of its own. */
const INCLUDE = /^ *\{\{include:([\w-]+\.html)\}\}\n/gm;
/** `a.css+b.css` are one asset: a style sheet applies as a whole. */
const PLACEHOLDER = /\{\{asset:([\w.+-]+)\}\}/g;
/** Also in the folder of words, and of checks that the gateway makes, too: no two files have one name. */
const IMPORT =
  /(\bfrom\s*|\bimport\s*\(?\s*)(['"])(?:\.\/(?:words\/)?|\.\.\/(?:src\/)?(?:c2pa|evidence)\/)([\w.-]+)\2/g;
/** Imports of files outside of the folder. */
const CHECK_IMPORT = /\bfrom\s*'((?:\.\.\/src\/|\.\.\/|\.\/)[\w./-]+\.ts)'/g;
const CHECKS = /^src\/(?:c2pa|evidence)\//;
/** Catalogs are served as scripts: not every browser imports JSON. */
const JSON_IMPORT = /, \{ with: \{ type: 'json' \} \}/g;
const WORDS_FOLDER = 'words';
/** Text in scripts and pages: what is quoted, and what is between tags. */
const TEXT = /'([^'\n]*)'|"([^"\n]*)"|>\s*([^<>{}]+?)\s*</g;
const HASH_DIGITS = 10;

/** Prepares everything for the first viewer who opens a page. A failure is not kept: the next one tries again. */
export function webAssetsOnDemand(options: WebAssetsOptions): WebAssetsOnDemand {
  let made: Promise<WebAssets> | null = null;
  return () => {
    made ??= loadWebAssets(options).catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/** Reads and prepares everything. Fails if the page names a file that does not exist. */
export async function loadWebAssets(options: WebAssetsOptions): Promise<WebAssets> {
  const folder = options.webFolder ?? resolve(ROOT, 'web');
  const sources = await readSources(folder);
  const namer = new AssetNamer(sources);
  const base = `${basePathOf(options.publicMediaUrl)}/assets/`;
  const pageOf = async (file: string): Promise<CompressedAsset> => {
    const html = await includeParts(folder, await readFile(resolve(folder, file), 'utf8'));
    const page = html.replaceAll(PLACEHOLDER, (_all, name: string) => base + namer.nameOf(name));
    return new CompressedAsset(ASSET_TYPES.html, page);
  };
  const [page, wallPage] = [await pageOf(PAGE_FILE), await pageOf(WALL_PAGE_FILE)];
  const watchedWallPage = await pageOf(WATCHED_WALL_PAGE_FILE);
  const [clipsPage, reachPage] = [await pageOf(CLIPS_PAGE_FILE), await pageOf(REACH_PAGE_FILE)];
  // Scripts load one another, also later. Pages name their style sheets.
  for (const source of sources.keys()) if (!source.endsWith('.css')) namer.asset(source);
  const byName = new Map(
    namer.all().map(({ name, text }) => {
      const type = name.endsWith('.css') ? ASSET_TYPES.css : ASSET_TYPES.js;
      return [name, new CompressedAsset(type, text)] as const;
    }),
  );
  return { page, wallPage, watchedWallPage, clipsPage, reachPage, byName };
}

/** The page with the parts that it names, all of them from `folder`. */
async function includeParts(folder: string, html: string): Promise<string> {
  const parts = new Map<string, string>();
  for (const [, name] of html.matchAll(INCLUDE)) {
    parts.set(name!, await readFile(resolve(folder, name!), 'utf8'));
  }
  return html.replaceAll(INCLUDE, (_all, name: string) => parts.get(name)!);
}

async function readSources(folder: string): Promise<ReadonlyMap<string, string>> {
  const sources = new Map([[LIBRARY_NAME, await readFile(LIBRARY_FILE, 'utf8')]]);
  for (const file of (await readdir(folder)).filter((name) => SOURCE_FILE.test(name)).sort()) {
    const text = await readFile(resolve(folder, file), 'utf8');
    sources.set(file, file.endsWith('.ts') ? stripTypes(text) : text);
  }
  await addWords(folder, sources);
  await addChecks(sources);
  return sources;
}

/** The scripts of `words/`, and of each catalog the texts that the pages have: most are the console's. */
async function addWords(folder: string, sources: Map<string, string>): Promise<void> {
  const words = resolve(folder, WORDS_FOLDER);
  const files = await readdir(words).catch(() => []);
  for (const file of files.filter((name) => SOURCE_FILE.test(name)).sort()) {
    sources.set(file, stripTypes(await readFile(resolve(words, file), 'utf8')).replaceAll(JSON_IMPORT, ''));
  }
  const catalogs = files.filter((name) => name.endsWith('.json')).sort();
  const texts = catalogs.length === 0 ? new Set<string>() : await textsIn(folder, sources.values());
  for (const file of catalogs) {
    const all = JSON.parse(await readFile(resolve(words, file), 'utf8')) as Record<string, string>;
    const own = Object.entries(all).filter(([message]) => texts.has(message));
    sources.set(file, `export default ${JSON.stringify(Object.fromEntries(own))};\n`);
  }
}

/** What scripts import of the gateway's own checks, and what these import. Their names are those of their files. */
async function addChecks(sources: Map<string, string>): Promise<void> {
  const waiting = [...sources]
    .filter(([name]) => name.endsWith('.ts'))
    .map(([name, text]) => ({ path: `web/${name}`, text }));
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    for (const [, imported] of each.text.matchAll(CHECK_IMPORT)) {
      const path = join(dirname(each.path), imported!);
      if (!CHECKS.test(path) || sources.has(basename(path))) continue;
      const text = stripTypes(await readFile(resolve(ROOT, path), 'utf8'));
      sources.set(basename(path), text);
      waiting.push({ path, text });
    }
  }
}

async function textsIn(folder: string, scripts: Iterable<string>): Promise<ReadonlySet<string>> {
  const pages = (await readdir(folder)).filter((name) => name.endsWith('.html'));
  const html = await Promise.all(pages.map((name) => readFile(resolve(folder, name), 'utf8')));
  const texts = [...scripts, ...html].flatMap((source) => [...source.matchAll(TEXT)]);
  return new Set(texts.map(([, single, double, element]) => single ?? double ?? element!));
}

/** Gives every source its public name and uses these names in imports. */
class AssetNamer {
  readonly #sources: ReadonlyMap<string, string>;
  readonly #assets = new Map<string, { name: string; text: string }>();
  /** The modules from the page's script to the current one: an import cycle has no hash. */
  readonly #path: string[] = [];

  constructor(sources: ReadonlyMap<string, string>) {
    this.#sources = sources;
  }

  nameOf(source: string): string {
    return this.asset(source).name;
  }

  /** Everything that was named. */
  all(): readonly { readonly name: string; readonly text: string }[] {
    return [...this.#assets.values()];
  }

  asset(source: string): { name: string; text: string } {
    const known = this.#assets.get(source);
    if (known !== undefined) return known;
    const original = source
      .split('+')
      .map((file) => this.#textOf(file))
      .join('\n');
    if (this.#path.includes(source)) throw new Error(`web/ has an import cycle: ${this.#path.join(' → ')}`);
    this.#path.push(source);
    const text =
      source === LIBRARY_NAME
        ? original
        : original.replaceAll(
            IMPORT,
            (_all, before: string, quote: string, imported: string) =>
              `${before}${quote}./${this.nameOf(imported)}${quote}`,
          );
    this.#path.pop();
    const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
    const extension = source.endsWith('.css') ? 'css' : 'js';
    const asset = { name: `${source.replace(/\.\w+(\+.*)?$/, '')}.${hash}.${extension}`, text };
    this.#assets.set(source, asset);
    return asset;
  }

  #textOf(file: string): string {
    const text = this.#sources.get(file);
    if (text === undefined) throw new Error(`the viewer page names ${file}, which is not in web/`);
    return text;
  }
}

/**
 * Node strips types when it runs the gateway, and the same function serves the page. Calling it explicitly makes Node
 * warn that it is experimental, which does not help an operator.
 */
function stripTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
