/** `npm run release`: see the usage below, and docs/guide/running.md for those who receive a release. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildRelease } from './build-release.ts';
import { releaseChangelog } from './changelog.ts';
import { compareVersions, versionIn, withVersion } from './version.ts';

const USAGE = `npm run release -- prepare VERSION [--date YYYY-MM-DD]
    Sets the version, moves the changelog's section, and generates documents. Review and commit the result.
npm run release -- build [--out FOLDER] [--key FILE]
    Builds source archive, bill of materials, notices, hashes, and provenance from a clean checkout.
    --key: Ed25519 key in PEM that signs the provenance: openssl genpkey -algorithm ed25519 -out release.pem
`;
const ROOT = join(import.meta.dirname, '../..');

try {
  run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function run(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' }, key: { type: 'string' }, date: { type: 'string' } },
  });
  const [command, version] = positionals;
  if (command === 'prepare' && version !== undefined) prepare(version, values.date ?? today());
  else if (command === 'build' && version === undefined) build(values.out, values.key);
  else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
}

function prepare(version: string, date: string): void {
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const current = versionIn(read('package.json'));
  if (compareVersions(version, current) <= 0) throw new Error(`${version} is not newer than ${current}`);
  // Everything is checked before anything is written.
  const changelog = releaseChangelog(read('CHANGELOG.md'), version, date);
  writeFileSync(join(ROOT, 'CHANGELOG.md'), changelog);
  for (const file of ['package.json', 'package-lock.json']) {
    writeFileSync(join(ROOT, file), withVersion(read(file), version));
  }
  generateDocuments();
  process.stdout.write(`Prepared ${version}. Review and commit it, then run \`npm run release -- build\`.\n`);
}

function build(out: string | undefined, key: string | undefined): void {
  const version = versionIn(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const folder = out ?? join(ROOT, '.cache/release', version);
  const files = buildRelease({
    root: ROOT,
    out: folder,
    keyFile: key ?? null,
    checkDocuments: () => generateDocuments('--check'),
  });
  process.stdout.write(`${files.map((file) => join(folder, file)).join('\n')}\n`);
  if (key === undefined) process.stdout.write('The provenance is not signed: there was no --key.\n');
}

function generateDocuments(...args: string[]): void {
  const script = join(ROOT, 'scripts/generate-docs.ts');
  try {
    execFileSync(process.execPath, [script, ...args], { cwd: ROOT, stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    throw new Error(stderr.trim() || 'Generating documents failed', { cause: error });
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
