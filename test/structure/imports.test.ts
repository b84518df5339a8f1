/**
 * Dependencies point one way (docs/design/layout.md). This test walks every import and fails on a wrong arrow or a
 * cycle.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

/** A folder can import folders of lower layers, and of its own layer only where `siblings` says so. */
const LAYERS: readonly (readonly string[])[] = [
  ['core'],
  ['bytes'],
  ['rtsp', 'rtp', 'onvif', 'codec', 'isobmff', 'cmaf', 'hls', 'dash'],
  ['stream'],
  // Requests to other hosts; threads.
  ['network', 'threads'],
  [
    'ffmpeg',
    'mirror',
    'sources',
    'synthetic-camera',
    'store',
    'names',
    'counters',
    'cluster',
    'sharing',
    'thumbnails',
    'ingest',
    'audit',
    'evidence',
    'c2pa',
    'realtime',
    'deliveries',
    'scim',
    'webhooks',
    'mail',
    'connections',
    'accounts',
    'oidc',
    'saml',
    'devices',
    'events',
    'integrations',
    'notifications',
    'policies',
    'recording',
    'recorders',
    'playback',
    'uploads',
    'clips',
    'cases',
    'emergency',
    'service-levels',
    'system',
    'platform/access-control',
    'platform/devices',
    'platform/integrations',
    'platform/policies',
    'platform/reports',
  ],
  // The rooms' services, wired; how endpoints over them are declared, checked, answered and documented.
  ['services', 'platform/services'],
  ['http'],
  ['console'],
  ['api', 'front-door', 'platform/endpoints'],
  ['app'],
];

/** Arrows within a layer: protocol building blocks, and features that rely on another's contract. */
const SIBLINGS: Readonly<Record<string, readonly string[]>> = {
  rtp: ['codec'],
  isobmff: ['codec'],
  cmaf: ['codec', 'isobmff'],
  sources: ['ffmpeg', 'names'],
  thumbnails: ['ffmpeg'],
  sharing: ['store', 'counters', 'accounts', 'oidc'],
  cluster: ['counters', 'store', 'sharing', 'policies', 'realtime', 'recording', 'sources', 'devices'],
  ingest: ['store'],
  audit: ['store'],
  deliveries: ['store'],
  webhooks: ['store', 'deliveries', 'events', 'names'],
  mail: ['store', 'deliveries', 'oidc', 'webhooks', 'names'],
  realtime: ['store', 'sharing'],
  connections: ['sharing'],
  accounts: ['store', 'oidc', 'saml', 'names'],
  oidc: ['store', 'webhooks', 'names', 'audit'],
  saml: ['store', 'connections', 'oidc', 'webhooks'],
  devices: ['store', 'sources', 'ffmpeg', 'counters', 'ingest'],
  events: ['store', 'ingest'],
  integrations: ['store', 'webhooks'],
  notifications: ['store', 'accounts', 'events', 'mail', 'webhooks'],
  policies: [
    'store',
    'sharing',
    'devices',
    'events',
    'ingest',
    'sources',
    'platform/access-control',
    'platform/policies',
  ],
  evidence: ['store'],
  c2pa: ['evidence'],
  recording: ['store', 'sharing', 'evidence'],
  recorders: ['store', 'recording', 'sources', 'devices'],
  playback: ['store', 'recording', 'cluster'],
  uploads: ['store', 'recording', 'ffmpeg', 'sources'],
  'service-levels': ['store', 'accounts'],
  system: ['accounts', 'cluster', 'counters', 'recording', 'service-levels', 'store'],
  clips: ['store', 'events', 'playback', 'recording', 'sharing'],
  cases: ['store', 'events', 'recording', 'playback', 'evidence', 'clips', 'sharing', 'audit'],
  emergency: ['store', 'sharing', 'events', 'mail', 'webhooks'],
  'platform/access-control': ['store', 'sharing', 'events', 'webhooks', 'ingest'],
  'platform/devices': ['store', 'ingest', 'devices'],
  'platform/integrations': [
    'store',
    'events',
    'policies',
    'webhooks',
    'integrations',
    'platform/access-control',
    'platform/policies',
  ],
  'platform/policies': ['store', 'sharing', 'policies', 'platform/access-control'],
  'platform/reports': ['store', 'ingest', 'events', 'platform/access-control'],
  scim: ['store', 'accounts'],
  services: ['platform/services'],
  api: ['platform/endpoints'],
  'platform/endpoints': ['api'],
};

