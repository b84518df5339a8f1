/** The command line as a user meets it: what it prints, and how it ends. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Secret } from '../../src/core/secret.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { Child } from '../support/child.ts';
import { type CliResult, runCli, runCliIn } from '../support/cli.ts';
import { CLIP_CACHE, type Json } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { freePort } from '../support/ports.ts';
import { startRedis } from '../support/redis.ts';
import { startCamera } from '../support/synthetic.ts';

const run = promisify(execFile);
const MAIN = resolve(import.meta.dirname, '../../src/app/main.ts');
const PASSWORD = 'open-sesame-42';

let folder: string;
let camera: SyntheticCamera;
let guarded: SyntheticCamera;
let h265: GstCamera;
let mjpeg: GstCamera;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-cli-'));
  camera = await startCamera();
  const credentials = { username: 'admin', password: new Secret(PASSWORD), algorithm: 'SHA-256' } as const;
  guarded = await startCamera(0, { credentials });
  [h265, mjpeg] = await Promise.all([startGstCamera('h265-pcmu'), startGstCamera('mjpeg-pcmu')]);
});
afterAll(async () => {
  await camera?.close();
  await guarded?.close();
  await Promise.all([h265, mjpeg].map((each) => each?.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function configFile(content: Json): Promise<string> {
  const file = join(folder, 'sluice.yaml');
  await writeFile(file, stringify({ data: join(folder, 'data'), ...content }));
  return file;
}

const withCredentials = (url: string, password: string): string =>
  url.replace('://', `://admin:${password}@`);

/** A line for a person at a terminal, not a stack trace or a data structure. */
function expectReadable({ stdout, stderr }: CliResult): void {
  expect(stdout + stderr).not.toMatch(/^\s+at /m);
  expect(stdout + stderr).not.toMatch(/^[{[]/m);
}

describe('sluice check', () => {
  it('prints one line for each stream and fails when one does not deliver', async () => {
    const file = await configFile({
      cameras: [
        { name: 'Lobby', rtsp: camera.url, substream: withCredentials(guarded.url, PASSWORD) },
        { name: 'Yard', rtsp: withCredentials(camera.url, PASSWORD), transport: 'udp' },
        { name: 'Door', rtsp: withCredentials(guarded.url, `not-${PASSWORD}`) },
        { name: 'Ghost', rtsp: `rtsp://admin:${PASSWORD}@127.0.0.1:${await freePort()}/stream` },
        { name: 'Workshop', rtsp: h265.url },
        { name: 'Workshop direct', rtsp: mjpeg.url, engine: 'direct' },
      ],
    });
    const result = await runCli('check', '--config', file, '--timeout', '8');
    expect(result.code).toBe(1);
    expectReadable(result);
    expect(result.stdout + result.stderr).not.toContain(PASSWORD);
    const lines = result.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(9);
    expect(lines[0]).toBe('Configuration is valid: 6 cameras, no NVRs, no locations.');
    expect(lines.at(-1)).toBe('4 of 7 streams work.');
    const titles = lines.slice(1, -1).map((line) => line.split('  ')[0]);
    expect(titles).toEqual(['Lobby', 'Lobby (sub)', 'Yard', 'Door', 'Ghost', 'Workshop', 'Workshop direct']);
    const textOf = (title: string) => lines.find((line) => line.startsWith(`${title}  `));
    // A busy machine reads a report late, so the camera's clock seems to be behind. How exact the reading is, stream-meter.test.ts says.
    const well =
      /^h264 320x180 25\.0 fps, aac 48000 Hz (mono|stereo), key frame every 1\.0 s, clock (?:[+−]0\.0|−0\.[1-4]) s$/;
    for (const title of ['Lobby', 'Lobby (sub)', 'Yard']) {
      expect(textOf(title)?.slice('Workshop direct'.length).trim()).toMatch(well);
    }
    expect(textOf('Door')).toMatch(
      /wrong-password 127\.0\.0\.1:\d+: The camera refused the user name or password\. \[RTSP_AUTH_FAILED\]$/,
    );
    expect(textOf('Ghost')).toMatch(
      /unreachable 127\.0\.0\.1:\d+ \(ECONNREFUSED\): The camera cannot be reached\. \[DIRECT_UNREACHABLE\]$/,
    );
    expect(textOf('Workshop')).toMatch(/ h265 640x360 25\.0 fps, audio pcmu, key frame every 2\.0 s, /);
    expect(textOf('Workshop direct')).toMatch(/unsupported .* Offers video jpeg, audio pcmu\.$/);
  });

  it('says whether Redis can be used, and what a node of a cluster needs of it', async () => {
    const redis = await startRedis();
    const check = async (content: Json) =>
      runCli('check', '--config', await configFile({ redis: redis.url, ...content }));
    try {
      const alone = await check({});
      expect([alone.code, alone.stdout]).toEqual([
        0,
        expect.stringMatching(/^Redis works: version \d+\.[\d.]+\.$/m),
      ]);
      const client = new Redis(redis.url);
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      expect((await check({})).code).toBe(0);
      const database = `postgres://127.0.0.1:${await freePort()}/sluice`;
      const node = await check({ database, cluster: { secret: 'x'.repeat(32) } });
      expect([node.code, node.stdout]).toEqual([
        1,
        expect.stringContaining('is allkeys-lru. Set noeviction.'),
      ]);
      await client.config('SET', 'requirepass', PASSWORD);
      client.disconnect();
      const refused = await check({});
      expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('NOAUTH')]);
    } finally {
      await redis.stop();
    }
    const gone = await check({});
    expect([gone.code, gone.stdout]).toEqual([
      1,
      expect.stringMatching(/^The Redis server .* ECONNREFUSED .* \[COUNTERS_REDIS_UNUSABLE\]$/m),
    ]);
    expectReadable(gone);
  });

  it('shows its progress on a terminal, and ends with 0 when all deliver', async () => {
    const file = await configFile({ cameras: [{ name: 'Lobby', rtsp: camera.url }] });
    const command = [process.execPath, MAIN, 'check', '--config', file].join(' ');
    const { stdout } = await run('script', ['--quiet', '--return', '--command', command, '/dev/null']);
    expect(stdout).toContain('probing 0/1');
    expect(stdout).toContain('1 of 1 stream works.');
  });

  it.each([
    ['a key that does not exist', { hls: { segmntTarget: '1s' } }, 'hls.segmntTarget'],
    ['a wrong value', { ffmpeg: { maxWorkers: 'many' } }, 'ffmpeg.maxWorkers'],
    [
      'a URL of the wrong kind',
      { cameras: [{ name: 'Lobby', rtsp: `ftp://admin:${PASSWORD}@127.0.0.1/` }] },
      'cameras[0].rtsp',
    ],
    [
      'a URL that is none',
      { cameras: [{ name: 'Lobby', rtsp: `rtsp://admin:${PASSWORD}@[127.0.0.1/` }] },
      'cameras[0].rtsp',
    ],
    [
      'a name that is taken',
      { cameras: Array(2).fill({ name: 'Lobby', rtsp: 'rtsp://127.0.0.1/' }) },
      'cameras[1].name',
    ],
  ])('names the field of %s', async (_what, content, field) => {
    const result = await runCli('check', '--config', await configFile(content));
    expect(result.code).toBe(1);
    expectReadable(result);
    expect(result.stderr).toContain(field);
    expect(result.stderr).toMatch(/sluice\.yaml:\d+:\d+/);
    expect(result.stdout + result.stderr).not.toContain(PASSWORD);
  });

  it('says that no file was found, and where it looked', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'sluice-empty-'));
    try {
      const result = await runCliIn(empty, 'check');
      expect(result.code).toBe(0);
      expect(result.stdout).toContain(`No configuration file: ${join(empty, 'sluice.yaml')} does not exist`);
      expect(result.stdout).toContain('Configuration is valid: no cameras, no NVRs, no locations.');
      const named = await runCliIn(empty, 'check', '--config', await configFile({}));
      expect(named.stdout).not.toContain('No configuration file');
    } finally {
      await rm(empty, { recursive: true, force: true });
    }
  });

  it('says which file is missing', async () => {
    const result = await runCli('check', '--config', '/nowhere/sluice.yaml');
    expect(result.code).toBe(1);
    expectReadable(result);
    expect(result.stderr).toContain('/nowhere/sluice.yaml');
  });
});

