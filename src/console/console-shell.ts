/**
 * What makes the console an app that people install: the manifest, its icons, and the service worker with its one page; and the script of
 * the audio thread. Their names have no hash, because browsers ask for them by name; the worker carries the version in itself.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';

export interface ShellFile {
  readonly type: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const FOLDER = resolve(import.meta.dirname, '../../web/console');
const ICONS = ['icon-192', 'icon-512', 'maskable-512', 'badge-96'] as const;
const HASH_DIGITS = 12;
/** Asked for again each time: an old worker must not outlive its gateway. */
const FRESH = { 'cache-control': 'no-cache' } as const;
const ICON_HEADERS = { 'cache-control': 'public, max-age=86400' } as const;
/** What the worker itself may load. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'";

let read: Promise<ReadonlyMap<string, ShellFile>> | null = null;

/** By their paths below the console. A failure is not kept: the next call tries again. */
export function consoleShell(): Promise<ReadonlyMap<string, ShellFile>> {
  read ??= readShell().catch((error: unknown) => {
    read = null;
    throw error;
  });
  return read;
}

async function readShell(): Promise<ReadonlyMap<string, ShellFile>> {
  const [source, capture, offline] = await Promise.all([
    readFile(resolve(FOLDER, 'service-worker.ts'), 'utf8'),
    readFile(resolve(FOLDER, '../talk-capture.ts'), 'utf8'),
    readFile(resolve(FOLDER, 'offline.html'), 'utf8'),
  ]);
  const version = createHash('sha256').update(source).update(offline).digest('hex').slice(0, HASH_DIGITS);
  const script = workerScript(source).replaceAll('{{version}}', version);
  const files = new Map<string, ShellFile>([
    ['manifest.webmanifest', file('application/manifest+json', JSON.stringify(MANIFEST), FRESH)],
    [
      'service-worker.js',
      file('text/javascript; charset=utf-8', script, { ...FRESH, 'content-security-policy': WORKER_POLICY }),
    ],
    ['talk-capture.js', file('text/javascript; charset=utf-8', workerScript(capture), FRESH)],
    [
      'offline.html',
      file('text/html; charset=utf-8', offline, {
        ...FRESH,
        'content-security-policy': offlinePolicy(offline),
      }),
    ],
  ]);
  for (const name of ICONS) {
    const path = `icons/${name}.png`;
    files.set(path, {
      type: 'image/png',
      body: await readFile(resolve(FOLDER, path)),
      headers: ICON_HEADERS,
    });
  }
  return files;
}

/** Addresses are relative to the manifest's own. */
const MANIFEST = {
  name: 'Sluice',
  short_name: 'Sluice',
  description: 'Cameras, shared links and who is watching them.',
  id: './',
  start_url: './',
  scope: './',
  display: 'standalone',
  background_color: '#0d1117',
  theme_color: '#1559c0',
  icons: [
    { src: 'icons/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: 'icons/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: 'icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
};

function file(type: string, text: string, headers: ShellFile['headers']): ShellFile {
  return { type, body: Buffer.from(text), headers };
}

/** Only a module can be checked on its own; browsers get a script. */
function workerScript(source: string): string {
  return stripTypeScriptTypes(source).replace(/^export \{\};$/m, '');
}

/** Its own style, and nothing else. */
function offlinePolicy(page: string): string {
  const style = /<style>(.*?)<\/style>/s.exec(page)![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`;
}
