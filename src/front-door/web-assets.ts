/**
 * The viewer page as it is served: web/ with types stripped, names that carry a hash of the content, compressed once. A
 * module's hash covers the modules it imports, because their names are in its text.
 */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { basePathOf } from './base-path.ts';

export interface WebAsset {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

export interface WebAssets {
  /** The viewer page. */
  readonly page: WebAsset;
  /** The page's assets, by their public names (`share.1a2b3c4d.js`). */
  readonly byName: ReadonlyMap<string, WebAsset>;
}

export interface WebAssetsOptions {
  /** Folder with share.html. */
  readonly webFolder?: string;
  /** Base of the front door as viewers reach it. */
  readonly publicMediaUrl: string;
}

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE_FILE = 'share.html';
/** hls.js without features that the page does not use; it includes Low-Latency HLS. */
const LIBRARY_NAME = 'hls.js';
const LIBRARY_FILE = resolve(ROOT, 'node_modules/hls.js/dist/hls.light.min.mjs');

const SOURCE_FILE = /(?<!\.d|\.test)\.ts$|\.css$/;
const PLACEHOLDER = /\{\{asset:([\w.-]+)\}\}/g;
const IMPORT = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])\.\/([\w.-]+)\2/g;
const HASH_DIGITS = 10;
/** Nearly as small as the best level, in a fraction of the time. */
const BROTLI_QUALITY = 9;

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const;

/** Reads and prepares everything. Fails if the page names a file that does not exist. */
export async function loadWebAssets(options: WebAssetsOptions): Promise<WebAssets> {
  const folder = options.webFolder ?? resolve(ROOT, 'web');
  const sources = await readSources(folder);
  const namer = new AssetNamer(sources);
  const html = await readFile(resolve(folder, PAGE_FILE), 'utf8');
  const base = `${basePathOf(options.publicMediaUrl)}/assets/`;
  const page = html.replaceAll(PLACEHOLDER, (_all, name: string) => base + namer.nameOf(name));
  const named = [...sources.keys()].map(async (source) => {
    const { name, text } = namer.asset(source);
    return [name, await compress(name.endsWith('.css') ? TYPES.css : TYPES.js, text)] as const;
  });
  return { page: await compress(TYPES.html, page), byName: new Map(await Promise.all(named)) };
}

async function readSources(folder: string): Promise<ReadonlyMap<string, string>> {
  const sources = new Map([[LIBRARY_NAME, await readFile(LIBRARY_FILE, 'utf8')]]);
  for (const file of (await readdir(folder)).filter((name) => SOURCE_FILE.test(name)).sort()) {
    const text = await readFile(resolve(folder, file), 'utf8');
    sources.set(file, file.endsWith('.ts') ? stripTypes(text) : text);
  }
  return sources;
}

/** Gives every source its public name and uses these names in imports. */
class AssetNamer {
  readonly #sources: ReadonlyMap<string, string>;
  readonly #assets = new Map<string, { name: string; text: string }>();
  /** From the page's script to the current module: an import cycle has no hash. */
  readonly #path: string[] = [];

  constructor(sources: ReadonlyMap<string, string>) {
    this.#sources = sources;
  }

  nameOf(source: string): string {
    return this.asset(source).name;
  }

  asset(source: string): { name: string; text: string } {
    const known = this.#assets.get(source);
    if (known !== undefined) return known;
    const original = this.#sources.get(source);
    if (original === undefined) throw new Error(`the viewer page names ${source}, which is not in web/`);
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
    const asset = { name: `${source.replace(/\.\w+$/, '')}.${hash}.${extension}`, text };
    this.#assets.set(source, asset);
    return asset;
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

async function compress(type: string, text: string): Promise<WebAsset> {
  const body = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [gzipped, brotli] = await Promise.all([
    promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
    promisify(brotliCompress)(body, { params }),
  ]);
  return { type, body, gzip: gzipped, brotli };
}
