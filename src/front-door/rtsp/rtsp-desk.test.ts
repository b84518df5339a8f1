/** What RTSP clients of links get, and when it ends. Longer than 500 lines: its cases share one link, camera, and client. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AacTrack } from '../../codec/track.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { RtspHeaderField } from '../../rtsp/headers.ts';
import { openSharingFixture, type SharingFixture } from '../../sharing/sharing-fixture.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { Share } from '../../store/entities.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import { nalUnitData, PPS, SPS, unitOf, videoTrack } from '../../stream/pictures/picture-fixture.ts';
import { ShareTraffic } from '../response/share-traffic.ts';
import { FakeRtspCamera, FakeUnits, RtspTestClient } from './rtsp-client-fixture.ts';
import { MAX_REQUESTS_PER_LOOK, OPENING_TIMEOUT_MS, SESSION_TIMEOUT_SEC } from './rtsp-connection.ts';
import { COLD_WAIT_MS, RtspDesk } from './rtsp-desk.ts';
import { MAX_BURST_BYTES, MAX_QUEUED_BYTES, STALLED_MS } from './rtsp-view.ts';

const SOUND: AacTrack = {
  kind: 'audio',
  codec: 'aac',
  timescaleHz: 16_000,
  sampleRateHz: 16_000,
  channelCount: 1,
  samplesPerFrame: 1_024,
  audioSpecificConfig: Uint8Array.of(0x14, 0x08),
  codecString: 'mp4a.40.2',
};
const TRACKS = [videoTrack(), SOUND];

let sharing: SharingFixture;
let units: FakeUnits;
let camera: FakeRtspCamera;
let desk: RtspDesk;
let traffic: ShareTraffic;
let opened: string[];
let refused: string[];

beforeEach(async () => {
  sharing = await openSharingFixture({ maxViewersPerShare: 3 });
  units = new FakeUnits(TRACKS);
  camera = new FakeRtspCamera(units, new FakeUnits([videoTrack()]));
  traffic = new ShareTraffic();
  opened = [];
  refused = [];
  desk = new RtspDesk({
    ...sharing,
    cameras: { get: (uuid) => (uuid === sharing.camera.uuid ? camera : undefined) },
    traffic,
    onShareOpened: (share, { address, userAgent }) => opened.push(`${share.name} ${address} ${userAgent}`),
    openingLog: { refused: (route, { reason }) => refused.push(`${route} ${reason}`) },
  });
});

afterEach(() => sharing.close());

const newClient = (address?: string) => new RtspTestClient(desk, sharing.clock, address);
const share = (fields: object = {}) =>
  sharing.shares.create(sharing.orgUuid, { ...sharing.request, ...fields });
const urlOf = ({ uuid }: Share, end = '') => `rtsp://gateway/live/${sharing.tokens.tokenOf(uuid)}${end}`;
const basic = (password: string): RtspHeaderField => [
  'Authorization',
  `Basic ${Buffer.from(`any:${password}`).toString('base64')}`,
];

/** The clock of the listener, which looks at each view every second. */
function pass(seconds: number, each: (second: number) => void = () => undefined): void {
  for (let second = 0; second < seconds; second++) {
    sharing.clock.advance(1_000);
    desk.look();
    each(second);
  }
}

/** NAL units of H.264 in packets without fragments, with what STAP-A joins taken apart. */
function nalusOf(client: RtspTestClient, channel = 0): string[] {
  return client.packets
    .filter((packet) => packet.channel === channel)
    .flatMap(({ payload }) => {
      if ((payload[0]! & 0x1f) !== 24) return [payload.toString('hex')];
      const nalus: string[] = [];
      for (let at = 1; at < payload.length; ) {
        const end = at + 2 + payload.readUInt16BE(at);
        nalus.push(payload.subarray(at + 2, end).toString('hex'));
        at = end;
      }
      return nalus;
    });
}

