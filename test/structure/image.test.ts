/** The Docker image holds what the gateway runs, and nothing that only tests, benchmarks or the docs need. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const ENTRY = 'src/app/main.ts';
/** What a file loads: imports, dynamic ones, and the modules of threads. */
const LOADED = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'(\.[^']+)'/g;

function loadedBy(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(LOADED)].map(([, path]) => normalize(join(dirname(file), path!)));
}

/** Everything under src that `sluice` can come to load. */
function reachable(): Set<string> {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (!file.startsWith('src/') || found.has(file)) return;
    found.add(file);
    if (file.endsWith('.ts')) for (const next of loadedBy(file)) visit(next);
  };
  visit(ENTRY);
  return found;
}

/** Files under src that `COPY src` copies. */
function shipped(): Set<string> {
  const files = globSync('src/**/*.*', { cwd: ROOT });
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: ['node_modules'] }));
  const isIgnored = (file: string) => ignored.some((path) => file === path || file.startsWith(`${path}/`));
  return new Set(files.filter((file) => !isIgnored(file)));
}

it('loads nothing that the image leaves out', () => {
  const inImage = shipped();
  const files = [...reachable()];
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => !inImage.has(file))).toEqual([]);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

it('ships nothing that is never loaded: name test helpers by a pattern of .dockerignore, or list them there', () => {
  const loaded = reachable();
  expect([...shipped()].filter((file) => !loaded.has(file))).toEqual([]);
});

it('knows the test helpers of the API by their names alone', () => {
  const listed = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  expect(listed.filter((line) => line.startsWith('src/api/'))).toEqual([]);
});

it('copies sources as they are', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  expect(dockerfile.match(/^COPY src.*$/gm)).toEqual(['COPY src ./src', 'COPY src ./src']);
});

it('carries the bill of materials and the notices', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const [, copied = ''] =
    /^COPY (package\.json .*) \.\/$/m.exec(dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))) ?? [];
  expect(copied.split(' ')).toEqual(['package.json', 'sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt']);
  const { metadata } = JSON.parse(readFileSync(join(ROOT, 'sbom.cdx.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(metadata.component).toMatchObject({ name: 'sluice', version });
});

it('runs the Node.js that the tests run', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const images = [...readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(/^FROM node:(\S+)/gm)];
  expect(images.map(([, tag]) => tag)).toEqual(Array(2).fill(`${devDependencies.node}-bookworm-slim`));
  expect(process.versions.node).toBe(devDependencies.node);
});

it('keeps compiled code where only the gateway can write', () => {
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const [, dataFolder] = /SLUICE_DATA=(\S+)/.exec(read('Dockerfile'))!;
  expect(read('Dockerfile')).toContain(`NODE_COMPILE_CACHE=${dataFolder}/`);
  const unit = read('deploy/sluice.service');
  const [, stateFolder] = /^StateDirectory=(\S+)/m.exec(unit)!;
  expect(unit).toContain(`NODE_COMPILE_CACHE=/var/lib/${stateFolder}/`);
  expect(unit).toContain('StateDirectoryMode=0700');
});
