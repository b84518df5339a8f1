/** How a configuration file is read. Longer than 500 lines: its cases are one list, in the order of the keys. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { GatewayError } from '../../core/errors.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { ConfigError, describeProblem } from './errors.ts';
import { loadConfig, parseConfig } from './load-config.ts';
import type { Config } from './schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function parse(text: string, env: Record<string, string> = {}): Config {
  return parseConfig(text, 'sluice.yaml', env);
}

/** The problems, one line each. */
function problemsOf(text: string, env: Record<string, string> = {}): string[] {
  try {
    parse(text, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems.map(describeProblem);
  }
  return [];
}

describe('parseConfig', () => {
  it('reads when cameras are recorded, and what is kept of them', () => {
    const camera = (keys: string) => parse(cameraText(keys)).cameras[0]!;
    const cameraText = (keys: string) =>
      `cameras: [{ name: Lobby, rtsp: "rtsp://192.0.2.10/main", ${keys} }]`;
    const uuid = newRuuid();
    expect(camera('recording: always')).toMatchObject({
      recording: 'always',
      recordingSchedule: null,
      recordingPreRollMs: null,
      recordingPostRollMs: null,
      recordingKeep: null,
      recordingMaxSizeBytes: null,
    });
    expect(camera(`recording: schedule, recordingSchedule: ${uuid}`).recordingSchedule).toEqual({
      kind: 'stored',
      uuid,
    });
    expect(camera('recording: schedule, recordingSchedule: "Mon 08:00-09:00"').recordingSchedule).toEqual({
      kind: 'weekly',
      intervals: [{ minuteOfWeekStart: 480, minuteOfWeekStop: 540 }],
    });
    const events = 'recording: events, recordingPreRoll: 5s, recordingPostRoll: 1m, recordingKeep: 7d';
    expect(camera(`${events}, recordingMaxSize: 2GiB`)).toMatchObject({
      recordingPreRollMs: 5_000,
      recordingPostRollMs: 60_000,
      recordingKeep: { mainMs: 7 * 86_400_000, subMs: 7 * 86_400_000, keyFramesMs: null },
      recordingMaxSizeBytes: 2 * 2 ** 30,
    });
    for (const wrong of [
      '{ main: 14d }',
      '{ main: 14d, other: 2d }',
      '[14d, 90d]',
      '{ main: 1d, sub: never }',
    ]) {
      expect(problemsOf(`recording: { keep: ${wrong} }`)).toEqual([
        expect.stringMatching(
          /recording\.keep: expected a duration .*\{ main: 14d, sub: 90d, keyFrames: 365d \}/,
        ),
      ]);
    }
    expect(problemsOf(cameraText('recording: schedule'))).toEqual([
      expect.stringContaining('cameras[0].recording: schedule needs recordingSchedule'),
    ]);
    expect(problemsOf(cameraText('recording: schedule, recordingSchedule: mornings'))).toEqual([
      expect.stringContaining('cameras[0].recordingSchedule: expected the UUID of a schedule, or times'),
    ]);
  });

  it('reads where recordings are uploaded to, and shows no secret', () => {
    const text = 's3: { bucket: past, accessKeyId: AKIA1, secretAccessKey: hush-hush }';
    const { s3 } = parse(text);
    expect([s3.bucket, s3.accessKeyId, s3.secretAccessKey?.reveal()]).toEqual(['past', 'AKIA1', 'hush-hush']);
    expect(inspect(s3) + JSON.stringify(s3)).not.toContain('hush-hush');
    expect(problemsOf('s3: { bucket: past, accessKeyId: AKIA1 }')).toEqual([
      expect.stringContaining('s3.secretAccessKey: is required with s3.accessKeyId'),
    ]);
    expect(problemsOf('s3: { bucket: past, secretAccessKey: hush-hush }')).toEqual([
      expect.stringContaining('s3.accessKeyId: is required with s3.secretAccessKey'),
    ]);
  });

  it('reads how long recordings stay on the disk before they move to S3', () => {
    const tiers = (text: string) => problemsOf(`s3: { bucket: past }\nrecording: { keep: 30d, ${text} }`);
    expect(tiers('tiers: { local: 7d }')).toEqual([]);
    expect(tiers('tiers: { local: 30d }')).toEqual([
      expect.stringContaining('recording.tiers.local: must be shorter than recording.keep'),
    ]);
    expect(
      tiers('tiers: { local: 7d } }\ncluster: { secret: a-secret-of-32-characters-or-more'),
    ).toContainEqual(expect.stringContaining('recording.tiers.local: is not for the nodes of a cluster'));
    expect(problemsOf('recording: { tiers: { local: 7d } }')).toEqual([
      expect.stringContaining('recording.tiers.local: needs s3.bucket'),
    ]);
  });

  it('reads the time stamp authority of cases, of which there is none by default', () => {
    expect(parse('').evidence.timeStampUrl).toBeNull();
    const url = 'https://tsa.example.com/tsr';
    expect(parse(`evidence: { timeStampUrl: "${url}" }`).evidence.timeStampUrl).toBe(url);
    expect(problemsOf('evidence: { timeStampUrl: tsa.example.com }')).toHaveLength(1);
  });

  it('returns every default for an empty file', () => {
    const config = parse('');
    expect(config.listen).toEqual({
      api: { host: '127.0.0.1', port: 8080 },
      media: { host: '127.0.0.1', port: 8081 },
    });
    expect(config.hls).toEqual({
      segmentTargetMs: 2_000,
      partTargetMs: 333,
      windowMs: 16_000,
      idleStopMs: 30_000,
      maxWindowBytes: 64 * 2 ** 20,
    });
    expect(config.recording).toEqual({
      folder: null,
      streams: 'both',
      keep: { mainMs: 30 * 86_400_000, subMs: 30 * 86_400_000, keyFramesMs: null },
      maxSizePerCameraBytes: null,
      maxSizePerOrganizationBytes: null,
      tiers: { localMs: null },
      minFreeBytes: 4 * 2 ** 30,
      fileSizeBytes: 128 * 2 ** 20,
      bufferBytes: 64 * 2 ** 20,
      encrypt: false,
      thumbnails: true,
      h264CacheBytes: 2 ** 30,
      keepForSharesMs: 7 * 86_400_000,
      preRollMs: 10_000,
      postRollMs: 30_000,
      preRollBufferBytes: 256 * 2 ** 20,
    });
    expect(config.s3).toEqual({
      bucket: null,
      region: 'us-east-1',
      endpoint: null,
      prefix: null,
      accessKeyId: null,
      secretAccessKey: null,
      spoolSizeBytes: 20 * 2 ** 30,
    });
    expect(config.clips).toEqual({
      keepMs: 730 * 86_400_000,
      maxSizeBytes: null,
      ofAlerts: true,
      alertsPerHour: 60,
      keepOfAlertsMs: 30 * 86_400_000,
      maxSizeOfAlertsBytes: 20 * 2 ** 30,
    });
    expect(config.data).toBe(resolve('data'));
    expect([config.redis, config.demo, config.bootstrap.apiKey, config.cameras]).toEqual([
      null,
      null,
      null,
      [],
    ]);
    expect(parse('listen:\nhls: ~\n')).toEqual(config);
  });

  it('reads every kind of value', () => {
    const config = parse(
      `
listen: { api: "[::1]:9000", media: cameras.internal:0 }
public: { mediaUrl: "https://video.example.com/live/", lanMediaUrls: ["http://192.0.2.5:8081/", "http://nvr.local/video"] }
demo: no-such-thing
`.replace('no-such-thing', 'true') +
        `
redis: rediss://user:hush@redis.example:6380/2
hls: { window: 1.5m, maxWindowBytes: 1GB }
access: { maxViewersPerShare: 50 }
trustProxy: [10.0.0.0/8, "::1"]
cors: ["https://example.com"]
`,
    );
    expect(config.listen).toEqual({
      api: { host: '::1', port: 9_000 },
      media: { host: 'cameras.internal', port: 0 },
    });
    expect(config.public).toEqual({
      apiUrl: null,
      mediaUrl: 'https://video.example.com/live',
      rtspUrl: null,
      lanMediaUrls: ['http://192.0.2.5:8081', 'http://nvr.local/video'],
      internalFiles: null,
    });
    expect(config.demo).toBe(true);
    expect(config.redis?.reveal()).toBe('rediss://user:hush@redis.example:6380/2');
    expect(config.hls).toMatchObject({ windowMs: 90_000, maxWindowBytes: 1e9 });
    expect(config.access.maxViewersPerShare).toBe(50);
    expect([config.trustProxy, config.cors]).toEqual([['10.0.0.0/8', '::1'], ['https://example.com']]);
  });

  it('reads locations, NVRs and cameras, and anchors', () => {
    const uuid = newRuuid();
    const { locations, nvrs, cameras } = parse(`
locations: [ { name: HQ, tz: America/New_York, latitude: 40.5, longitude: -74, postalCode: 00501 } ]
nvrs: [ { name: Core, location: HQ } ]
cameras:
  - &lobby { uuid: ${uuid}, name: Lobby, nvr: Core, rtsp: "rtsp://viewer:p%40ss@192.0.2.1/main" }
  - { name: 7, kind: doorbell, engine: ffmpeg, transport: udp, rtsp: rtsps://192.0.2.2/, substream: rtsp://192.0.2.2/sub }
`);
    expect(locations[0]).toMatchObject({ tz: 'America/New_York', longitude: -74, postalCode: '00501' });
    expect(nvrs).toEqual([
      {
        uuid: null,
        name: 'Core',
        location: 'HQ',
        serialNumber: null,
        playback: null,
        playbackUrl: null,
        playbackRtsp: null,
        playbackSessions: 1,
      },
    ]);
    expect(cameras[0]).toMatchObject({
      uuid,
      nvr: 'Core',
      location: null,
      engine: 'auto',
      transport: 'auto',
    });
    expect(cameras[0]?.rtsp?.credentials()?.password.reveal()).toBe('p@ss');
    expect(cameras[1]).toMatchObject({ name: '7', kind: 'doorbell', engine: 'ffmpeg', transport: 'udp' });
  });

  it('prefers the environment to the file, and treats empty variables as absent', () => {
    const text = 'hls: { segmentTarget: 4s }\nlisten: { api: nonsense }\ndata: /srv/a';
    const env = {
      SLUICE_LISTEN_API: '0.0.0.0:80',
      SLUICE_PUBLIC_MEDIA_URL: 'https://video.example.com',
      SLUICE_HLS_MAX_WINDOW_BYTES: '50MiB',
      SLUICE_BOOTSTRAP_PARTNER_API_KEY: 'slc_0123456789abcdefghij',
      SLUICE_TRUST_PROXY: '10.0.0.1, 10.1.0.0/16',
      SLUICE_DATA: '',
    };
    const config = parse(text, env);
    expect(config.listen.api).toEqual({ host: '0.0.0.0', port: 80 });
    expect(config.public.mediaUrl).toBe('https://video.example.com');
    expect(config.hls).toMatchObject({ maxWindowBytes: 50 * 2 ** 20, segmentTargetMs: 4_000 });
    expect(config.bootstrap.partnerApiKey?.reveal()).toBe(env.SLUICE_BOOTSTRAP_PARTNER_API_KEY);
    expect(config.trustProxy).toEqual(['10.0.0.1', '10.1.0.0/16']);
    expect(config.data).toBe('/srv/a');
  });

  it('is frozen all the way down', () => {
    const config = parse('cameras: [ { name: A, rtsp: rtsp://h/ } ]\ncors: ["*"]');
    const open: string[] = [];
    const walk = (value: unknown, at: string) => {
      if (typeof value !== 'object' || value === null) return;
      const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
      if (isPlain && !Object.isFrozen(value)) open.push(at);
      for (const [key, child] of Object.entries(value)) walk(child, `${at}.${key}`);
    };
    walk(config, 'config');
    expect(open).toEqual([]);
  });
});

describe('a wrong configuration', () => {
  const cases: [name: string, text: string, problem: string | RegExp][] = [
    [
      'unknown key',
      'hls:\n  segmentTarget: 2s\n  segmenttarget: 2s\n',
      'sluice.yaml:3:3: hls.segmenttarget: unknown key; did you mean "segmentTarget"?',
    ],
    ['unknown key, swapped', 'lisetn: {}', 'sluice.yaml:1:1: lisetn: unknown key; did you mean "listen"?'],
    ['unknown key, nothing similar', 'zzz: 1', 'sluice.yaml:1:1: zzz: unknown key'],
    ['inherited name', 'constructor: 1', 'sluice.yaml:1:1: constructor: unknown key'],
    [
      'duration without unit',
      'hls: { window: 16 }',
      /^sluice\.yaml:1:16: hls\.window: expected a duration .*, not "16"$/,
    ],
    [
      'duration out of bounds',
      'hls:\n  partTarget: 1ms',
      /^sluice\.yaml:2:15: hls\.partTarget: expected a duration .* from 100ms to 2s/,
    ],
    [
      'size',
      'hls: { maxWindowBytes: lots }',
      /hls\.maxWindowBytes: expected a size with a unit .*, not "lots"/,
    ],
    ['listen without port', 'listen: { api: localhost }', /listen\.api: expected host:port/],
    ['listen, port too high', 'listen: { api: "h:65536" }', /listen\.api: expected host:port/],
    ['listen, IPv6 without brackets', 'listen: { api: "::1:80" }', /listen\.api: expected host:port/],
    ['listen, no IPv6 in brackets', 'listen: { api: "[1.2.3.4]:80" }', /listen\.api: expected host:port/],
    ['flag', 'demo: maybe', 'sluice.yaml:1:7: demo: expected true or false, not "maybe"'],
    [
      'choice',
      'log: { level: loud }',
      /log\.level: expected one of debug, info, warn, error, silent, not "loud"/,
    ],
    [
      'number',
      'ffmpeg: { maxWorkers: -1 }',
      /ffmpeg\.maxWorkers: expected a whole number from 0 to 256, not "-1"/,
    ],
    ['public URL with credentials', 'public: { apiUrl: "http://a:b@c" }', /public\.apiUrl: expected a URL/],
    [
      'proxy network',
      'trustProxy: [10.0.0.0/33]',
      /trustProxy: expected a list; each item is an IP address or network/,
    ],
    [
      'proxy address with a zone',
      'trustProxy: [fe80::1%br-lan]',
      /trustProxy: expected a list; each item is an IP address or network/,
    ],
    ['group that is a value', 'listen: 80', 'sluice.yaml:1:9: listen: expected a mapping of keys to values'],
    ['list that is a value', 'cameras: Lobby', /^sluice\.yaml:1:10: cameras: expected a list/],
    ['value that is a group', 'data: { a: 1 }', 'sluice.yaml:1:7: data: expected a path'],
    [
      'camera that is a value',
      'cameras: [ Lobby ]',
      'sluice.yaml:1:12: cameras[0]: expected a mapping of keys to values',
    ],
    ['missing key', 'cameras:\n  - name: A', /^sluice\.yaml:2:5: cameras\[0\]: needs rtsp, .* or publishKey/],
    [
      'time zone',
      'locations: [ { name: HQ, tz: Mars/Base } ]',
      /locations\[0\]\.tz: expected an IANA time zone .* not "Mars\/Base"/,
    ],
    [
      'latitude',
      'locations: [ { name: HQ, tz: UTC, latitude: 91 } ]',
      /locations\[0\]\.latitude: expected a number from -90 to 90/,
    ],
    ['uuid', 'nvrs: [ { name: A, uuid: short } ]', /nvrs\[0\]\.uuid: expected a UUID/],
    [
      'database',
      'database: postgres://db/x?password=hush',
      'sluice.yaml:1:11: database: put the password before the @, as in postgres://user:password@host/name',
    ],
    [
      'back-off',
      'sources: { backoffMin: 40s }',
      /sources\.backoffMax: must not be shorter than sources\.backoffMin/,
    ],
    ['window', 'hls: { segmentTarget: 6s }', /hls\.window: must be at least three times hls\.segmentTarget/],
    ['syntax', 'listen: {\nhls: 1', /^sluice\.yaml:\d+:\d+: /],
    ['duplicate key', 'data: a\ndata: b', /^sluice\.yaml:2:1: Map keys must be unique/],
    ['two documents', 'data: a\n---\ndata: b', /^sluice\.yaml:/],
    ['alias loop', 'data: &a [ *a ]', /data/],
  ];

  it.each(cases)('%s', (_name, text, problem) => {
    const problems = problemsOf(text);
    if (typeof problem === 'string') expect(problems).toEqual([problem]);
    else expect(problems[0]).toMatch(problem);
  });

  it('names references that lead nowhere, and the existing names', () => {
    expect(
      problemsOf(`
locations: [ { name: HQ, tz: UTC }, { name: Pier, tz: UTC } ]
nvrs: [ { name: Core, location: Hq } ]
cameras:
  - { name: A, rtsp: rtsp://h/, location: Depot }
  - { name: B, rtsp: rtsp://h/, nvr: Edge }
`),
    ).toEqual([
      'sluice.yaml:3:33: nvrs[0].location: unknown location "Hq"; declared: HQ, Pier',
      'sluice.yaml:5:43: cameras[0].location: unknown location "Depot"; declared: HQ, Pier',
      'sluice.yaml:6:38: cameras[1].nvr: unknown NVR "Edge"; declared: Core',
    ]);
  });

  it('names duplicates', () => {
    const uuid = newRuuid();
    expect(
      problemsOf(`
cameras:
  - { name: A, uuid: ${uuid}, rtsp: rtsp://h/ }
  - { name: B, rtsp: rtsp://h/ }
  - { name: A, uuid: ${uuid}, rtsp: rtsp://h/ }
`),
    ).toEqual([
      'sluice.yaml:5:13: cameras[2].name: "A" is already the name of cameras[0]',
      `sluice.yaml:5:22: cameras[2].uuid: "${uuid}" is already the uuid of cameras[0]`,
    ]);
  });

  it('names environment variables', () => {
    const env = {
      SLUICE_MEDIA_URL: 'http://a',
      SLUICE_LOG_LEVLE: 'info',
      SLUICE_HLS_WINDOW: '5 parsecs',
      SLUICE_CAMERAS: '[]',
      SLUICE_CONFIG: 'x',
      // Injected by Kubernetes next to services named sluice and sluice-api.
      SLUICE_PORT: 'tcp://10.0.0.1:8080',
      SLUICE_API_SERVICE_HOST: '10.0.0.1',
      SLUICE_API_PORT_8080_TCP_ADDR: '10.0.0.1',
      OTHER: 'x',
    };
    expect(problemsOf('', env)).toEqual([
      'environment variable SLUICE_MEDIA_URL: unknown setting; did you mean "SLUICE_PUBLIC_MEDIA_URL"?',
      'environment variable SLUICE_LOG_LEVLE: unknown setting; did you mean "SLUICE_LOG_LEVEL"?',
      expect.stringMatching(/^environment variable SLUICE_CAMERAS: unknown setting/),
      expect.stringMatching(
        /^environment variable SLUICE_HLS_WINDOW: hls\.window: expected a duration.*not "5 parsecs"$/,
      ),
    ]);
  });

  it('reports everything at once', () => {
    expect(problemsOf('a: 1\nb: 2\ndemo: 3')).toHaveLength(3);
  });

  it('reports wrong values and inconsistencies together', () => {
    expect(
      problemsOf(`
hls: { segmentTarget: 6s, partTarget: 1 }
sources: { backoffMin: 40s }
locations: [ { name: HQ, tz: UTC } ]
cameras:
  - { name: A, rtsp: ftp://h/, location: Depot }
  - { name: A, rtsp: rtsp://h/ }
`).map((problem) => problem.split(': ')[1]),
    ).toEqual([
      'hls.partTarget',
      'cameras[0].rtsp',
      'cameras[1].name',
      'cameras[0].location',
      'sources.backoffMax',
      'hls.window',
    ]);
  });

  it.each([
    [
      'a location without a name',
      'locations: [ { tz: UTC } ]\ncameras: [ { name: A, rtsp: rtsp://h/, location: HQ } ]',
    ],
    ['a list that is not a list', 'locations: HQ\ncameras: [ { name: A, rtsp: rtsp://h/, location: HQ } ]'],
    ['a time that is not a time', 'hls: { window: 5 }'],
    ['a group that is not a group', 'hls: 5'],
  ])('does not report consequences of %s as separate problems', (_what, text) => {
    expect(problemsOf(text)).toHaveLength(1);
  });

  it.each([
    ['wrong scheme', 'cameras: [ { name: A, rtsp: "ftp://viewer:hush@h/" } ]'],
    ['SRT as a listener', 'cameras: [ { name: A, rtsp: "srt://viewer:hush@h:9?mode=listener" } ]'],
    ['raw # in the password', 'cameras: [ { name: A, rtsp: "rtsp://viewer:#hush@h/" } ]'],
    ['raw / in the password', 'cameras: [ { name: A, rtsp: "rtsp://viewer:1/hush@h/" } ]'],
    ['raw ? in the password', 'cameras: [ { name: A, rtsp: "rtsp://viewer:1?hush@h/" } ]'],
    ['no URL', 'cameras: [ { name: A, rtsp: "viewer:hush" } ]'],
    ['URL in place of a key', 'cameras: [ { "rtsp://viewer:hush@h/": 1, name: A } ]'],
    ['URL without a key', 'cameras:\n  - name: A\n    rtsp://viewer:hush@h/\n'],
    ['broken quotes', 'cameras: [ { name: A, rtsp: "rtsp://viewer:hush\\q@h/'],
    ['password like an alias', 'cameras: [ { name: A, rtsp: *hush } ]'],
    ['password like a directive', '%hush\n---\na: 1'],
    ['password like a tag', 'cameras: [ { name: A, rtsp: !hush x } ]'],
    ['percent sign at the start', 'redis: @hush'],
    ['bootstrap key with a space', 'bootstrap: { apiKey: "hush hush hush hush hush" }'],
    ['database', 'database: mysql://a:hush@h/'],
    ['database password as an option', 'database: postgres://h/x?password=hush'],
  ])('never shows a credential: %s', (_name, text) => {
    const shown = (() => {
      try {
        parse(text);
      } catch (error) {
        return inspect(error, { depth: 10 }) + JSON.stringify(error);
      }
      return '';
    })();
    expect(shown).toContain('CONFIG_INVALID');
    expect(shown).not.toContain('hush');
  });

  it('never fails other than with a ConfigError', () => {
    const words = fc.constantFrom(
      'cameras',
      'hls',
      'listen',
      'name',
      'rtsp',
      ':',
      '\n',
      ' ',
      '  ',
      '-',
      '[',
      '{',
      '}',
      ']',
      ',',
      '&a',
      '*a',
      '"',
      '#',
      '2s',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words, { maxLength: 40 }).map((list) => list.join('')),
        ),
        (text) => {
          try {
            parse(text);
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigError);
          }
        },
      ),
      randomRuns(200),
    );
  });
});