const nalu = (index: number, isKey: boolean) => nalUnitData(isKey, index).subarray(4).toString('hex');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function soundUnit(index: number) {
  const ticks = index * 1_024;
  const data = Buffer.from(`sound ${index}`);
  return { trackIndex: 1, dtsTicks: ticks, ptsTicks: ticks, isKey: true, data, arrivalMonoMs: index * 64 };
}

describe('a client that opens a link by RTSP', () => {
  it('gets the newest group of pictures, then every frame and the sound as they come', async () => {
    units.newest.push(unitOf(25, true), unitOf(26, false));
    const client = newClient();
    const sdp = await client.play(urlOf(await share({ name: 'Gate', includeAudio: true })), 2);
    units.publish(unitOf(27, false));
    units.publish(soundUnit(17));
    expect(sdp).toContain('s=Gate\r\n');
    expect(sdp).toContain('a=rtpmap:97 mpeg4-generic/16000');
    expect(nalusOf(client)).toEqual([hex(SPS), hex(PPS), nalu(25, true), nalu(26, false), nalu(27, false)]);
    const [first, second] = client.packets;
    expect((second!.rtpTimestamp - first!.rtpTimestamp + 2 ** 32) % 2 ** 32).toBe(3_600);
    const sound = client.packets.at(-1)!;
    expect([sound.channel, sound.payload.subarray(4).toString()]).toEqual([2, 'sound 17']);
    expect(opened).toEqual(['Gate 192.0.2.1 null']);
  });

  it('gets reports of all tracks at one instant before the first frame, with the clock of the camera', async () => {
    units.newest.push(unitOf(25, true));
    units.cameraTime = { mediaMs: 500, epochMs: 1_600_000_000_000 };
    const client = newClient();
    await client.play(urlOf(await share({ includeAudio: true })), 2);
    expect(client.reports.map(({ channel }) => channel)).toEqual([1, 3]);
    const ntpSec = 1_600_000_000 + 2_208_988_800;
    for (const report of client.reports) {
      expect([report.ntpSec, report.ntpFraction]).toEqual([ntpSec, 2 ** 31]);
    }
    expect(client.reports[0]!.rtpTimestamp).toBe(client.packets[0]!.rtpTimestamp);
    for (let index = 26; index < 25 + 6 * 25; index++) units.publish(unitOf(index, index % 25 === 0));
    expect(client.reports.length).toBe(4);
  });

  it('counts as a viewer who watches by RTSP, and keeps the camera open until it leaves', async () => {
    const seen = await share();
    const client = newClient();
    await client.play(urlOf(seen));
    pass(30, (second) => units.publish(unitOf(second, true)));
    const [session] = sharing.sessions.sessionsOf(seen.uuid) as ReadonlySet<ViewerSession>;
    expect([session!.protocol, session!.profile, session!.address]).toEqual(['rtsp', 'main', '192.0.2.1']);
    expect([sharing.sessions.viewers, units.readers.size, desk.views]).toEqual([1, 1, 1]);
    expect(traffic.bytesOf(seen.uuid)).toBeGreaterThan(30 * 20);
    expect((await client.request('TEARDOWN', urlOf(seen))).statusCode).toBe(200);
    expect([client.ending, units.readers.size, desk.views]).toEqual(['ended', 0, 0]);
  });

  it('gets datagrams at its own ports, and nothing at once that a receiver could not take', async () => {
    units.newest.push(unitOf(0, true, nalUnitData(true, 0, 2 * MAX_BURST_BYTES)));
    const sent: string[] = [];
    const client = newClient();
    client.datagrams = {
      ports: { rtp: 8_000, rtcp: 8_001 },
      send: (kind, bytes, port, onSent) => {
        sent.push(`${kind} ${port} ${kind === 'rtp' ? bytes.length : 'report'}`);
        onSent();
      },
    };
    client.restart(desk, sharing.clock);
    const url = urlOf(await share({ includeAudio: false }));
    await client.request('DESCRIBE', url);
    const transport = 'RTP/AVP;unicast;client_port=5000-5001';
    expect((await client.request('SETUP', `${url}/trackID=0`, [['Transport', transport]])).statusCode).toBe(
      200,
    );
    await client.request('PLAY', url);
    expect(sent).toEqual([]);
    units.publish(unitOf(1, true));
    expect(sent).toEqual(['rtcp 5001 report', 'rtp 5000 33']);
    units.fail(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE));
    expect(sent.slice(2)).toEqual(['rtcp 5001 report']);
  });

  it('hears nothing if the share leaves sound out', async () => {
    const client = newClient();
    const sdp = await client.play(urlOf(await share({ includeAudio: false })));
    units.publish(unitOf(0, true));
    units.publish(soundUnit(0));
    expect(sdp).not.toContain('m=audio');
    expect(client.packets.every(({ channel }) => channel === 0)).toBe(true);
  });

  it('gets the substream under another path, and 404 under any other', async () => {
    const link = urlOf(await share());
    const client = newClient();
    await client.play(`${link}/sub`);
    expect([camera.sub!.readers.size, units.readers.size]).toEqual([1, 0]);
    const other = newClient();
    for (const url of [`${link}/other`, 'rtsp://gateway/', 'rtsp://gateway/live/nothing']) {
      expect((await other.request('DESCRIBE', url)).statusCode).toBe(404);
    }
  });

  it('may use the grant of a viewer who opened the link otherwise', async () => {
    const { uuid } = await share();
    const shareToken = sharing.tokens.tokenOf(uuid);
    const open = { shareToken, password: null, address: '', onNear: () => undefined };
    const result = await sharing.gate.open(open);
    if (!result.allowed) throw new Error('refused');
    await newClient().play(`rtsp://gateway/live/${result.grantText}`);
    expect(sharing.sessions.sessionsOf(uuid).size).toBe(1);
  });

  it('needs the password of the link', async () => {
    const link = urlOf(await share({ password: 'sesame' }));
    const client = newClient();
    const challenged = await client.request('DESCRIBE', link);
    expect([challenged.statusCode, challenged.headers.get('WWW-Authenticate')]).toEqual([
      401,
      'Basic realm="Shared live video"',
    ]);
    expect((await client.request('DESCRIBE', link, [basic('wrong')])).statusCode).toBe(401);
    expect(client.isOpened).toBe(false);
    await client.play(link, 1, [basic('sesame')]);
    expect(refused).toEqual(['rtsp /live/:grant password-needed', 'rtsp /live/:grant password-wrong']);
  });

  it.each([
    ['has expired', 'This link has expired.', { expirationTimeSecs: 5 }],
    ['requires a sign-in', 'Viewers of this stream sign in first', { ssoProtected: true }],
  ])('learns that it %s', async (_what, phrase, fields) => {
    const link = urlOf(await share(fields));
    sharing.clock.advance(6_000);
    const response = await newClient().request('DESCRIBE', link);
    expect([response.statusCode, response.reasonPhrase]).toEqual([403, expect.stringContaining(phrase)]);
  });

  it('learns that the camera is offline, and when to try again', async () => {
    const error = new GatewayError(STREAM_ERRORS.STREAM_SILENT);
    camera.state = { state: 'offline', error, retryAtEpochMs: sharing.clock.epochMs() + 7_000 };
    const response = await newClient().request('DESCRIBE', urlOf(await share()));
    expect([response.statusCode, response.headers.get('Retry-After')]).toEqual([503, '7']);
    expect(response.reasonPhrase).toBe('The camera is offline.');
    camera.isCutOff = true;
    const cutOff = await newClient().request('DESCRIBE', urlOf(await share()));
    expect([cutOff.statusCode, cutOff.reasonPhrase]).toEqual([503, expect.stringContaining('Another node')]);
  });

  it('waits for a camera that is opening, and no longer than others do', async () => {
    units.tracks = null;
    const link = urlOf(await share());
    const first = newClient();
    const described = first.request('DESCRIBE', link);
    const readers = async () => {
      while (units.readers.size === 0) await new Promise(setImmediate);
    };
    await readers();
    units.announce(TRACKS);
    expect((await described).statusCode).toBe(200);
    first.connection.lost();
    units.tracks = null;
    const second = newClient().request('DESCRIBE', link);
    await readers();
    sharing.clock.advance(COLD_WAIT_MS);
    expect([(await second).statusCode, units.readers.size]).toEqual([503, 0]);
  });

  it('may describe another link instead', async () => {
    const client = newClient();
    await client.request('DESCRIBE', urlOf(await share()));
    await client.play(urlOf(await share({ name: 'Other' })));
    expect([client.ending, desk.views, sharing.sessions.viewers]).toEqual([null, 1, 2]);
  });

  it('does not keep its connection when it watches nothing any more', async () => {
    const client = newClient();
    expect((await client.request('DESCRIBE', urlOf(await share()))).statusCode).toBe(200);
    expect((await client.request('DESCRIBE', 'rtsp://gateway/other')).statusCode).toBe(404);
    expect([client.ending, desk.views]).toEqual(['ended', 0]);
  });

  it('beyond the limit of viewers is refused', async () => {
    const link = urlOf(await share());
    for (let count = 0; count < 3; count++) await newClient(`192.0.2.${count}`).play(link);
    const response = await newClient('192.0.2.9').request('DESCRIBE', link);
    expect(response.reasonPhrase).toBe('The maximum number of viewers is already watching.');
  });
});