/**
 * `platform/` has what the specification requires and users of a media gateway do not meet: doors, elevators, counts,
 * sales. These files of the rest import it, so that the others can be read without it.
 */
const KNOW_THE_PLATFORM = [
  // The lists of all endpoints and of all kinds of report, and the wiring of services.
  'api/endpoints.ts',
  'api/ingest-kinds.ts',
  'app/api-thread/api-side.ts',
  'services/api-services.ts',
  // What happened in the times of a case includes events of doors.
  'services/case-texts.ts',
  // Sentences of all refusals.
  'http/request-sentences.ts',
  // Events of doors record the cameras of the door, and pauses of doors hold back their alerts.
  'policies/recorded-events.ts',
  'policies/alert-policy-pause.ts',
  // Doors, lockdown rules, and climate policies can use a schedule.
  'policies/schedule-uses.ts',
];

/**
 * Within modules, lowest first. An entry is a folder, `.` for the module's own files, or one file that is at another height than
 * its folder. Each module of more than MAX_UNLAYERED_FILES files that has folders must be here.
 */
const INNER_LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  core: [['.'], ['limits'], ['fair-queue.ts']],
  codec: [
    ['.'],
    ['aac', 'flac', 'h264', 'h265', 'jpeg', 'opus', 'pcm'],
    ['silent-frame.ts', 'media-signing'],
  ],
  rtp: [
    ['.'],
    ['rtcp'],
    ['camera-clock.ts', 'rtp-sender.ts', 'aac', 'h264', 'h265', 'jpeg'],
    ['media-receiver.ts'],
    ['sample-stream-fixture.ts'],
    ['h265/h265-camera-fixture.ts'],
  ],
  rtsp: [['sdp'], ['.'], ['server']],
  // What reads a camera's bytes, from addresses up to the choice of an engine.
  sources: [
    ['network', 'jpeg'],
    ['http', 'ffmpeg'],
    ['hls', 'sound'],
    ['direct', 'rtmp', 'transcode'],
    ['talk', 'threaded'],
    ['.'],
  ],
  devices: [['onvif'], ['.']],
  store: [
    ['.'],
    ['migrations', 'repositories'],
    ['postgres', 'sqlite'],
    ['foreign-changes.ts', 'open-store.ts'],
    ['change-writer-fixture.ts', 'crash-writer-fixture.ts', 'test-store-fixture.ts'],
  ],
  cluster: [
    ['nodes', 'links', 'local-stream'],
    ['mirror'],
    ['feeds'],
    ['states', 'viewers', 'handover'],
    ['.'],
    ['adapters'],
  ],
  connections: [['.'], ['acme'], ['certificate-fixture.ts']],
  // What live media are to viewers, then how they come to be, then where from.
  stream: [
    ['media'],
    ['numbering'],
    ['window'],
    ['dash'],
    ['packaging'],
    ['source'],
    ['pictures'],
    ['sounds'],
    ['.'],
  ],
  // By what viewers request, over who they are and how responses are written.
  'front-door': [
    ['response'],
    ['session'],
    ['live', 'past', 'stills', 'uploads'],
    ['device', 'files', 'page', 'sockets'],
    ['pictures', 'rtsp', 'sounds'],
    ['.'],
    ['viewer-thread'],
  ],
  http: [['fields'], ['.'], ['openapi']],
  api: [
    ['types'],
    // One folder per area, with a file for each resource.
    [
      'alerts',
      'cameras',
      'clips',
      'console',
      'emergency',
      'evidence',
      'nvrs',
      'oauth',
      'organization',
      'schedules',
      'scim',
      'shares',
    ],
    // Rows of reports are made of the fields of what they report.
    ['ingest'],
    // Files of the folder itself put everything together.
    ['.'],
  ],
  app: [
    ['config'],
    ['process', 'metrics'],
    ['api-thread', 'camera-threads', 'viewer-threads'],
    ['stages'],
    ['cli'],
    // The entry.
    ['.'],
  ],
};
const MAX_UNLAYERED_FILES = 20;

