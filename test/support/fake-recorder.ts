/**
 * A video recorder on loopback: Hikvision's, Dahua's, or an ONVIF one, with the faults of real ones. The frame that was recorded at an
 * instant has the number that follows from it, so a test knows what it must get.
 *
 * Longer than 500 lines: three protocols over one disk.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Secret } from '../../src/core/secret.ts';
import { packetizeH264 } from '../../src/rtp/h264/h264-packetizer.ts';
import { packetizeH265 } from '../../src/rtp/h265/h265-packetizer.ts';
import { writeRtpHeader } from '../../src/rtp/rtp-header-writer.ts';
import { buildDigestChallenge, verifyDigest } from '../../src/rtsp/auth.ts';
import { cseqOf, type RtspHeaderField } from '../../src/rtsp/headers.ts';
import type { RtspRequest } from '../../src/rtsp/message.ts';
import { RtspMessageReader } from '../../src/rtsp/message-reader.ts';
import { writeResponse } from '../../src/rtsp/message-writer.ts';
import type { Clip, PcmuSound } from '../../src/synthetic-camera/clip.ts';
import { describeClip, trackControl } from '../../src/synthetic-camera/clip-description.ts';
import { PCMU_PAYLOAD_TYPE } from '../../src/synthetic-camera/clip-packets.ts';

/** True time, epoch milliseconds. */
export interface RecordedTime {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RecorderHabits {
  /** How far its clock is ahead of the true time, without its zone. */
  readonly clockAheadMs?: number;
  /** Its time zone, ahead of UTC. Hikvision and Dahua write local times. */
  readonly zoneMs?: number;
  /** Hikvision: its times are UTC. */
  readonly writesUtc?: boolean;
  /** Ends each session after so much recorded time. */
  readonly stopsAfterMs?: number;
  /** Plays from its first recording, whatever is requested. */
  readonly ignoresStart?: boolean;
  /** Plays on after the requested end. */
  readonly ignoresEnd?: boolean;
  /** How the end of a recording shows. Default: RTCP BYE. */
  readonly ends?: 'bye' | 'close' | 'silence';
  /** Recorded time per time. Default: as fast as the network takes it. */
  readonly speed?: number;
  /** Further sessions get 453. Default: any number. */
  readonly maxSessions?: number;
  /** Before each response over HTTP. */
  readonly slowMs?: number;
  /** Replaces all responses over HTTP. */
  readonly httpText?: string;
  /** Never responds over HTTP. */
  readonly isHttpSilent?: boolean;
  /** Accepts RTSP connections and says nothing. */
  readonly isRtspSilent?: boolean;
  /** Lists, and plays nothing. */
  readonly playsNothing?: boolean;
  /** ONVIF: knows no events of tracks. */
  readonly hasNoEvents?: boolean;
}

export const RECORDER_LOGIN = { username: 'admin', password: 'a#b/c' };
const REALM = 'recorder';
const NTP_TO_EPOCH_SEC = 2_208_988_800;
const VIDEO = 96;
const CLOCK_HZ = 90_000;
const MAX_PAYLOAD = 1_400;
const PAGE = 40;

interface Playback {
  readonly fromMs: number;
  readonly toMs: number;
  readonly hasTimes: boolean;
}

export class FakeRecorder {
  /** The URLs of DESCRIBE requests, and the ranges of PLAY requests, in order. */
  readonly requested: string[] = [];
  /** Paths of requests over HTTP. */
  readonly paths: string[] = [];
  /** Sessions that play now, and the most at the same time. */
  sessions = 0;
  mostSessions = 0;
  habits: RecorderHabits;
  readonly #clip: Clip;
  readonly #spans: readonly RecordedTime[];
  readonly #rtsp: net.Server;
  readonly #http: Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #nonce = randomBytes(16).toString('hex');
  #finders = 8_136;
  readonly #searches = new Map<string, RecordedTime>();

  private constructor(clip: Clip, spans: readonly RecordedTime[], habits: RecorderHabits) {
    this.#clip = clip;
    this.#spans = spans;
    this.habits = habits;
    this.#rtsp = net.createServer((socket) => this.#accept(socket));
    this.#http = createServer((request, response) => void this.#respondHttp(request, response));
  }