describe('a view by RTSP ends', () => {
  it('when the share is withdrawn, without waiting for a look', async () => {
    const seen = await share();
    const client = newClient();
    await client.play(urlOf(seen));
    units.publish(unitOf(0, true));
    await sharing.shares.remove(sharing.orgUuid, seen.uuid);
    expect([client.ending, client.byes, units.readers.size]).toEqual(['ended', 1, 0]);
  });

  it('by a reset if frames wait in the gateway', async () => {
    const seen = await share();
    const client = newClient();
    await client.play(urlOf(seen));
    client.isStopped = true;
    units.publish(unitOf(0, true));
    await sharing.shares.remove(sharing.orgUuid, seen.uuid);
    expect(client.ending).toBe('reset');
  });

  it('within a second of the expiration', async () => {
    const client = newClient();
    await client.play(urlOf(await share({ expirationTimeSecs: 10 })));
    pass(9, (second) => units.publish(unitOf(second, true)));
    expect(client.ending).toBeNull();
    pass(1);
    expect(client.ending).toBe('ended');
  });

  it('when the viewer is ended, and with the camera', async () => {
    const seen = await share();
    const client = newClient();
    await client.play(urlOf(seen));
    units.fail(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE));
    expect([client.ending, client.byes, desk.views]).toEqual(['ended', 1, 0]);
  });

  it('when the node loses touch with the owner of the camera, and when the gateway stops', async () => {
    const link = urlOf(await share());
    const client = newClient();
    await client.play(link);
    camera.isCutOff = true;
    pass(1);
    expect([client.ending, client.byes]).toEqual(['ended', 1]);
    camera.isCutOff = false;
    const other = newClient();
    await other.play(link);
    desk.dismiss();
    expect([other.ending, other.byes, units.readers.size]).toEqual(['ended', 1, 0]);
    expect((await newClient().request('DESCRIBE', link)).statusCode).toBe(503);
  });

  it('if the timeline of the camera becomes another one', async () => {
    for (const index of [1_000, -2]) {
      const client = newClient();
      await client.play(urlOf(await share()));
      for (const at of [0, 1, 200]) units.publish(unitOf(at, true));
      expect(client.ending).toBeNull();
      units.publish(unitOf(index, true));
      expect([client.ending, client.byes]).toEqual(['ended', 1]);
    }
  });

  it('if the camera sends another codec, and goes on with other parameter sets', async () => {
    const client = newClient();
    await client.play(urlOf(await share()));
    units.publish(unitOf(0, true));
    const sps = Uint8Array.of(0x67, 0x42, 0xc0, 0x1f, 0xd9);
    units.announce([videoTrack(sps), SOUND]);
    units.publish(unitOf(1, true));
    expect(nalusOf(client).slice(3)).toEqual([hex(sps), hex(PPS), nalu(1, true)]);
    units.announce([{ ...videoTrack(), codec: 'h265', vps: [Uint8Array.of(0x40, 1)] }, SOUND]);
    expect([client.ending, client.byes]).toEqual(['ended', 1]);
  });

  it('if the client sends nothing for the timeout of its session', async () => {
    const client = newClient();
    await client.play(urlOf(await share()));
    pass(SESSION_TIMEOUT_SEC, () => client.connection.look());
    expect(client.ending).toBeNull();
    pass(1, () => client.connection.look());
    expect(client.ending).toBe('reset');
    const silent = newClient();
    sharing.clock.advance(OPENING_TIMEOUT_MS + 1);
    silent.connection.look();
    expect(silent.ending).toBe('reset');
  });

  it.each([
    ['is not RTSP', () => Buffer.from('\x16\x03\x01')],
    ['has no end', () => Buffer.from(`OPTIONS rtsp://x/${'a'.repeat(9_000)}`)],
    [
      'has too much in a body',
      () => Buffer.from('OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 2000\r\n\r\n'),
    ],
    [
      'is too many requests',
      () => Buffer.from('OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n'.repeat(MAX_REQUESTS_PER_LOOK + 1)),
    ],
    [
      'is a flood of media',
      () => Buffer.concat(new Array(200).fill(Buffer.from([0x24, 0, 4, 0, ...new Array(1_024).fill(0)]))),
    ],
  ])('if what a client sends %s', (_what, bytes) => {
    const client = newClient();
    client.connection.received(bytes());
    expect(client.ending).toBe('reset');
  });
});