describe('loadConfig', () => {
  const file = join(folder, 'sluice.yaml');

  it('reads the given file, otherwise that of SLUICE_CONFIG', () => {
    writeFileSync(file, 'log: { level: warn }');
    expect(loadConfig({ path: file, env: {} }).log.level).toBe('warn');
    expect(loadConfig({ env: { SLUICE_CONFIG: file } }).log.level).toBe('warn');
  });

  it('names a file that does not exist', () => {
    const path = join(folder, 'missing.yaml');
    expect(() => loadConfig({ path, env: {} })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_NOT_FOUND',
        problems: [expect.objectContaining({ source: path, message: expect.stringContaining('ENOENT') })],
      }),
    );
  });

  it('fails with the gateway’s error type, with all problems in its context', () => {
    writeFileSync(file, 'demo: 1\nlog: 2');
    try {
      loadConfig({ path: file, env: {} });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      const { problems } = (error as GatewayError).context;
      expect(problems).toContain(`\n  ${file}:1:7: demo: expected`);
      expect(problems).toContain(`\n  ${file}:2:6: log: expected`);
    }
  });

  it('loads the sample in the guide', () => {
    const sample = new URL('../../../docs/guide/sluice.example.yaml', import.meta.url);
    expect(parse(readFileSync(sample, 'utf8'))).toEqual(parse(''));
  });
});
