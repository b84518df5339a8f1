/** ffmpeg's messages when a camera or the jail makes it fail, from the system's ffmpeg and from the one of 2018. */

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { CredentialUrl } from '../core/secret.ts';
import { liveCommand, type WorkerInput } from './command.ts';
import { exitReason, type WorkerExit } from './exit-reason.ts';
import { type FfmpegBinary, findFfmpeg } from './find-ffmpeg.ts';
import { createJail, type Jail } from './jail.ts';
import type { Worker } from './worker.ts';
import { WorkerPool } from './worker-pool.ts';

const installed: { readonly path: string } = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg');
/** Messages that a worker repeats forever. */
const REPEATED = /Redirecting to|Cannot allocate memory|Resource temporarily unavailable/;

/** The response to a method; null: the connection ends. */
type Answer = (method: string, cseq: string) => string | null;

const ok = (cseq: string, more = '', body = ''): string =>
  `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
const SDP = 'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nt=0 0\r\n';
const VIDEO = 'm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:v\r\n';

/** A camera with these tracks that plays nothing. */
function describing(media: string): Answer {
  return (method, cseq) => {
    if (method === 'DESCRIBE') return ok(cseq, 'Content-Type: application/sdp\r\n', SDP + media);
    const transport = 'Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n';
    return ok(cseq, method === 'SETUP' ? `Session: 1\r\n${transport}` : '');
  };
}

/** That camera, but for one method. */
function failing(failedMethod: string, response: string | null): Answer {
  return (method, cseq) => {
    if (method !== failedMethod) return describing(VIDEO)(method, cseq);
    return response === null ? null : `RTSP/1.0 ${response}\r\nCSeq: ${cseq}\r\n\r\n`;
  };
}

const CASES: readonly (readonly [title: string, code: string, answer: Answer])[] = [
  ['a password that is wrong', 'FFMPEG_CAMERA_AUTH', failing('DESCRIBE', '401 Unauthorized')],
  ['a user without the right', 'FFMPEG_CAMERA_AUTH', failing('DESCRIBE', '403 Forbidden')],
  ['a path that is wrong', 'FFMPEG_CAMERA_NOT_FOUND', failing('DESCRIBE', '404 Not Found')],
  ['too many sessions', 'FFMPEG_CAMERA_BUSY', failing('DESCRIBE', '453 Not Enough Bandwidth')],
  ['an overloaded camera', 'FFMPEG_CAMERA_BUSY', failing('DESCRIBE', '503 Service Unavailable')],
  ['no interleaved RTP', 'FFMPEG_CAMERA_TRANSPORT', failing('SETUP', '461 Unsupported transport')],
  ['a broken camera', 'FFMPEG_CAMERA_REFUSED', failing('DESCRIBE', '500 Internal Server Error')],
  ['a connection that ends', 'FFMPEG_CAMERA_PROTOCOL', failing('OPTIONS', null)],
  ['a plain camera asked for TLS', 'FFMPEG_CAMERA_TLS', () => 'RTSP/1.0 400 Bad Request\r\n\r\n'],
  ['a camera without tracks', 'FFMPEG_NO_VIDEO', describing('')],
  [
    'a camera that redirects to a file',
    'FFMPEG_CAMERA_REDIRECTED',
    failing('DESCRIBE', '302 Found\r\nLocation: file:///etc/passwd'),
  ],
];

describe.each([
  ['the system’s ffmpeg', undefined],
  ['the ffmpeg of 2018', installed.path],
])('a worker of %s', (_name, configuredPath) => {
  let binary: FfmpegBinary;
  let jail: Jail;
  let pool: WorkerPool;

  beforeAll(async () => {
    binary = await findFfmpeg({ configuredPath });
    jail = await createJail();
    pool = new WorkerPool({ maxWorkers: 4, waitTimeoutMs: 5_000, jail, clock: systemClock });
  });
  afterAll(() => pool.close());

  /** How a worker ends; one that tries again for ever is ended. */
  async function run(from: WorkerPool, input: WorkerInput, port: number | null): Promise<WorkerExit> {
    const line = liveCommand(input, { video: port === null ? 'encode' : 'copy', audio: 'off' }, binary.major);
    const network = port === null ? null : { address: '127.0.0.1', port, udp: binary.isOutdated };
    let worker: Worker | null = null;
    const onStderrLine = (text: string): void => {
      if (REPEATED.test(text)) void worker?.kill();
    };
    const spec = { ffmpegPath: binary.path, line, network, extraFd: null, onStderrLine };
    worker = await from.start(spec, new AbortController().signal);
    worker.stdout.resume();
    return worker.exited;
  }

  it.concurrent.each(CASES)('with %s ends with %s', async (_title, code, result) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined); // the worker is gone
      socket.on('data', (chunk) => {
        const text = String(chunk);
        const response = result(/^[A-Z]+/.exec(text)?.[0] ?? '', /CSeq: (\d+)/i.exec(text)?.[1] ?? '1');
        if (response === null) socket.destroy();
        else socket.write(response);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const scheme = code === 'FFMPEG_CAMERA_TLS' ? 'rtsps' : 'rtsp';
    const url = new CredentialUrl(`${scheme}://admin:hunter2@127.0.0.1:${port}/x`);
    const exit = await run(pool, { kind: 'rtsp', url, transport: 'tcp' }, port);
    server.close();
    const error = exitReason(exit);
    expect([error.code, exit.stderr]).toEqual([code, expect.anything()]);
    expect(JSON.stringify([error.context, exit.stderr])).not.toContain('hunter2');
  });

  it('with no one at the address ends with FFMPEG_CAMERA_UNREACHABLE', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const url = new CredentialUrl(`rtsp://127.0.0.1:${port}/x`);
    const error = exitReason(await run(pool, { kind: 'rtsp', url, transport: 'tcp' }, port));
    expect([error.code, error.context.errno]).toEqual(['FFMPEG_CAMERA_UNREACHABLE', 'ECONNREFUSED']);
  });

  it('that its jail gives too little memory says so, or crashes', async () => {
    // Enough to start its threads, however many cores there are: ffmpeg 5 may wait forever for those that did not start.
    const wrap: Jail['wrap'] = (...wrapped) => {
      const { command, args } = jail.wrap(...wrapped);
      return { command, args: args.with(args.indexOf('--memory-mib') + 1, binary.isOutdated ? '60' : '400') };
    };
    const small = new WorkerPool({
      maxWorkers: 1,
      waitTimeoutMs: 1,
      clock: systemClock,
      jail: { hasPictureServer: false, describe: () => jail.describe(), wrap },
    });
    const graph = 'testsrc2=size=7680x4320:rate=25[out0]';
    const error = exitReason(await run(small, { kind: 'synthetic', graph }, null));
    expect(['FFMPEG_OUT_OF_MEMORY', 'FFMPEG_CRASHED']).toContain(error.code);
    await small.close();
  });
});