describe('sluice keys', () => {
  it('makes, lists and revokes keys while no gateway runs', async () => {
    const file = await configFile({});
    const keys = (...args: string[]) => runCli('keys', ...args, '--config', file);
    const made = await keys('make', '--name', 'video wall');
    const partner = await keys('make', '--name', 'reseller', '--scheme', 'partner-api');
    expect([made.code, partner.code]).toEqual([0, 0]);
    expect(made.stdout).toMatch(/^\S{40,}\n$/);
    const uuid = /\(([\w-]{22})\)/.exec(made.stderr)![1]!;
    const listed = await keys('list');
    const lines = listed.stdout.trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${uuid}  api .*  active .*  video wall$`)),
      expect.stringMatching(/^[\w-]{22} {2}partner-api .* {2}active .* {2}reseller$/),
    ]);
    expect(listed.stdout).not.toContain(made.stdout.trim());
    expect((await keys('revoke', uuid)).code).toBe(0);
    expect((await keys('list')).stdout).toMatch(new RegExp(`^${uuid}  api .*  revoked .*  video wall$`, 'm'));
  });

  it.each([
    [['keys'], 'make, list or revoke'],
    [['keys', 'lst'], 'didYouMean: list'],
    [['keys', 'revoke'], 'UUID'],
    [['keys', 'revoke', 'AAAAAAAAAAAAAAAAAAAAAA'], 'UUID'],
    [['keys', 'make', '--scheme', 'root'], '--scheme'],
  ])('refuses %j and says what it takes', async (args, hint) => {
    const result = await runCli(...args, '--config', await configFile({}));
    expect(result.code).toBe(2);
    expectReadable(result);
    expect(result.stderr).toContain(hint);
  });
});

describe('help', () => {
  it('lists the commands', async () => {
    const requested = await runCli('--help');
    expect([requested.code, requested.stderr]).toEqual([0, '']);
    for (const command of ['serve', 'camera', 'keys', 'upload', 'check', 'discover']) {
      expect(requested.stdout).toMatch(new RegExp(`^  ${command} +\\S`, 'm'));
    }
    const bare = await runCli();
    expect([bare.code, bare.stdout]).toEqual([2, requested.stdout]);
  });

  it.each(['serve', 'camera', 'keys', 'upload', 'check', 'discover'])(
    'of %s has every option and an example',
    async (command) => {
      const { code, stdout } = await runCli(command, '--help');
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^sluice ${command}: `));
      expect(stdout).toMatch(/^Options\n {2}--/m);
      expect(stdout).toMatch(new RegExp(`^Examples?\\n(.*\\n)*? .*sluice ${command}`, 'm'));
    },
  );

  it.each([
    [['sing'], 'sing'],
    [['sevre'], 'Did you mean "serve"?'],
    [['--verison'], 'Did you mean "--version"?'],
    [['serve', '--port', '80'], '--port'],
    [['serve', '--confg', 'x'], 'Did you mean "--config"?'],
    [['check', 'sluice.yaml'], '--config sluice.yaml'],
    [['check', '--timeout', 'soon'], '--timeout'],
    [['camera', '--size', '13x7'], '--size'],
    [['camera', '--codec', 'h266'], '--codec'],
    [['camera', '--listen', 'here'], '--listen'],
  ])('is pointed to by what is wrong with %j', async (args, culprit) => {
    const result = await runCli(...args);
    expect(result.code).toBe(2);
    expectReadable(result);
    expect(result.stderr).toContain(culprit);
    expect(result.stderr).toContain('--help');
  });

  it.each(['--version', '-V', 'version'])('is not what %s prints', async (word) => {
    const { version } = JSON.parse(
      await readFile(resolve(import.meta.dirname, '../../package.json'), 'utf8'),
    );
    expect(await runCli(word)).toEqual({ code: 0, stdout: `sluice ${version}\n`, stderr: '' });
  });
});

