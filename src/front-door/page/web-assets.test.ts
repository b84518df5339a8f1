import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadWebAssets, type WebAssets, webAssetsOnDemand } from './web-assets.ts';

let webFolder: string;
beforeEach(async () => {
  webFolder = await mkdtemp(join(tmpdir(), 'web-assets-'));
});
afterEach(() => rm(webFolder, { recursive: true }));

const PAGE = '<link href="{{asset:page.css}}"><script src="{{asset:main.ts}}"></script>';
const SOURCES = {
  'share.html': PAGE,
  'wall.html': PAGE,
  'watched-wall.html': PAGE,
  'clips.html': PAGE,
  'reach.html': PAGE,
  'page.css': 'body { margin: 0 }',
  'main.ts': "import { part } from './part.ts';\nconst count: number = part;\nexport { count };\n",
  'part.ts': 'export const part = 1;\n',
};

async function load(
  sources: Record<string, string>,
  publicMediaUrl = 'https://media.example',
): Promise<WebAssets> {
  for (const [name, text] of Object.entries(sources)) await writeFile(join(webFolder, name), text);
  return loadWebAssets({ webFolder, publicMediaUrl });
}

/** The public name of a source, found by its beginning. */
function nameOf({ byName }: WebAssets, stem: string): string {
  return byName.keys().find((name) => name.startsWith(`${stem}.`))!;
}