describe('a slow client', () => {
  const FRAME_BYTES = 500_000;
  const frame = (index: number, isKey: boolean) =>
    unitOf(index, isKey, nalUnitData(isKey, index & 0xff, FRAME_BYTES));

  it('loses frames up to a key frame for which there is room, and sees that in the numbers', async () => {
    const seen = await share();
    const [slow, quick] = [newClient(), newClient()];
    await slow.play(urlOf(seen));
    await quick.play(urlOf(seen));
    units.publish(frame(0, true));
    const before = slow.packets.at(-1)!;
    slow.isStopped = true;
    for (let index = 1; index <= 30; index++) units.publish(frame(index, false));
    expect(slow.buffered).toBeLessThanOrEqual(MAX_QUEUED_BYTES);
    expect(slow.buffered).toBeGreaterThan(MAX_QUEUED_BYTES - 2 * FRAME_BYTES);
    expect(quick.packets.filter(({ isMarked }) => isMarked)).toHaveLength(31);
    slow.buffered = 0;
    slow.isStopped = false;
    units.publish(frame(31, false));
    expect(slow.packets.at(-1)).toBe(before);
    units.publish(unitOf(32, true));
    const after = slow.packets.at(-1)!;
    const all = quick.packets.length;
    const ofFirst = quick.packets.findIndex(({ isMarked }) => isMarked) + 1;
    expect((after.sequenceNumber - before.sequenceNumber) & 0xffff).toBe(all - ofFirst);
    expect(after.payload.subarray(-5).toString('hex')).toBe(nalu(32, true));
    const { sentFrames, droppedFrames } = desk.counts;
    expect([slow.ending, quick.ending, sentFrames + droppedFrames]).toEqual([null, null, 2 * 33]);
    expect(droppedFrames).toBeGreaterThan(10);
  });

  it('that takes nothing any more is reset', async () => {
    const client = newClient();
    await client.play(urlOf(await share()));
    client.isStopped = true;
    units.publish(unitOf(0, true));
    pass(STALLED_MS / 1_000);
    expect(client.ending).toBeNull();
    pass(2);
    expect(client.ending).toBe('reset');
  });
});

