/**
 * One RTSP connection of the synthetic camera (RFC 2326): DESCRIBE, SETUP of one or both tracks over the connection
 * or UDP, PLAY, PAUSE, keep-alive, TEARDOWN, with Digest authentication when asked for.
 */

import { randomBytes } from 'node:crypto';
import dgram from 'node:dgram';
import type { Socket } from 'node:net';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { buildDigestChallenge, type Credentials, verifyDigest } from '../../rtsp/auth.ts';
import type { RtspHeaderField } from '../../rtsp/headers.ts';
import type { RtspRequest } from '../../rtsp/message.ts';
import { RtspMessageReader, type RtspMessageSink } from '../../rtsp/message-reader.ts';
import { writeResponse } from '../../rtsp/message-writer.ts';
import { parseTransports, type Transport } from '../../rtsp/transport.ts';
import type { Clip } from './clip.ts';
import { ClipPlayer, type TrackOutput } from './clip-player.ts';
import { type ClipTemplates, type FrameTemplate, packetsOf } from './rtp-templates.ts';
import { writeSessionDescription } from './session-description.ts';

/** What all clients of a camera share. */
export interface CameraContext {
  readonly clip: Clip;
  readonly templates: ClipTemplates;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly startMonoMs: number;
  readonly credentials: (Credentials & { readonly algorithm: 'MD5' | 'SHA-256' }) | null;
}

const REALM = 'Sluice synthetic camera';
const METHODS = 'OPTIONS, DESCRIBE, SETUP, PLAY, PAUSE, GET_PARAMETER, SET_PARAMETER, TEARDOWN';
const SESSION_TIMEOUT_SEC = 60;
/** A client that does not read its media is cut off once this much waits for it. */
const MAX_UNSENT_BYTES = 8 * 1_024 * 1_024;
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  454: 'Session Not Found',
  455: 'Method Not Valid In This State',
  461: 'Unsupported Transport',
  501: 'Not Implemented',
};

type TrackName = 'video' | 'audio';

/** What a method answers, and what happens once the answer is on its way. */
interface Reply {
  readonly status: number;
  readonly fields?: readonly RtspHeaderField[];
  readonly body?: string;
  readonly afterwards?: () => void;
}

export class CameraClient implements RtspMessageSink {
  readonly #socket: Socket;
  readonly #context: CameraContext;
  readonly #reader = new RtspMessageReader(this);
  readonly #nonce = randomBytes(16).toString('hex');
  readonly #sessionId = randomBytes(8).toString('hex');
  readonly #outputs = new Map<TrackName, TrackOutput & { close(): void }>();
  #player: ClipPlayer | null = null;
  #isSetUp = false;
  #sessionTimer: TimerHandle | null = null;

  constructor(socket: Socket, context: CameraContext) {
    this.#socket = socket;
    this.#context = context;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#onBytes(chunk));
    socket.on('close', () => this.#release());
    // The close event that follows is all that matters.
    socket.on('error', () => undefined);
  }

  get isPlaying(): boolean {
    return this.#player !== null;
  }

  close(): void {
    this.#socket.destroy();
  }

  onResponse(): void {
    this.close();
  }

  /** Receiver Reports and other RTCP of the client: nothing here depends on them. */
  onInterleaved(): void {
    this.#touch();
  }

  onRequest(request: RtspRequest): void {
    this.#touch();
    if (this.#context.credentials !== null && request.method !== 'OPTIONS' && !this.#isAuthorised(request)) {
      const { algorithm } = this.#context.credentials;
      const challenge = buildDigestChallenge(REALM, this.#nonce, algorithm, 'auth');
      this.#answer(request, { status: 401, fields: [['WWW-Authenticate', challenge]] });
      return;
    }
    void this.#serve(request).catch((thrown) => {
      this.#context.log.warn({ err: toGatewayError(thrown) }, 'synthetic camera dropped a client');
      this.close();
    });
  }