describe('sluice camera', () => {
  const OPTIONS = ['--listen', '127.0.0.1:0', '--size', '320x180', '--gop', '1', '--kbps', '400'];

  async function probe(url: string, transport: string): Promise<string[]> {
    const args = ['-v', 'error', '-rtsp_transport', transport, '-show_streams', '-of', 'json', url];
    const { streams } = JSON.parse((await run('ffprobe', args, { timeout: 60_000 })).stdout);
    return streams.map((stream: Json) => `${stream.codec_name} ${stream.width ?? stream.sample_rate}`);
  }

  async function started(...more: string[]): Promise<{ child: Child; url: string }> {
    const env = { SLUICE_CLIP_CACHE: CLIP_CACHE, SLUICE_CAMERA_PASSWORD: PASSWORD };
    const child = new Child(process.execPath, [MAIN, 'camera', ...OPTIONS, ...more], env);
    return { child, url: await child.line(/^rtsp:\/\//) };
  }

  it('serves any client over TCP and UDP until it is told to stop', async () => {
    const { child, url } = await started();
    try {
      expect(url).toMatch(/^rtsp:\/\/127\.0\.0\.1:\d+\/stream$/);
      const probes = ['tcp', 'udp'].map((transport) => probe(url, transport));
      for (const streams of await Promise.all(probes)) expect(streams).toEqual(['h264 320', 'aac 48000']);
    } finally {
      await child.end();
    }
    expect(child.process.exitCode).toBe(0);
  });

  it('asks for a password when told to', async () => {
    const { child, url } = await started('--user', 'admin', '--path', '/gate', '--no-audio');
    try {
      await expect(probe(url, 'tcp')).rejects.toThrow('401 Unauthorized');
      await expect(probe(withCredentials(url, 'guess'), 'tcp')).rejects.toThrow('401 Unauthorized');
      expect(url).toMatch(/\/gate$/);
      expect(await probe(withCredentials(url, PASSWORD), 'tcp')).toEqual(['h264 320']);
      expect(await probe(withCredentials(url, PASSWORD), 'udp')).toEqual(['h264 320']);
      expect(child.lines.join('\n')).not.toContain(PASSWORD);
    } finally {
      await child.end();
    }
  });

  it('does not ask for a password it does not know', async () => {
    const result = await runCli('camera', ...OPTIONS, '--user', 'admin');
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('SLUICE_CAMERA_PASSWORD');
  });
});