describe('organizations', () => {
  /** A desk whose clients come with grants of any organization. */
  function deskOf(sessions: Map<string, ViewerSession>): RtspDesk {
    return new RtspDesk({
      ...sharing,
      gate: sharing.gate,
      sessions: {
        access: (grantText) => sessions.get(grantText)!,
        isWatched: () => true,
        nameOf: () => null,
      },
      cameras: { get: () => camera },
      traffic,
      onShareOpened: () => undefined,
      openingLog: { refused: () => undefined },
    });
  }

  function newSession(orgUuid: string, audienceUuid: string): ViewerSession {
    const fields = { allowed: true, orgUuid, audienceUuid, wallShareUuid: null, includeAudio: false };
    const calls = { noteLive: () => undefined, noteFetch: () => undefined };
    return {
      ...fields,
      ...calls,
      grantText: newRuuid(),
      waiting: new Set(),
      cameraUuid: '',
    } as unknown as ViewerSession;
  }

  it('leave each other room for viewers, and for what waits for slow ones', async () => {
    const sessions = new Map<string, ViewerSession>();
    const shared = deskOf(sessions);
    const clock = new FakeClock();
    let host = 0;
    const play = async (orgUuid: string, audienceUuid: string): Promise<RtspTestClient> => {
      const session = newSession(orgUuid, audienceUuid);
      sessions.set(session.grantText, session);
      host++;
      const client = new RtspTestClient(shared, clock, `10.0.${host >> 8}.${host & 255}`);
      await client.play(`rtsp://gateway/live/${session.grantText}`);
      return client;
    };
    const [greedy, modest] = [newRuuid(), newRuuid()];
    const greedyClients: RtspTestClient[] = [];
    const takeAll = async (link: () => string): Promise<void> => {
      for (;;) {
        try {
          greedyClients.push(await play(greedy, link()));
        } catch (thrown) {
          expect(String(thrown)).toContain('503 Too many viewers are watching by RTSP.');
          return;
        }
      }
    };
    await takeAll(newRuuid);
    expect(greedyClients).toHaveLength((LIMITS.rtspViewers.total * 3) / 4);
    // Viewers who keep up need no memory: each gets each frame.
    units.publish(unitOf(0, true, nalUnitData(true, 0, 1_000)));
    expect(greedyClients.filter(({ packets }) => packets.length === 0)).toEqual([]);
    // As many as could fill all memory for queues.
    const stopped = greedyClients.slice(0, 2 * Math.ceil(LIMITS.rtspQueues.total / MAX_QUEUED_BYTES));
    for (const client of greedyClients.slice(stopped.length)) client.connection.lost();
    for (const client of stopped) client.isStopped = true;
    for (let index = 0; index < 20; index++) {
      units.publish(unitOf(index + 1, index === 0, nalUnitData(index === 0, index, 500_000)));
    }
    const waiting = stopped.reduce((sum, { buffered }) => sum + buffered, 0);
    expect(waiting).toBeLessThanOrEqual(LIMITS.rtspQueues.total / 2);
    expect(waiting).toBeGreaterThan(LIMITS.rtspQueues.total / 4);
    const other = await play(modest, newRuuid());
    units.publish(unitOf(20, true, nalUnitData(true, 20, 200_000)));
    expect(other.packets.filter(({ isMarked }) => isMarked)).toHaveLength(1);
  });
});