  async #serve(request: RtspRequest): Promise<void> {
    const reply = await this.#reply(request);
    this.#answer(request, reply);
    reply.afterwards?.();
  }

  #reply(request: RtspRequest): Reply | Promise<Reply> {
    switch (request.method) {
      case 'OPTIONS':
        return { status: 200, fields: [['Public', METHODS]] };
      case 'DESCRIBE':
        return this.#describe(request);
      case 'SETUP':
        return this.#setUp(request);
      case 'PLAY':
        return this.#play(request);
      case 'PAUSE':
        this.#stopPlaying();
        return { status: 200, fields: [['Session', this.#sessionId]] };
      case 'GET_PARAMETER':
      case 'SET_PARAMETER':
        return { status: 200, fields: this.#isSetUp ? [['Session', this.#sessionId]] : [] };
      case 'TEARDOWN':
        return { status: 200, afterwards: () => this.#socket.end() };
      default:
        return { status: 501, fields: [['Public', METHODS]] };
    }
  }

  #describe(request: RtspRequest): Reply {
    if (this.#trackOf(request.uri) === null) return { status: 404 };
    const base = `${request.uri.replace(/\/$/, '')}/`;
    const fields: RtspHeaderField[] = [
      ['Content-Base', base],
      ['Content-Type', 'application/sdp'],
    ];
    return { status: 200, fields, body: writeSessionDescription(this.#context.clip) };
  }

  async #setUp(request: RtspRequest): Promise<Reply> {
    const track = this.#trackOf(request.uri);
    if (track === null || track === 'all') return { status: 404 };
    if (this.#player !== null) return { status: 455 };
    const transport = parseTransports(request.headers.get('Transport') ?? '').find(isUsable);
    if (transport === undefined) return { status: 461 };
    this.#outputs.get(track)?.close();
    const answer =
      transport.lower === 'tcp' ? this.#setUpTcp(track, transport) : await this.#setUpUdp(track, transport);
    this.#isSetUp = true;
    const session = `${this.#sessionId};timeout=${SESSION_TIMEOUT_SEC}`;
    const fields: RtspHeaderField[] = [
      ['Transport', answer],
      ['Session', session],
    ];
    return { status: 200, fields };
  }

  #setUpTcp(track: TrackName, transport: Transport): string {
    const { rtp, rtcp } = transport.interleaved ?? {
      rtp: this.#outputs.size * 2,
      rtcp: this.#outputs.size * 2 + 1,
    };
    this.#outputs.set(track, {
      channel: rtp,
      sendFrame: (_template, stamped) => this.#write(stamped),
      sendRtcp: (packet) => this.#write(interleave(rtcp, packet)),
      close: () => undefined,
    });
    return `RTP/AVP/TCP;unicast;interleaved=${rtp}-${rtcp}`;
  }

  async #setUpUdp(track: TrackName, transport: Transport): Promise<string> {
    const client = transport.clientPort!;
    const address = this.#socket.remoteAddress ?? '127.0.0.1';
    const [rtp, rtcp] = await Promise.all([openUdp(this.#socket), openUdp(this.#socket)]);
    const send = (socket: dgram.Socket, packet: Buffer, port: number) =>
      // A datagram that cannot be sent is lost, as datagrams may be.
      socket.send(packet, port, address, () => undefined);
    this.#outputs.set(track, {
      channel: 0,
      sendFrame: (template: FrameTemplate, stamped: Buffer) => {
        for (const packet of packetsOf(template, stamped)) send(rtp, packet, client.rtp);
      },
      sendRtcp: (packet) => send(rtcp, packet, client.rtcp),
      close: () => {
        rtp.close();
        rtcp.close();
      },
    });
    const server = `server_port=${rtp.address().port}-${rtcp.address().port}`;
    return `RTP/AVP;unicast;client_port=${client.rtp}-${client.rtcp};${server}`;
  }

  #play(request: RtspRequest): Reply {
    if (!this.#isSetUp) return { status: 455 };
    if (request.headers.get('Session')?.split(';')[0] !== this.#sessionId) return { status: 454 };
    this.#stopPlaying();
    const { clip, templates, clock, startMonoMs } = this.#context;
    const video = this.#outputs.get('video') ?? null;
    const audio = this.#outputs.get('audio') ?? null;
    const player = new ClipPlayer({ clip, templates, clock, startMonoMs, video, audio });
    this.#player = player;
    const base = request.uri.replace(/\/$/, '');
    const infos = [
      { name: 'video', start: player.videoStart() },
      { name: 'audio', start: player.audioStart() },
    ].flatMap(({ name, start }) =>
      start === null ? [] : [`url=${base}/${name};seq=${start.sequenceNumber};rtptime=${start.rtpTimestamp}`],
    );
    const fields: RtspHeaderField[] = [
      ['Session', this.#sessionId],
      ['Range', 'npt=now-'],
      ['RTP-Info', infos.join(',')],
    ];
    return { status: 200, fields, afterwards: () => player.play() };
  }

  /** `all` for the camera itself; query strings and a trailing slash do not matter. */
  #trackOf(uri: string): TrackName | 'all' | null {
    const path = (URL.canParse(uri) ? new URL(uri).pathname : uri).replace(/\/$/, '');
    if (path === this.#context.path) return 'all';
    if (path === `${this.#context.path}/video`) return 'video';
    return path === `${this.#context.path}/audio` && this.#context.clip.audio !== null ? 'audio' : null;
  }

  #isAuthorised(request: RtspRequest): boolean {
    const { credentials } = this.#context;
    const authorization = request.headers.get('Authorization');
    if (credentials === null) return true;
    if (authorization === null) return false;
    const { method, uri } = request;
    const { algorithm } = credentials;
    const expected = {
      method,
      uri,
      realm: REALM,
      nonce: this.#nonce,
      algorithm,
      qop: 'auth' as const,
      credentials,
    };
    return verifyDigest(authorization, expected);
  }

  #answer(request: RtspRequest, reply: Reply): void {
    const { status, fields = [], body = '' } = reply;
    const cseq = request.headers.get('CSeq');
    const all: RtspHeaderField[] = [...(cseq === null ? [] : [['CSeq', cseq] as const]), ...fields];
    this.#write(writeResponse(status, REASONS[status]!, all, body));
  }

  #write(bytes: Buffer): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(bytes);
    if (this.#socket.writableLength <= MAX_UNSENT_BYTES) return;
    this.#context.log.warn(
      { unsentBytes: this.#socket.writableLength },
      'synthetic camera cut off a slow client',
    );
    this.close();
  }

  #onBytes(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
    } catch (thrown) {
      this.#context.log.debug(
        { err: toGatewayError(thrown) },
        'synthetic camera cut off a client that speaks no RTSP',
      );
      this.close();
    }
  }

  /** A session whose client is silent for its time-out ends (RFC 2326 §12.37). */
  #touch(): void {
    this.#sessionTimer?.cancel();
    this.#sessionTimer = this.#context.clock.after(SESSION_TIMEOUT_SEC * 1_000, () => this.close());
  }

  #stopPlaying(): void {
    this.#player?.stop();
    this.#player = null;
  }

  #release(): void {
    this.#stopPlaying();
    this.#sessionTimer?.cancel();
    for (const output of this.#outputs.values()) output.close();
    this.#outputs.clear();
  }
}

function isUsable(transport: Transport): boolean {
  if (transport.isMulticast) return false;
  return transport.lower === 'tcp' || transport.clientPort !== null;
}

function interleave(channel: number, packet: Buffer): Buffer {
  const header = Buffer.from([0x24, channel, packet.length >> 8, packet.length & 0xff]);
  return Buffer.concat([header, packet]);
}

async function openUdp(rtspSocket: Socket): Promise<dgram.Socket> {
  const socket = dgram.createSocket(rtspSocket.remoteFamily === 'IPv6' ? 'udp6' : 'udp4');
  // What the client sends (holes in firewalls, Receiver Reports) needs no answer; errors surface in lost packets.
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.bind({ port: 0, address: rtspSocket.localAddress }, resolve));
  return socket;
}