/** Arrows within an inner layer. */
const INNER_SIBLINGS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // Areas that show a type of another.
  api: { alerts: ['clips'] },
};

/** Where domain rules are: none of them knows that there is an HTTP. */
const ROOMS = [
  'accounts',
  'audit',
  'cases',
  'clips',
  'devices',
  'events',
  'ingest',
  'integrations',
  'notifications',
  'platform/access-control',
  'platform/devices',
  'platform/integrations',
  'platform/policies',
  'platform/reports',
  'policies',
  'service-levels',
  'sharing',
  'system',
  'uploads',
];
const HTTP_MODULES = /^(?:fastify|@fastify\/.*|typebox|typebox\/.*)$/;

/** Protocol code is sans-IO: bytes and a clock reading in, values out. */
const SANS_IO = [
  'bytes',
  'rtsp',
  'rtp',
  'onvif',
  'codec',
  'isobmff',
  'cmaf',
  'hls',
  'dash',
  'sources/rtmp/flv',
].map((folder) => `${folder}/`);
const IO_MODULES =
  /^(?:node:(?:net|dgram|tls|fs|fs\/promises|http|https|http2|child_process|worker_threads|timers|timers\/promises)|pino|fastify|ioredis)$/;

interface Import {
  readonly from: string;
  readonly to: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && entry.name.endsWith('.ts') && !/\.test\.ts$|-contract\.ts$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const found: Import[] = [];
  for (const match of text.matchAll(
    /^\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'/gm,
  )) {
    const specifier = (match[1] ?? match[2])!;
    const to = specifier.startsWith('.') ? relative(SRC, resolve(dirname(file), specifier)) : specifier;
    found.push({ from: relative(SRC, file), to });
  }
  return found;
}

/** `store` of `store/store.ts`, `platform/reports` of `platform/reports/errors.ts`. */
const folderOf = (path: string) => /^(?:platform\/)?[^/]*/.exec(path)![0];
/** `cameras` of `api/cameras/footage.ts`, `.` of `api/endpoints.ts`. */
const innerFolderOf = (path: string) => path.split('/').slice(1, -1)[0] ?? '.';
/** What INNER_LAYERS says of a file: its own entry, or that of its folder. */
function innerEntryOf(path: string, layers: readonly (readonly string[])[]): string {
  const file = path.slice(path.indexOf('/') + 1);
  return layers.some((layer) => layer.includes(file)) ? file : innerFolderOf(path);
}
const layerOf = (folder: string) => LAYERS.findIndex((layer) => layer.includes(folder));
const imports = sourceFiles(SRC).flatMap(importsOf);
const own = imports.filter(({ to }) => to.endsWith('.ts'));

