/**
 * Bundles the page that checks archives of cases (web/verify/) into one HTML file and prints it: a program, because the bundler's
 * memory is never returned (verify-page.ts).
 */

import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';

const FOLDER = resolve(import.meta.dirname, '../../web/verify');
const CATALOG = /[\\/]words[\\/]\w+\.json$/;

/** The same for the same files of web/. */
export async function bundleVerifyPage(): Promise<string> {
  const [html, style, script] = await Promise.all([
    readFile(resolve(FOLDER, 'index.html'), 'utf8'),
    readFile(resolve(FOLDER, 'style.css'), 'utf8'),
    bundledScript(),
  ]);
  return html
    .replace('<style></style>', () => `<style>\n${style.trim()}\n</style>`)
    .replace('<script></script>', () => `<script>\n${inHtml(script.trim())}\n</script>`);
}

/** A script can say what would end its element. */
function inHtml(script: string): string {
  return script.replaceAll(/<(?=\/script|!--)/gi, '\\x3c');
}

async function bundledScript(): Promise<string> {
  const sources = await pageSources();
  const bundle = await rolldown({
    input: resolve(FOLDER, 'main.ts'),
    platform: 'browser',
    // The installed gateway has none.
    tsconfig: false,
    plugins: [
      {
        name: 'own words',
        load: (id) => (CATALOG.test(id) ? { code: ownWords(id, sources), moduleType: 'json' } : null),
      },
    ],
    onLog: (_level, { message }) => {
      throw new Error(`the page that checks archives cannot be bundled: ${message}`);
    },
  });
  try {
    const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}

/** Of a catalog, the texts that the page has: most are the console's. */
function ownWords(catalog: string, sources: string): string {
  const all = JSON.parse(readFileSync(catalog, 'utf8')) as Record<string, string>;
  return JSON.stringify(
    Object.fromEntries(Object.entries(all).filter(([message]) => sources.includes(`'${message}'`))),
  );
}

async function pageSources(): Promise<string> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.ts'));
  return (await Promise.all(names.map((name) => readFile(resolve(FOLDER, name), 'utf8')))).join('\n');
}

if (import.meta.main) process.stdout.write(await bundleVerifyPage());
