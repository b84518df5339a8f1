/** The bill of materials and the notices: what a lock leads to, what the official schema says, and which licenses are refused. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { DECISIONS, refusedLicenses } from './licenses.ts';
import { renderNotices } from './notices.ts';
import { BUNDLED_FFMPEG, COPIED, renderSbom } from './sbom.ts';
import { directNeeds, idOf, type Lock, readLock, shippedPackages } from './shipped-packages.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Bom {
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly name: string;
    readonly [key: string]: unknown;
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
}

const archive = { integrity: 'sha512-AAEC', license: 'MIT' };
const LOCK: Lock = {
  version: '1.0.0',
  packages: {
    '': { dependencies: { a: '1', '@s/native': '1' }, version: '1.0.0' },
    'node_modules/a': { ...archive, version: '1.0.0', dependencies: { b: '1' } },
    'node_modules/a/node_modules/b': { ...archive, version: '1.5.0' },
    'node_modules/b': { ...archive, version: '2.0.0', dev: true },
    'node_modules/@s/native': { ...archive, version: '3.0.0', optionalDependencies: { '@s/linux': '3' } },
    'node_modules/@s/linux': {
      ...archive,
      version: '3.0.0',
      optional: true,
      os: ['linux'],
      dependencies: { c: '1' },
    },
    'node_modules/c': { ...archive, version: '1.0.0', optional: true, license: 'GPL-2.0' },
  },
};

describe('shipped packages', () => {
  it('are those of the lock without what only tests need, found as Node.js finds them', () => {
    expect(shippedPackages(LOCK).map((each) => [idOf(each), each.isEverywhere, each.needs])).toEqual([
      ['@s/linux@3.0.0', false, ['c@1.0.0']],
      ['@s/native@3.0.0', true, ['@s/linux@3.0.0']],
      ['a@1.0.0', true, ['b@1.5.0']],
      ['b@1.5.0', true, []],
      ['c@1.0.0', false, []],
    ]);
    expect(directNeeds(LOCK)).toEqual(['@s/native@3.0.0', 'a@1.0.0']);
  });

  it('must have a hash', () => {
    const packages = { '': {}, 'node_modules/a': { version: '1.0.0' } };
    expect(() => shippedPackages({ version: '1.0.0', packages })).toThrow('node_modules/a has no version');
  });
});

describe('licenses', () => {
  it('outside the list are refused, unless someone decided', () => {
    const [first] = shippedPackages(LOCK);
    const under = (license: string | undefined, name = 'x') =>
      refusedLicenses([{ ...first!, name, license }]);
    expect(refusedLicenses(shippedPackages(LOCK))).toEqual(['c@1.0.0: GPL-2.0']);
    expect(under(undefined)).toEqual(['x@3.0.0: names no license']);
    expect(under('AGPL-3.0-only')).toEqual(['x@3.0.0: AGPL-3.0-only']);
    expect(under('(MIT OR GPL-2.0)')).toHaveLength(1);
    expect(under('MIT AND SSPL-1.0')).toHaveLength(1);
    expect(under('Apache-2.0 AND LGPL-3.0-or-later AND MIT')).toEqual([]);
    expect(under('GPLv3', '@ffmpeg-installer/linux-x64')).toEqual([]);
  });

  it('of what Sluice ships are allowed, and each decision is about a shipped package', () => {
    const packages = shippedPackages(readLock(ROOT));
    expect(refusedLicenses(packages)).toEqual([]);
    const names = new Set(packages.map(({ name }) => name));
    expect(Object.keys(DECISIONS).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('the bill of materials', () => {
  const text = renderSbom(ROOT);
  const bom: Bom = JSON.parse(text);

  it('follows the schema of CycloneDX 1.6', () => {
    const schema = (name: string) =>
      JSON.parse(readFileSync(join(ROOT, 'test/fixtures/cyclonedx', name), 'utf8'));
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    ajv.addSchema(schema('spdx.schema.json')).addSchema(schema('jsf-0.82.schema.json'));
    const isValid = ajv.compile(schema('bom-1.6.schema.json'));
    isValid(bom);
    expect(isValid.errors).toBeNull();
    isValid({ ...bom, components: [{ type: 'thing' }] });
    expect(isValid.errors).not.toBeNull();
  });

  it('is the same each time', () => {
    expect(renderSbom(ROOT)).toBe(text);
  });

  it('has each shipped package with its hash, and no package of tests', () => {
    const refs = bom.components.map((component) => component['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    expect(refs).toContain(`pkg:npm/fastify@${version('fastify')}`);
    expect(refs.filter((ref) => /vitest|playwright/.test(ref))).toEqual([]);
    const npm = bom.components.filter(
      ({ name, 'bom-ref': ref }) => ref.startsWith('pkg:npm/') && name !== COPIED.name,
    );
    expect(npm).toHaveLength(shippedPackages(readLock(ROOT)).length);
    for (const { hashes, licenses } of npm)
      expect([hashes, licenses]).toEqual([[expect.anything()], [expect.anything()]]);
  });

  it('leads from the gateway to each component', () => {
    const needs = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const reached = new Set<string>();
    const visit = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const next of needs.get(ref)!) visit(next);
    };
    visit(bom.metadata.component['bom-ref']);
    expect(bom.components.map((each) => each['bom-ref']).filter((ref) => !reached.has(ref))).toEqual([]);
  });

  it('names the FFmpeg that the package for 64-bit Linux holds, and the native helpers', () => {
    const named = bom.components.map(({ name }) => name);
    expect(named).toEqual(
      expect.arrayContaining(['ffmpeg', 'sluice-jail', 'sound-server', 'picture-server.so', 'node']),
    );
    expect(BUNDLED_FFMPEG.packageVersion).toBe(version(BUNDLED_FFMPEG.package));
  });
});

it('a copy within another package is named with its version', () => {
  const { devDependencies } = JSON.parse(
    readFileSync(join(ROOT, 'node_modules', COPIED.in, 'package.json'), 'utf8'),
  );
  expect(devDependencies[COPIED.name]).toBe(COPIED.version);
  expect(renderSbom(ROOT)).toContain(`"pkg:npm/${COPIED.name}@${COPIED.version}"`);
  expect(renderNotices(ROOT)).toContain(COPIED.copyright);
});

describe('the notices', () => {
  const text = renderNotices(ROOT);

  it('name each shipped package and carry its license', () => {
    const lines = new Set(text.split('\n').map((line) => line.split(' (')[0]));
    expect(
      shippedPackages(readLock(ROOT))
        .map(idOf)
        .filter((id) => !lines.has(id)),
    ).toEqual([]);
    expect(text).toContain('GNU GENERAL PUBLIC LICENSE');
    expect(text).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
    expect(text).toContain('Redistribution and use in source and binary forms');
  });
});

function version(name: string): string {
  return readLock(ROOT).packages[`node_modules/${name}`]!.version!;
}
