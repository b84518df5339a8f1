import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAKE_VIDEO } from '../../cmaf/fake-camera.ts';
import { GatewayError } from '../../core/errors.ts';
import { eventually } from '../../core/eventually-fixture.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { fixtureSegment } from '../../isobmff/fragment-fixture.ts';
import { writeInitSegment } from '../../isobmff/init-segment.ts';
import { RECORDING_ERRORS } from '../../recording/errors.ts';
import { endEpochMs, type RecordedSegment } from '../../recording/segment-index.ts';
import { PastAccess } from '../../sharing/past-access.ts';
import { openSharingFixture, type SharingFixture } from '../../sharing/sharing-fixture.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import { unitOf } from '../../stream/pictures/picture-fixture.ts';
import { PastBudget } from '../past/past-budget.ts';
import { ShareTraffic } from '../response/share-traffic.ts';
import { FakeRtspCamera, FakeUnits, RtspTestClient } from './rtsp-client-fixture.ts';
import { RtspDesk } from './rtsp-desk.ts';
import { type ReplayOptions, RtspReplay } from './rtsp-replay.ts';

const NAME = 'recording';
const START_MS = 1_700_000_000_000;
const SEGMENT_MS = 2_000;
const HZ = 90_000;
const INIT = writeInitSegment([FAKE_VIDEO]);

/** Segments of 2 s with two frames each, by number; other numbers are gaps. */
class Recording {
  readonly reads: number[] = [];
  readonly #numbers: readonly number[];

  constructor(...numbers: number[]) {
    this.#numbers = numbers;
  }

  #segment(number: number): RecordedSegment {
    return {
      offset: 1_000 + number,
      byteLength: 100,
      startTicks: (number * SEGMENT_MS * HZ) / 1_000,
      durationTicks: (SEGMENT_MS * HZ) / 1_000,
      timescaleHz: HZ,
      epochMs: START_MS + number * SEGMENT_MS,
      isDiscontinuity: false,
      init: { offset: 0, byteLength: INIT.length },
    };
  }

  async segments(_stream: unknown, fromMs: number, toMs: number) {
    const all = this.#numbers.map((number) => this.#segment(number));
    const segments = all.filter((each) => each.epochMs < toMs && endEpochMs(each) > fromMs);
    return segments.length === 0 ? [] : [{ name: NAME, number: 0, segments }];
  }

  async hours() {
    return this.#numbers.map((number) => {
      const segment = this.#segment(number);
      return { startMs: segment.epochMs, endMs: endEpochMs(segment) };
    });
  }

  async seek(_stream: unknown, atMs: number) {
    const number = this.#numbers.find((each) => endEpochMs(this.#segment(each)) > atMs);
    return number === undefined ? null : { name: NAME, number: 0, segment: this.#segment(number) };
  }

  async read(_name: string, offset: number): Promise<Buffer> {
    if (offset === 0) return INIT;
    const number = offset - 1_000;
    this.reads.push(number);
    const startTicks = (number * SEGMENT_MS * HZ) / 1_000;
    return fixtureSegment([[{ trackId: 1, startTicks }], [{ trackId: 1, startTicks: startTicks + HZ }]]);
  }
}

let clock: FakeClock;
let budget: PastBudget;
let log: string[];
let hasRoom: boolean;
let shown: readonly { fromMs: number; toMs: number }[] | null;

beforeEach(() => {
  clock = new FakeClock(START_MS + 3_600_000);
  budget = new PastBudget();
  log = [];
  hasRoom = true;
  shown = [{ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }];
});

function newSession(): ViewerSession {
  const fields = {
    orgUuid: newRuuid(),
    audienceUuid: newRuuid(),
    wallShareUuid: null,
    grantText: newRuuid(),
  };
  return { ...fields, notePast: () => undefined } as unknown as ViewerSession;
}

function replayOf(recording: Recording, fields: Partial<ReplayOptions> = {}): RtspReplay {
  return new RtspReplay({
    past: { media: recording, access: { spans: () => shown }, budget },
    session: newSession(),
    stream: { cameraUuid: newRuuid(), rendition: 'main' },
    range: { fromMs: START_MS, toMs: null },
    isUnpaced: true,
    clock,
    events: {
      onTracks: ([track]) => {
        log.push(track!.codec);
        return true;
      },
      onUnit: ({ epochMs, isAfterGap }) => log.push(`${isAfterGap ? 'gap ' : ''}${epochMs - START_MS}`),
      hasRoom: () => hasRoom,
      onEnd: (error) => log.push(error === null ? 'end' : error.code),
    },
    ...fields,
  });
}