  /** `clip`: its video is what is recorded at any time. */
  static async start(
    clip: Clip,
    spans: readonly RecordedTime[],
    habits: RecorderHabits = {},
  ): Promise<FakeRecorder> {
    const recorder = new FakeRecorder(clip, spans, habits);
    recorder.#rtsp.listen(0, '127.0.0.1');
    recorder.#http.listen(0, '127.0.0.1');
    await Promise.all([once(recorder.#rtsp, 'listening'), once(recorder.#http, 'listening')]);
    return recorder;
  }

  get rtspPort(): number {
    return (this.#rtsp.address() as AddressInfo).port;
  }

  get rtspUrl(): string {
    return `rtsp://${this.#login}@127.0.0.1:${this.rtspPort}`;
  }

  get httpUrl(): string {
    return `http://${this.#login}@127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** The number that the frame shows that was recorded at this time. */
  numberAt(trueMs: number): number {
    return this.#indexAt(trueMs) % this.#clip.pictures.length;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#http.closeAllConnections();
    await Promise.all([
      new Promise((resolve) => this.#rtsp.close(resolve)),
      new Promise((resolve) => this.#http.close(resolve)),
    ]);
  }

  get #login(): string {
    const { username, password } = RECORDER_LOGIN;
    return `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  }

  get #aheadMs(): number {
    return this.habits.clockAheadMs ?? 0;
  }

  /** How far the times in its lists and URLs are ahead of the true time. */
  get #writtenAheadMs(): number {
    const { zoneMs = 0, writesUtc = false } = this.habits;
    return this.#aheadMs + (writesUtc ? 0 : zoneMs);
  }

  #indexAt(trueMs: number): number {
    return Math.round((trueMs * this.#clip.fps) / 1_000);
  }

  #timeOf(index: number): number {
    return (index * 1_000) / this.#clip.fps;
  }

  #isKey(index: number): boolean {
    return this.#clip.pictures[index % this.#clip.pictures.length]!.isKey;
  }

  #accept(socket: net.Socket): void {
    this.#sockets.add(socket);
    const session = {
      id: randomBytes(4).toString('hex'),
      playback: null as Playback | null,
      isPlaying: false,
    };
    const reader = new RtspMessageReader({
      onRequest: (request) => this.#respondRtsp(socket, session, request),
      onResponse: () => undefined,
      onInterleaved: () => undefined,
    });
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      if (!this.habits.isRtspSilent) reader.push(chunk);
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (session.isPlaying) this.sessions--;
      session.isPlaying = false;
    });
  }

  #respondRtsp(
    socket: net.Socket,
    session: { readonly id: string; playback: Playback | null; isPlaying: boolean },
    request: RtspRequest,
  ): void {
    const fields: RtspHeaderField[] = [['CSeq', String(cseqOf(request.headers) ?? 0)]];
    const send = (status: number, reason: string, more: readonly RtspHeaderField[] = [], body = ''): void => {
      socket.write(writeResponse(status, reason, [...fields, ...more], body));
    };
    const methods = 'OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN';
    if (request.method === 'OPTIONS') {
      send(200, 'OK', [['Public', methods]]);
      return;
    }
    if (!this.#isLoggedIn(request.method, request.uri, request.headers.get('Authorization'))) {
      send(401, 'Unauthorized', [
        ['WWW-Authenticate', buildDigestChallenge(REALM, this.#nonce, 'MD5', 'auth')],
      ]);
      return;
    }
    const own: RtspHeaderField = ['Session', `${session.id};timeout=60`];
    if (request.method === 'DESCRIBE') {
      const url = new URL(request.uri);
      this.requested.push(`${url.pathname}${url.search}`);
      const { maxSessions = Number.POSITIVE_INFINITY } = this.habits;
      if (this.sessions >= maxSessions) {
        send(453, 'Not Enough Bandwidth');
        return;
      }
      session.playback = this.#playbackOf(url);
      if (session.playback === null) {
        send(404, 'Not Found');
        return;
      }
      const base = `${request.uri.replace(/[?#].*$/, '')}/`;
      const sdp = describeClip({ ...this.#clip, audio: this.#sound }, '127.0.0.1');
      send(
        200,
        'OK',
        [
          ['Content-Base', base],
          ['Content-Type', 'application/sdp'],
        ],
        sdp,
      );
    } else if (request.method === 'SETUP') {
      const track = request.uri.endsWith(trackControl(1)) ? 1 : 0;
      const channels = `${2 * track}-${2 * track + 1}`;
      send(200, 'OK', [own, ['Transport', `RTP/AVP/TCP;unicast;interleaved=${channels}`]]);
    } else if (request.method === 'PLAY') {
      const range = request.headers.get('Range') ?? '';
      this.requested.push(range);
      const clock = /clock=([^-]+)-(.*)$/.exec(range);
      const isReplay = request.headers.get('Require') === 'onvif-replay';
      if (clock !== null && session.playback!.hasTimes) {
        const [fromMs, toMs] = [
          this.#trueOf(clock[1]!),
          clock[2] === '' ? Number.POSITIVE_INFINITY : this.#trueOf(clock[2]!),
        ];
        session.playback = { fromMs, toMs, hasTimes: true };
      }
      const first = this.#firstOf(session.playback!);
      if (first === null) {
        send(457, 'Invalid Range', [own]);
        return;
      }
      const played =
        session.playback!.hasTimes && !isReplay ? [['Range', `clock=${this.#written(first)}-`] as const] : [];
      send(200, 'OK', [own, ...played]);
      session.isPlaying = true;
      this.sessions++;
      this.mostSessions = Math.max(this.mostSessions, this.sessions);
      void this.#play(socket, session.playback!, isReplay, () => session.isPlaying);
    } else if (request.method === 'TEARDOWN') {
      if (session.isPlaying) this.sessions--;
      session.isPlaying = false;
      send(200, 'OK', [own]);
    } else send(200, 'OK', [own]);
  }

  #isLoggedIn(method: string, uri: string, authorization: string | null): boolean {
    if (authorization === null) return false;
    const { username, password } = RECORDER_LOGIN;
    return verifyDigest(authorization, {
      method,
      uri,
      realm: REALM,
      nonce: this.#nonce,
      algorithm: 'MD5',
      qop: 'auth',
      credentials: { username, password: new Secret(password) },
    });
  }

  /** null: there is no such recording. */
  #playbackOf(url: URL): Playback | null {
    const start = url.searchParams.get('starttime');
    const end = url.searchParams.get('endtime');
    if (url.pathname.startsWith('/Streaming/tracks/') || url.pathname === '/cam/playback') {
      const fromMs = start === null ? Number.NEGATIVE_INFINITY : this.#trueOf(start.replaceAll('_', ''));
      return {
        fromMs,
        toMs: end === null ? Number.POSITIVE_INFINITY : this.#trueOf(end.replaceAll('_', '')),
        hasTimes: false,
      };
    }
    const isReplay = url.pathname.startsWith('/replay') || url.pathname.startsWith('/recorded');
    return isReplay
      ? { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY, hasTimes: true }
      : null;
  }

  /** The true time of one that it was sent. */
  #trueOf(text: string): number {
    const match = /^(\d{4})(\d{2})(\d{2})T?(\d{2})(\d{2})(\d{2})(?:\.(\d+))?/i.exec(
      text.replaceAll(/[-:]/g, ''),
    );
    if (match === null) return Number.NaN;
    const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as number[];
    const ms = match[7] === undefined ? 0 : Math.round(Number(`0.${match[7]}`) * 1_000);
    const ahead = /^\d{8}T/i.test(text) && match[7] !== undefined ? this.#aheadMs : this.#writtenAheadMs;
    return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) + ms - ahead;
  }

  #written(index: number): string {
    return new Date(this.#timeOf(index) + this.#aheadMs).toISOString().replaceAll(/[-:]/g, '');
  }

  /** The key frame that is played first; null: nothing is recorded then. */
  #firstOf({ fromMs }: Playback): number | null {
    const startMs = this.habits.ignoresStart ? this.#spans[0]!.fromMs : fromMs;
    const span = this.#spans.find(({ toMs }) => toMs > startMs);
    if (span === undefined || this.habits.playsNothing) return null;
    let index = this.#indexAt(Math.max(startMs, span.fromMs));
    const earliest = Math.ceil((span.fromMs * this.#clip.fps) / 1_000);
    while (index > earliest && !this.#isKey(index)) index--;
    while (!this.#isKey(index)) index++;
    return index;
  }

  async #play(
    socket: net.Socket,
    playback: Playback,
    isReplay: boolean,
    isWanted: () => boolean,
  ): Promise<void> {
    const {
      speed = Number.POSITIVE_INFINITY,
      stopsAfterMs = Number.POSITIVE_INFINITY,
      ignoresEnd,
      ends = 'bye',
    } = this.habits;
    const first = this.#firstOf(playback)!;
    const startedMs = performance.now();
    let sequence = 0;
    let soundSequence = 0;
    let sent = 0;
    for (let index = first; isWanted() && !socket.destroyed; index++) {
      const timeMs = this.#timeOf(index);
      if (!ignoresEnd && timeMs >= playback.toMs) break;
      const span = this.#spans.find(({ fromMs, toMs }) => timeMs >= fromMs && timeMs < toMs);
      if (span === undefined) {
        const next = this.#spans.find(({ fromMs }) => fromMs > timeMs);
        if (next === undefined) break;
        index = this.#firstOf({ ...playback, fromMs: next.fromMs })! - 1;
        continue;
      }
      if ((sent * 1_000) / this.#clip.fps >= stopsAfterMs) break;
      // Vendors' timestamps go on over gaps; ONVIF's frames carry their time.
      const rtpTimestamp = Math.round(((isReplay ? index - first : sent) * CLOCK_HZ) / this.#clip.fps);
      const packets = this.#packets(index, sequence, rtpTimestamp, isReplay ? timeMs + this.#aheadMs : null);
      sequence += packets.length;
      const played = isReplay ? index - first : sent;
      const sound = this.#soundPackets(
        index,
        soundSequence,
        played,
        isReplay ? timeMs + this.#aheadMs : null,
      );
      soundSequence += sound.length;
      const isFull = !socket.write(Buffer.concat([...packets, ...sound]));
      sent++;
      if (isFull) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
      const dueMs = startedMs + (sent * 1_000) / this.#clip.fps / speed;
      const aheadMs = dueMs - performance.now();
      if (aheadMs > 5) await new Promise((resolve) => setTimeout(resolve, aheadMs));
      else if (sent % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    if (!isWanted() || socket.destroyed) return;
    if (ends === 'close') socket.end();
    else if (ends === 'bye') socket.write(Buffer.from([0x24, 1, 0, 8, 0x81, 203, 0, 1, 0, 0, 0, 1]));
  }

  /** G.711, if the clip has it. */
  get #sound(): PcmuSound | null {
    const { audio } = this.#clip;
    return audio !== null && 'encoding' in audio ? audio : null;
  }

  /** The sound of a picture, as `#packets`. `played`: pictures before it. */
  #soundPackets(index: number, firstSequence: number, played: number, ntpMs: number | null): Buffer[] {
    const sound = this.#sound;
    if (sound === null) return [];
    const { frames, samplesPerFrame, sampleRateHz } = sound;
    const perPicture = sampleRateHz / samplesPerFrame / this.#clip.fps;
    return Array.from({ length: perPicture }, (_, k) => {
      const payload = frames[(index * perPicture + k) % frames.length]!;
      const rtpTimestamp = (played * perPicture + k) * samplesPerFrame;
      const extension = ntpMs !== null && k === 0 ? ntpExtension(ntpMs, false) : Buffer.alloc(0);
      const header = Buffer.alloc(12);
      writeRtpHeader(header, 0, PCMU_PAYLOAD_TYPE, false, firstSequence + k, rtpTimestamp >>> 0, 2);
      if (extension.length > 0) header[0] = header[0]! | 0x10;
      const length = header.length + extension.length + payload.length;
      return Buffer.concat([Buffer.from([0x24, 2, length >> 8, length & 0xff]), header, extension, payload]);
    });
  }

  /** Interleaved. `ntpMs`: in a header extension; null: there is none. */
  #packets(index: number, firstSequence: number, rtpTimestamp: number, ntpMs: number | null): Buffer[] {
    const picture = this.#clip.pictures[index % this.#clip.pictures.length]!;
    const payloads =
      this.#clip.vps === undefined
        ? packetizeH264(picture.nalus, MAX_PAYLOAD, 'stap-a')
        : packetizeH265(picture.nalus, MAX_PAYLOAD, 'ap');
    return payloads.map((payload, at) => {
      const extension = ntpMs !== null && at === 0 ? ntpExtension(ntpMs, picture.isKey) : Buffer.alloc(0);
      const header = Buffer.alloc(12);
      const isLast = at === payloads.length - 1;
      writeRtpHeader(header, 0, VIDEO, isLast, firstSequence + at, rtpTimestamp >>> 0, 1);
      if (extension.length > 0) header[0] = header[0]! | 0x10;
      const length = header.length + extension.length + payload.length;
      return Buffer.concat([Buffer.from([0x24, 0, length >> 8, length & 0xff]), header, extension, payload]);
    });
  }

  async #respondHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const path = request.url ?? '/';
    this.paths.push(path);
    const { isHttpSilent, slowMs = 0, httpText } = this.habits;
    if (isHttpSilent) return;
    if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
    if (httpText !== undefined) {
      response.end(httpText);
      return;
    }
    if (path.startsWith('/onvif/')) {
      const text = this.#soap(body);
      response.writeHead(text === null ? 500 : 200, { 'content-type': 'application/soap+xml' });
      response.end(
        envelope(
          text ??
            '<s:Fault><s:Code><s:Value>s:Receiver</s:Value><s:Subcode><s:Value>ter:ActionNotSupported</s:Value></s:Subcode></s:Code></s:Fault>',
        ),
      );
      return;
    }
    if (!this.#isLoggedIn(request.method ?? 'GET', path, request.headers.authorization ?? null)) {
      response.writeHead(401, {
        'www-authenticate': buildDigestChallenge(REALM, this.#nonce, 'MD5', 'auth'),
      });
      response.end();
      return;
    }
    const text = this.#isapi(path, body) ?? this.#dahua(path);
    if (text === null) response.writeHead(404);
    response.end(text ?? '');
  }

  #listed(fromMs: number, toMs: number): RecordedTime[] {
    return this.#spans.filter((span) => span.fromMs < toMs && span.toMs > fromMs);
  }

  #isapi(path: string, body: string): string | null {
    if (path === '/ISAPI/System/time') {
      const { zoneMs = 0 } = this.habits;
      const local = new Date(Date.now() + this.#aheadMs + zoneMs).toISOString().slice(0, 19);
      const minutes = Math.abs(zoneMs) / 60_000;
      const zone = `${zoneMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
      return `<Time version="2.0"><timeMode>manual</timeMode><localTime>${local}${zone}</localTime></Time>`;
    }
    if (path !== '/ISAPI/ContentMgmt/search') return null;
    const field = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1] ?? '';
    const all = this.#listed(this.#trueOf(field('startTime')), this.#trueOf(field('endTime')));
    const position = Number(field('searchResultPostion'));
    const page = all.slice(position, position + PAGE);
    const matches = page.map(({ fromMs, toMs }) => {
      const time = (trueMs: number) => new Date(trueMs + this.#writtenAheadMs).toISOString().slice(0, 19);
      return `<searchMatchItem><trackID>${field('trackID')}</trackID><timeSpan><startTime>${time(fromMs)}Z</startTime><endTime>${time(toMs)}Z</endTime></timeSpan></searchMatchItem>`;
    });
    const isMore = position + PAGE < all.length;
    return (
      `<CMSearchResult version="2.0"><searchID>${field('searchID')}</searchID><responseStatus>true</responseStatus>` +
      `<responseStatusStrg>${isMore ? 'MORE' : all.length === 0 ? 'NO MATCHES' : 'OK'}</responseStatusStrg>` +
      `<numOfMatches>${page.length}</numOfMatches><matchList>${matches.join('')}</matchList></CMSearchResult>`
    );
  }

  #dahua(path: string): string | null {
    const url = new URL(path, 'http://recorder');
    const time = (trueMs: number) =>
      new Date(trueMs + this.#writtenAheadMs).toISOString().slice(0, 19).replace('T', ' ');
    if (url.pathname === '/cgi-bin/global.cgi') return `result = ${time(Date.now())}\r\n`;
    if (url.pathname !== '/cgi-bin/mediaFileFind.cgi') return null;
    const action = url.searchParams.get('action');
    const object = url.searchParams.get('object') ?? '';
    if (action === 'factory.create') return `result=${++this.#finders}\r\n`;
    if (action === 'findFile') {
      const at = (name: string) => this.#trueOf((url.searchParams.get(name) ?? '').replaceAll(/[- :]/g, ''));
      this.#searches.set(object, { fromMs: at('condition.StartTime'), toMs: at('condition.EndTime') });
      return 'OK\r\n';
    }
    if (action === 'findNextFile') {
      const range = this.#searches.get(object);
      this.#searches.delete(object);
      const found = range === undefined ? [] : this.#listed(range.fromMs, range.toMs);
      const items = found.map(
        ({ fromMs, toMs }, i) =>
          `items[${i}].Channel=1\r\nitems[${i}].StartTime=${time(fromMs)}\r\nitems[${i}].EndTime=${time(toMs)}\r\nitems[${i}].Type=dav\r\n`,
      );
      return `found=${found.length}\r\n${items.join('')}`;
    }
    return 'OK\r\n';
  }

  #soap(body: string): string | null {
    const operation = /<s:Body><(?:\w+:)?(\w+)/.exec(body)?.[1] ?? '';
    const port = (this.#http.address() as AddressInfo).port;
    const iso = (trueMs: number) => new Date(trueMs + this.#aheadMs).toISOString();
    const { fromMs } = this.#spans[0]!;
    const { toMs } = this.#spans.at(-1)!;
    switch (operation) {
      case 'GetSystemDateAndTime': {
        const now = new Date(Date.now() + this.#aheadMs);
        return (
          '<d:R><d:UTCDateTime>' +
          `<t:Time><t:Hour>${now.getUTCHours()}</t:Hour><t:Minute>${now.getUTCMinutes()}</t:Minute><t:Second>${now.getUTCSeconds()}</t:Second></t:Time>` +
          `<t:Date><t:Year>${now.getUTCFullYear()}</t:Year><t:Month>${now.getUTCMonth() + 1}</t:Month><t:Day>${now.getUTCDate()}</t:Day></t:Date>` +
          '</d:UTCDateTime></d:R>'
        );
      }
      case 'GetServices': {
        const service = (namespace: string) =>
          `<d:Service><d:Namespace>http://www.onvif.org/${namespace}/wsdl</d:Namespace><d:XAddr>http://192.0.2.99:${port}/onvif/${namespace}</d:XAddr></d:Service>`;
        return `<d:R>${['ver10/device', 'ver10/media', 'ver10/search', 'ver10/replay'].map(service).join('')}</d:R>`;
      }
      case 'FindRecordings':
        return '<d:R><d:SearchToken>recordings</d:SearchToken></d:R>';
      case 'GetRecordingSearchResults':
        return (
          '<d:R><d:ResultList><t:SearchState>Completed</t:SearchState><t:RecordingInformation>' +
          '<t:RecordingToken>REC_1</t:RecordingToken>' +
          `<t:EarliestRecording>${iso(fromMs)}</t:EarliestRecording><t:LatestRecording>${iso(toMs)}</t:LatestRecording>` +
          '<t:Track><t:TrackToken>VIDEO</t:TrackToken><t:TrackType>Video</t:TrackType></t:Track>' +
          '</t:RecordingInformation></d:ResultList></d:R>'
        );
      case 'FindEvents':
        return this.habits.hasNoEvents ? null : '<d:R><d:SearchToken>events</d:SearchToken></d:R>';
      case 'GetEventSearchResults': {
        const change = (trueMs: number, isPresent: boolean) =>
          `<t:Result><t:RecordingToken>REC_1</t:RecordingToken><t:TrackToken>VIDEO</t:TrackToken><t:Time>${iso(trueMs)}</t:Time>` +
          `<t:Event><t:Message><t:Data><t:SimpleItem Name="IsDataPresent" Value="${isPresent}"/></t:Data></t:Message></t:Event></t:Result>`;
        const changes = this.#spans.flatMap((span) => [change(span.fromMs, true), change(span.toMs, false)]);
        return `<d:R><d:ResultList><t:SearchState>Completed</t:SearchState>${changes.join('')}</d:ResultList></d:R>`;
      }
      case 'GetReplayUri':
        return `<d:R><d:Uri>rtsp://192.0.2.99:${this.rtspPort}/replay/REC_1</d:Uri></d:R>`;
      default:
        return null;
    }
  }
}

/** ONVIF Streaming §6.3: NTP time, and whether decoding can begin here. */
function ntpExtension(epochMs: number, isKey: boolean): Buffer {
  const extension = Buffer.alloc(16);
  extension.writeUInt16BE(0xabac, 0);
  extension.writeUInt16BE(3, 2);
  const seconds = Math.floor(epochMs / 1_000);
  extension.writeUInt32BE(seconds + NTP_TO_EPOCH_SEC, 4);
  extension.writeUInt32BE(Math.floor(((epochMs - seconds * 1_000) / 1_000) * 2 ** 32), 8);
  if (isKey) extension[12] = 0x80;
  return extension;
}

function envelope(body: string): string {
  return `<?xml version="1.0"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:d="urn:d" xmlns:t="urn:t" xmlns:ter="urn:ter"><s:Body>${body}</s:Body></s:Envelope>`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