describe('imports', () => {
  it('knows the layer of every folder', () => {
    const platform = readdirSync(join(SRC, 'platform')).map((folder) => `platform/${folder}`);
    const folders = [...readdirSync(SRC).filter((folder) => folder !== 'platform'), ...platform];
    expect(folders.filter((folder) => layerOf(folder) < 0)).toEqual([]);
    expect(own.length).toBeGreaterThan(20);
  });

  it('point to lower layers', () => {
    const wrong = own.filter(({ from, to }) => {
      const [source, target] = [folderOf(from), folderOf(to)];
      if (source === target || layerOf(source) > layerOf(target)) return false;
      return !(SIBLINGS[source]?.includes(target) ?? false);
    });
    expect(wrong).toEqual([]);
  });

  it(`have inner layers in each module of more than ${MAX_UNLAYERED_FILES} files that has folders`, () => {
    const modules = Map.groupBy(sourceFiles(SRC), (file) => folderOf(relative(SRC, file)));
    const large = [...modules]
      .filter(([, files]) => files.length > MAX_UNLAYERED_FILES)
      .filter(([, files]) => files.some((file) => innerFolderOf(relative(SRC, file)) !== '.'))
      .map(([name]) => name);
    expect(large.sort()).toEqual(Object.keys(INNER_LAYERS).sort());
  });

  it.each(Object.entries(INNER_LAYERS))('of %s point to its lower layers', (room, layers) => {
    const layerWithin = (entry: string) => layers.findIndex((layer) => layer.includes(entry));
    const files = sourceFiles(join(SRC, room)).map((file) => relative(SRC, file));
    const entries = new Set(files.map((file) => innerEntryOf(file, layers)));
    expect([...entries].sort()).toEqual(layers.flat().sort());
    const inner = own.filter(({ from, to }) => folderOf(from) === room && folderOf(to) === room);
    const wrong = inner.filter(({ from, to }) => {
      const [source, target] = [innerEntryOf(from, layers), innerEntryOf(to, layers)];
      if (source === target || layerWithin(source) > layerWithin(target)) return false;
      return !(INNER_SIBLINGS[room]?.[source]?.includes(target) ?? false);
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('of the API from outside know what builds it, and the kinds of report that imports read', () => {
    const outside = own.filter(
      ({ from, to }) => !['api', 'platform/endpoints'].includes(folderOf(from)) && folderOf(to) === 'api',
    );
    expect(outside.map(({ from, to }) => `${from} → ${to}`).sort()).toEqual([
      'app/api-thread/api-side.ts → api/build-api.ts',
      'app/cli/command-import.ts → api/ingest-kinds.ts',
    ]);
  });

  it('of media modules do not reach the platform, apart from those that put everything together', () => {
    const reaching = own.filter(
      ({ from, to }) =>
        to.startsWith('platform/') && !from.startsWith('platform/') && !from.endsWith('-fixture.ts'),
    );
    expect([...new Set(reaching.map(({ from }) => from))].sort()).toEqual(KNOW_THE_PLATFORM.toSorted());
  });

  it('of endpoints of the platform reach resources of the API, and nothing that puts it together', () => {
    const reached = own.filter(
      ({ from, to }) => folderOf(from) === 'platform/endpoints' && folderOf(to) === 'api',
    );
    expect(reached.filter(({ to }) => innerFolderOf(to) === '.')).toEqual([]);
  });

  it('of endpoints reach the store by the services of rooms alone', () => {
    const opening = own.filter(
      ({ from, to }) =>
        ['api', 'http', 'platform/endpoints'].includes(folderOf(from)) && to === 'store/store.ts',
    );
    expect(opening.map(({ from }) => from)).toEqual(['api/api-fixture.ts']);
  });

  it('of domain rooms reach no HTTP and no schema of requests', () => {
    const wrong = imports.filter(({ from, to }) => ROOMS.includes(folderOf(from)) && HTTP_MODULES.test(to));
    expect(wrong).toEqual([]);
  });

  it('of protocol code reach no socket, file, timer or logger', () => {
    const wrong = imports.filter(
      ({ from, to }) => SANS_IO.some((folder) => from.startsWith(folder)) && IO_MODULES.test(to),
    );
    expect(wrong).toEqual([]);
  });

  it('form no cycle between files', () => {
    const next = Map.groupBy(own, ({ from }) => from);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (path.includes(file) || done.has(file)) return;
      for (const { to } of next.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of next.keys()) visit(file, []);
    expect(cycles).toEqual([]);
  });
});