describe('loadWebAssets', () => {
  it('names every source by its content, in the page and in imports', async () => {
    const assets = await load(SOURCES);
    const [main, part, css] = ['main', 'part', 'page'].map((stem) => nameOf(assets, stem));
    expect([main, part, css]).toEqual([
      expect.stringMatching(/^main\.[0-9a-f]{10}\.js$/),
      expect.stringMatching(/^part\.[0-9a-f]{10}\.js$/),
      expect.stringMatching(/^page\.[0-9a-f]{10}\.css$/),
    ]);
    expect(String(assets.page.body)).toBe(
      `<link href="/assets/${css}"><script src="/assets/${main}"></script>`,
    );
    expect(String(assets.byName.get(main!)!.body)).toContain(`from './${part}'`);
  });

  it('joins style sheets to one asset, in their order', async () => {
    const page = '<link href="{{asset:page.css+more.css}}">';
    const assets = await load({ ...SOURCES, 'wall.html': page, 'more.css': 'p { margin: 0 }' });
    const [, name] = /"\/assets\/(page\.[0-9a-f]{10}\.css)"/.exec(String(assets.wallPage.body))!;
    expect(String(assets.byName.get(name!)!.body)).toBe('body { margin: 0 }\np { margin: 0 }');
    expect(String(assets.page.body)).not.toContain(name);
  });

  it('strips types, and serves no other files in the folder', async () => {
    const others = {
      'hls.d.ts': 'declare const x: 1;',
      'main.test.ts': 'const x = 1;',
      'notes.md': 'x',
      '.env': 'x',
    };
    const assets = await load({ ...SOURCES, ...others });
    expect(String(assets.byName.get(nameOf(assets, 'main'))!.body)).not.toContain('number');
    const stems = [...assets.byName.keys()].map((name) => name.split('.')[0]);
    expect(stems.sort()).toEqual(['hls', 'main', 'page', 'part']);
  });

  it('serves catalogs as scripts, with the texts of the pages alone', async () => {
    await mkdir(join(webFolder, 'words'));
    const german = { Live: 'Live', Play: 'Abspielen', Pause: 'Pause', 'Add a camera': 'Kamera hinzufügen' };
    const assets = await load({
      ...SOURCES,
      'share.html': '<button aria-label="Pause">\n  Play\n</button><script src="{{asset:main.ts}}"></script>',
      'main.ts': "import { t } from './words/catalog.ts';\nname === '' ? t('Live') : name;\n",
      'words/catalog.ts':
        "export const t = (text: string) => import('./de.json', { with: { type: 'json' } }) ?? text;\n",
      'words/catalog.test.ts': 'const x = 1;',
      'words/de.json': JSON.stringify(german),
    });
    const [main, catalog, words] = ['main', 'catalog', 'de'].map((stem) => nameOf(assets, stem));
    expect(String(assets.byName.get(main!)!.body)).toContain(`from './${catalog}'`);
    expect(String(assets.byName.get(catalog!)!.body)).toContain(`import('./${words}')`);
    const served = { Live: 'Live', Play: 'Abspielen', Pause: 'Pause' };
    expect(String(assets.byName.get(words!)!.body)).toBe(`export default ${JSON.stringify(served)};\n`);
  });

  it('serves the checks that scripts share with the gateway, and what these import', async () => {
    const assets = await load({
      ...SOURCES,
      'main.ts': "import { checkInit } from '../src/c2pa/check-live.ts';\nexport { checkInit };\n",
    });
    const [main, check, boxes] = ['main', 'check-live', 'boxes'].map((stem) => nameOf(assets, stem));
    const der = nameOf(assets, 'der');
    expect(String(assets.byName.get(main!)!.body)).toContain(`from './${check}'`);
    expect(String(assets.byName.get(check!)!.body)).toContain(`from './${boxes}'`);
    expect(String(assets.byName.get(check!)!.body)).toContain(`from './${der}'`);
    expect([...assets.byName.keys()].filter((name) => name.startsWith('live-session'))).toEqual([]);
  });

  it('renames a module when its imports change, and keeps all other names', async () => {
    const before = await load(SOURCES);
    const after = await load({ ...SOURCES, 'part.ts': 'export const part = 2;\n' });
    expect(nameOf(after, 'part')).not.toBe(nameOf(before, 'part'));
    expect(nameOf(after, 'main')).not.toBe(nameOf(before, 'main'));
    expect(nameOf(after, 'page')).toBe(nameOf(before, 'page'));
    expect([...(await load(SOURCES)).byName.keys()]).toEqual([...before.byName.keys()]);
  });

  it('puts the path of the public address before its own', async () => {
    const assets = await load(SOURCES, 'https://media.example/video/');
    expect(String(assets.page.body)).toContain(`src="/video/assets/${nameOf(assets, 'main')}"`);
  });

  it('compresses without loss', async () => {
    const { page, byName } = await load(SOURCES);
    for (const asset of [page, ...byName.values()]) {
      expect(gunzipSync(await asset.gzipped())).toEqual(asset.body);
      expect(brotliDecompressSync(await asset.brotli())).toEqual(asset.body);
    }
  });

  it.each([
    ['the page names a file that does not exist', { 'share.html': '{{asset:gone.ts}}' }, 'gone.ts'],
    ['a module imports a file that does not exist', { 'part.ts': "import './gone.ts';" }, 'gone.ts'],
    ['modules import each other', { 'part.ts': "import './main.ts';" }, 'import cycle'],
  ])('fails when %s', async (_name, changed, message) => {
    await expect(load({ ...SOURCES, ...changed })).rejects.toThrow(message);
  });

  it('prepares them when they are first requested, once, and again after a failure', async () => {
    const assets = webAssetsOnDemand({ webFolder, publicMediaUrl: 'https://media.example' });
    await expect(assets()).rejects.toThrow('share.html');
    for (const [name, text] of Object.entries(SOURCES)) await writeFile(join(webFolder, name), text);
    const [first, second] = await Promise.all([assets(), assets()]);
    expect(second).toBe(first);
    expect(await first.page.brotli()).toBe(await first.page.brotli());
  });

  it('fails without a page', async () => {
    await expect(load({ 'main.ts': '' })).rejects.toThrow('share.html');
  });

  it('lets the browser load what opens the share before everything else', async () => {
    const { page, byName } = await loadWebAssets({ publicMediaUrl: 'https://media.example' });
    const loads = [...String(page.body).matchAll(/<(?:link|script)[^>]*"\/assets\/([\w.-]+)"[^>]*>/g)];
    const opening = new Set([[...byName.keys()].find((name) => name.startsWith('first-open.'))!]);
    for (const name of opening) {
      const imports = String(byName.get(name)!.body).matchAll(/\bfrom '\.\/([\w.-]+)'/g);
      for (const [, imported] of imports) opening.add(imported!);
    }
    expect(new Set(loads.slice(0, opening.size).map(([, name]) => name))).toEqual(opening);
    const others = loads.filter(([tag, name]) => tag.includes('modulepreload') && !opening.has(name!));
    expect(others.length).toBeGreaterThan(0);
    expect(others.map(([tag]) => tag).filter((tag) => !tag.includes('fetchpriority="low"'))).toEqual([]);
  });

  it('serves every module of the viewer page', async () => {
    const { byName } = await loadWebAssets({ publicMediaUrl: 'https://media.example' });
    const files = await readdir(join(import.meta.dirname, '../../../web'));
    const modules = files
      .filter((file) => /(?<!\.d|\.test)\.ts$/.test(file))
      .map((file) => file.slice(0, -3));
    const served = [...byName.keys()].map((name) => name.split('.')[0]!);
    expect(served).toEqual(expect.arrayContaining(modules));
  });
});