const ended = () => eventually('the end', () => log.includes('end') || /[A-Z]/.test(log.at(-1) ?? ''));

describe('a replay', () => {
  it('has each frame with the time at which it was recorded, from the segment that covers the time on', async () => {
    replayOf(new Recording(0, 1, 2), { range: { fromMs: START_MS + 2_500, toMs: null } }).start();
    await ended();
    // The fixture presents frames three ticks after they are decoded.
    const times = log.slice(1, -1).map((each) => Math.round(Number(each)));
    expect([log[0], times, log.at(-1)]).toEqual(['h264', [2_000, 3_000, 4_000, 5_000], 'end']);
    expect([budget.requests, budget.bytes]).toEqual([0, 0]);
  });

  it('ends where its range does', async () => {
    replayOf(new Recording(0, 1, 2), { range: { fromMs: START_MS, toMs: START_MS + 2_000 } }).start();
    await ended();
    expect(log).toHaveLength(4);
  });

  it('skips gaps, however long, and says so', async () => {
    replayOf(new Recording(0, 900)).start();
    await ended();
    expect(log.map((each) => each.replace(/\.\d+$/, ''))).toEqual([
      'h264',
      '0',
      '1000',
      'gap 1800000',
      '1801000',
      'end',
    ]);
  });

  it('leaves out what the viewer may not see, and ends when it may see nothing any more', async () => {
    const at = (number: number) => START_MS + number * SEGMENT_MS;
    shown = [
      { fromMs: at(0), toMs: at(1) + 1_000 },
      { fromMs: at(2), toMs: at(3) },
    ];
    const recording = new Recording(0, 1, 2);
    replayOf(recording).start();
    await ended();
    expect(recording.reads).toEqual([0, 2]);
    shown = null;
    log.length = 0;
    const other = new Recording(0, 1);
    replayOf(other).start();
    await ended();
    expect([log, other.reads]).toEqual([['end'], []]);
  });

  it('keeps the pace of the recording, and waits for a client without room', async () => {
    replayOf(new Recording(0, 1), { isUnpaced: false }).start();
    const frames = () => log.filter((each) => /^\d/.test(each)).length;
    await eventually('the first frame', () => frames() === 1 && clock.pendingTimers === 1);
    hasRoom = false;
    clock.advance(1_000);
    await eventually('a wait for room', () => frames() === 2 && clock.pendingTimers === 1);
    clock.advance(1_000);
    await eventually('another wait', () => clock.pendingTimers === 1);
    expect(frames()).toBe(2);
    hasRoom = true;
    clock.advance(1_000);
    await eventually('the next frame', () => frames() >= 3);
  });

  it('that is stopped says nothing more, and gives its place back', async () => {
    const replay = replayOf(new Recording(0, 1), { isUnpaced: false });
    replay.start();
    await eventually('the first frame', () => log.length === 2 && clock.pendingTimers === 1);
    replay.stop();
    clock.advance(60_000);
    await eventually('the end of the wait', () => budget.bytes === 0);
    expect([log.length, budget.requests]).toEqual([2, 0]);
  });

  it('ends if the tracks differ from the session description, or if reading fails', async () => {
    const events = { onTracks: () => false, onUnit: () => undefined, hasRoom: () => true };
    replayOf(new Recording(0), { events: { ...events, onEnd: () => log.push('end') } }).start();
    await ended();
    expect(log).toEqual(['end']);
    const broken = new Recording(0);
    broken.read = async () => {
      throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND);
    };
    replayOf(broken).start();
    await eventually('the failure', () => log.length === 2);
    expect(log[1]).toBe('RECORDING_NOT_FOUND');
  });

  it('has a place among the reads of its organization', () => {
    const session = newSession();
    const replays: RtspReplay[] = [];
    const open = () => replays.push(replayOf(new Recording(0), { session }));
    expect(() => {
      for (;;) open();
    }).toThrow('Too much of the past');
    for (const replay of replays) replay.stop();
    expect(budget.requests).toBe(0);
  });
});

