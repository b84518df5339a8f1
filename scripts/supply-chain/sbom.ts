/**
 * The bill of materials in sbom.cdx.json: CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/). It depends on nothing but the
 * repository: no time and no random number, so that the same commit always has the same bytes.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DECISIONS, licenseOf } from './licenses.ts';
import { directNeeds, readLock, type ShippedPackage, shippedPackages } from './shipped-packages.ts';

/** What native/build.mjs compiles. `needs`: libraries of the system. */
const HELPERS = [
  { name: 'sluice-jail', what: 'Starts ffmpeg without privileges', needs: [] },
  { name: 'picture-server.so', what: 'Keeps ffmpeg loaded for still images', needs: [] },
  {
    name: 'sound-server',
    what: 'Encodes audio of many cameras',
    needs: ['libavcodec', 'libavutil', 'libswresample'],
  },
] as const;

/** The FFmpeg in @ffmpeg-installer/linux-x64 4.1.0, by the `ffmpeg` field of its package.json. */
export const BUNDLED_FFMPEG = {
  package: '@ffmpeg-installer/linux-x64',
  packageVersion: '4.1.0',
  version: '20181210-g0e8eb07980',
} as const;

/** What another package holds a copy of, without a package of its own in the lock. */
export const COPIED = {
  in: '@fastify/swagger-ui',
  name: 'swagger-ui-dist',
  version: '5.34.0',
  license: 'Apache-2.0',
  copyright: 'Copyright 2020-2021 SmartBear Software Inc.',
} as const;

interface Component {
  readonly 'bom-ref': string;
  readonly type: 'application' | 'library' | 'platform';
  readonly name: string;
  readonly version?: string;
  readonly [field: string]: unknown;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

/** The text of sbom.cdx.json for the repository at `root`. */
export function renderSbom(root: string): string {
  const lock = readLock(root);
  const packages = shippedPackages(lock);
  const self = `pkg:generic/sluice@${lock.version}`;
  const node = nodeComponent(root);
  const ffmpeg = ffmpegComponent(packages);
  const copied: Component = {
    type: 'library',
    'bom-ref': purlOf(COPIED),
    name: COPIED.name,
    version: COPIED.version,
    licenses: licensesOf(COPIED.license),
    copyright: COPIED.copyright,
    purl: purlOf(COPIED),
    properties: [{ name: 'sluice:use', value: `A copy is part of ${COPIED.in}.` }],
  };
  const helpers = HELPERS.map((helper) => helperComponent(helper, lock.version));
  const system = [...new Set(HELPERS.flatMap(({ needs }) => needs))].map(systemLibrary);
  const dependencies: Dependency[] = [
    {
      ref: self,
      dependsOn: [
        ...directNeeds(lock).map(purlOfId),
        ...[node, ...helpers].map((component) => component['bom-ref']),
      ],
    },
    ...packages.map((each) => ({
      ref: purlOf(each),
      dependsOn: [
        ...each.needs.map(purlOfId),
        ...(each.name === BUNDLED_FFMPEG.package ? [ffmpeg['bom-ref']] : []),
        ...(each.name === COPIED.in ? [purlOf(COPIED)] : []),
      ],
    })),
    ...HELPERS.map(({ needs }, at) => ({
      ref: helpers[at]!['bom-ref'],
      dependsOn: needs.map((name) => systemLibrary(name)['bom-ref']),
    })),
    ...[node, ffmpeg, copied, ...system].map((component) => ({ ref: component['bom-ref'], dependsOn: [] })),
  ];
  const content = {
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'pre-build' }],
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'sluice',
        version: lock.version,
        description: 'Media gateway for security cameras',
      },
    },
    components: [...packages.map(npmComponent), copied, node, ffmpeg, ...helpers, ...system],
    dependencies: dependencies.map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: [...new Set(dependsOn)].sort(),
    })),
    // Packages of Debian in the container image are not listed: `dpkg-query -W` in the image lists them.
    compositions: [
      { aggregate: 'incomplete', assemblies: [self] },
      { aggregate: 'complete', dependencies: [self, ...packages.map(purlOf)] },
    ],
  };
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    ...content,
  };
  return `${JSON.stringify(bom, null, 1)}\n`;
}

function npmComponent(each: ShippedPackage): Component {
  const [algorithm, digest] = each.integrity.split('-', 2) as [string, string];
  const reason = DECISIONS[each.name]?.reason;
  return {
    type: 'library',
    'bom-ref': purlOf(each),
    ...groupAndName(each.name),
    version: each.version,
    scope: each.isOptional ? 'optional' : 'required',
    hashes: [{ alg: HASH_NAMES[algorithm]!, content: Buffer.from(digest, 'base64').toString('hex') }],
    licenses: licensesOf(licenseOf(each)),
    purl: purlOf(each),
    ...(reason !== undefined && { properties: [{ name: 'sluice:license', value: reason }] }),
  };
}

const HASH_NAMES: Readonly<Record<string, string>> = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' };

function groupAndName(name: string): { readonly group?: string; readonly name: string } {
  const [group, rest] = name.split('/', 2);
  return rest === undefined ? { name } : { group: group!, name: rest };
}

function licensesOf(expression: string | undefined): readonly object[] {
  if (expression === undefined) return [];
  return expression.includes(' ') ? [{ expression }] : [{ license: { id: expression } }];
}

/** The Node.js of the container image; the package.json of the repository pins the same one. */
function nodeComponent(root: string): Component {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const purl = `pkg:generic/node@${devDependencies.node}`;
  return {
    type: 'platform',
    'bom-ref': purl,
    name: 'node',
    version: devDependencies.node,
    licenses: licensesOf('MIT'),
    purl,
  };
}

function ffmpegComponent(packages: readonly ShippedPackage[]): Component {
  const { package: name, packageVersion, version } = BUNDLED_FFMPEG;
  if (!packages.some((each) => each.name === name && each.version === packageVersion))
    throw new Error(`package-lock.json has another version of ${name}: update BUNDLED_FFMPEG`);
  return {
    type: 'application',
    'bom-ref': `pkg:generic/ffmpeg@${version}`,
    name: 'ffmpeg',
    version,
    scope: 'optional',
    licenses: licensesOf('GPL-3.0-or-later'),
    purl: `pkg:generic/ffmpeg@${version}`,
    externalReferences: [{ type: 'source-distribution', url: 'https://johnvansickle.com/ffmpeg/' }],
    properties: [
      {
        name: 'sluice:use',
        value: 'Only where the system has no ffmpeg 5 or newer. The container image has that of Debian.',
      },
    ],
  };
}

function helperComponent({ name, what }: (typeof HELPERS)[number], version: string): Component {
  const ref = `pkg:generic/sluice-native/${name}@${version}`;
  return { type: 'application', 'bom-ref': ref, name, version, description: what, purl: ref };
}

/** The machine that compiles a helper decides on the version. */
function systemLibrary(name: string): Component {
  return {
    type: 'library',
    'bom-ref': `pkg:generic/${name}`,
    name,
    scope: 'optional',
    licenses: licensesOf('LGPL-2.1-or-later'),
    purl: `pkg:generic/${name}`,
    properties: [
      { name: 'sluice:use', value: 'Of the system: with Debian, from the source package ffmpeg.' },
    ],
  };
}

/** https://github.com/package-url/purl-spec: the `@` of a scope is encoded. */
function purlOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
}

function purlOfId(id: string): string {
  const at = id.lastIndexOf('@');
  return purlOf({ name: id.slice(0, at), version: id.slice(at + 1) });
}

/** Of the content, in the form of RFC 9562 version 8. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