describe('a client that requests the past', () => {
  let sharing: SharingFixture;
  let units: FakeUnits;

  beforeEach(async () => {
    sharing = await openSharingFixture();
    units = new FakeUnits([FAKE_VIDEO]);
  });
  afterEach(() => sharing.close());

  /** `recording` null: the gateway has none. */
  async function play(
    fields: object,
    recording: Recording | null,
    { isMasked = false, isOffline = false } = {},
  ) {
    const share = await sharing.shares.create(sharing.orgUuid, { ...sharing.request, ...fields });
    const access = new PastAccess(sharing.directory, sharing.clock);
    const camera = new FakeRtspCamera(units);
    const error = new GatewayError(STREAM_ERRORS.STREAM_SILENT);
    if (isOffline) camera.state = { state: 'offline', error, retryAtEpochMs: sharing.clock.epochMs() };
    const desk = new RtspDesk({
      ...sharing,
      cameras: { get: () => camera },
      traffic: new ShareTraffic(),
      onShareOpened: () => undefined,
      openingLog: { refused: () => undefined },
      past: recording === null ? null : { media: recording, access, budget },
    });
    const client = new RtspTestClient(desk, sharing.clock);
    const url = `rtsp://gateway/live/${sharing.tokens.tokenOf(share.uuid)}`;
    const described = await client.request('DESCRIBE', url);
    await client.request('SETUP', `${url}/trackID=0`, [['Transport', 'RTP/AVP/TCP;unicast;interleaved=0-1']]);
    const [session] = sharing.sessions.sessionsOf(share.uuid) as ReadonlySet<ViewerSession>;
    if (isMasked) Object.assign(session!, { deviceUuid: newRuuid() });
    const atMs = sharing.clock.epochMs();
    const range = `clock=${new Date(atMs).toISOString().replaceAll(/[-:]/g, '')}-`;
    const live = isOffline ? await client.request('PLAY', url) : null;
    const played = await client.request('PLAY', url, [['Range', range]]);
    return { share, client, session: session!, described, live, played };
  }

  it('is refused if the link shows none, if there is none, and of a camera with masks', async () => {
    const recording = new Recording(0);
    const hidden = await play({}, recording);
    expect([hidden.played.statusCode, hidden.played.reasonPhrase]).toEqual([
      403,
      'This link does not show this time.',
    ]);
    expect((await play({ vodEnabled: true }, null)).played.statusCode).toBe(404);
    const masked = await play({ vodEnabled: true }, recording, { isMasked: true });
    expect([masked.played.statusCode, masked.played.reasonPhrase]).toEqual([
      404,
      expect.stringContaining('masks'),
    ]);
    expect(recording.reads).toEqual([]);
  });

  it('gets it also of a camera that is offline, if the link shows it', async () => {
    const options = { isOffline: true };
    const { described, live, played } = await play({ vodEnabled: true }, new Recording(0, 1), options);
    expect([described.statusCode, Buffer.from(described.body).toString()]).toEqual([
      200,
      expect.stringContaining('H264/90000'),
    ]);
    expect([live!.statusCode, live!.reasonPhrase, played.statusCode]).toEqual([
      503,
      'The camera is offline.',
      200,
    ]);
    expect(units.readers.size).toBe(0);
    for (const [fields, recording] of [
      [{}, new Recording(0)],
      [{ vodEnabled: true }, new Recording()],
    ] as const) {
      const refused = await play(fields, recording, options);
      expect([refused.described.statusCode, refused.described.reasonPhrase]).toEqual([
        503,
        'The camera is offline.',
      ]);
    }
  });

  it('counts as a viewer of the past, and its replay ends with the right to it', async () => {
    const { share, client, session, played } = await play({ vodEnabled: true }, new Recording(0));
    expect(played.statusCode).toBe(200);
    expect([session.isInPast, session.hasWatchedPast, session.protocol]).toEqual([true, true, 'rtsp']);
    units.publish(unitOf(0, true));
    expect(client.packets).toEqual([]);
    await sharing.shares.remove(sharing.orgUuid, share.uuid);
    expect(client.ending).toBe('ended');
    await eventually('the end of the replay', () => budget.requests === 0);
  });
});
