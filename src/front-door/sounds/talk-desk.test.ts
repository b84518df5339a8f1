import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { RTSP_ERRORS } from '../../rtsp/errors.ts';
import type { TalkActor } from '../../sharing/talk-rights.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { SpeakerEvents } from '../../stream/media/live-speaker.ts';
import { TALK_SILENCE_MS, TalkDesk, type Talker } from './talk-desk.ts';

const CAMERA = newRuuid();
const CONTROL = Buffer.from([...Buffer.from('ctrl'), 0, 0, 0, 8, ...Array(8).fill(0xff)]);
const QUIET = Buffer.alloc(1_920);
const LOUD = Buffer.alloc(1_920, 0x20);
const FRAME_MS = 20;

let clock: FakeClock;
let desk: TalkDesk;
/** Who may talk. */
let allowed: Set<ViewerSession>;
let hasSpeaker: boolean;
let speaker: SpeakerEvents;
let log: string[];
let written: number;
/** null: the audit trail stores nothing now. */
let storing: Promise<unknown> | null;

beforeEach(() => {
  clock = new FakeClock();
  [allowed, hasSpeaker, log, written, storing] = [new Set(), true, [], 0, Promise.resolve()];
  desk = new TalkDesk({
    clock,
    log: silentLog,
    actorOf: (session) =>
      allowed.has(session) ? ({ uuid: newRuuid(), name: 'Ann', scheme: 'person' } satisfies TalkActor) : null,
    speakerOf: () =>
      hasSpeaker
        ? {
            open: (events) => {
              speaker = events;
              log.push('open');
              return { write: () => void written++, close: () => void log.push('close') };
            },
          }
        : null,
    begin: async (_session, { name }) => {
      if (storing === null) return 'not-recorded';
      await storing;
      log.push(`${name}: begin`);
      return { end: () => void log.push(`${name}: end`) };
    },
  });
});

/** What the audit trail stores is stored. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

class Client {
  readonly session: ViewerSession;
  readonly told: string[] = [];
  readonly talker: Talker;

  constructor({ mayTalk = true, isByLink = false, camera = CAMERA } = {}) {
    this.session = { deviceUuid: camera, grant: { of: isByLink ? 'share' : 'device' } } as ViewerSession;
    if (mayTalk) allowed.add(this.session);
    this.talker = desk.enter(this.session, (text) => {
      const { action, ...news } = JSON.parse(text);
      this.told.push(
        Object.values({ ...news, action: undefined })
          .filter((each) => each !== undefined)
          .join(' '),
      );
      expect(action).toBe('talk');
    });
  }

  /** Frames, one each 20 ms. */
  async talk(frame = LOUD, ms = FRAME_MS): Promise<boolean> {
    this.talker.take(CONTROL, clock.monoMs());
    let isTaken = true;
    for (let spokenMs = 0; spokenMs < ms; spokenMs += FRAME_MS) {
      isTaken = this.talker.take(frame, clock.monoMs());
      await settled();
      clock.advance(FRAME_MS);
    }
    return isTaken;
  }
}

describe('TalkDesk', () => {
  it('lets a client talk, tells all that listen to the camera, and ends when no more comes', async () => {
    const [ann, guest] = [new Client(), new Client({ mayTalk: false, isByLink: true })];
    const [colleague, elsewhere] = [new Client(), new Client({ camera: newRuuid() })];
    await ann.talk(LOUD, 100);
    expect([written, ann.talker.isTalking, desk.talks]).toEqual([5, true, 1]);
    expect([ann.told, guest.told, colleague.told]).toEqual([['talking true'], ['talking'], ['talking Ann']]);
    expect(new Client().told).toEqual(['talking Ann']);
    clock.advance(1_250);
    expect([ann.told.at(-1), guest.told.at(-1), elsewhere.told]).toEqual(['ended', 'ended', []]);
    expect(log).toEqual(['open', 'Ann: begin', 'close', 'Ann: end']);
    expect([ann.talker.isTalking, clock.pendingTimers]).toEqual([false, 0]);
    await ann.talk();
    expect(log.slice(4)).toEqual(['open', 'Ann: begin']);
  });

  it('is heard, and known to others, once the audit trail has stored that it began', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    storing = promise;
    const [ann, bob] = [new Client(), new Client()];
    await ann.talk(LOUD, 400);
    expect([ann.told, bob.told, new Client().told, written]).toEqual([[], [], [], 0]);
    resolve();
    await settled();
    expect([ann.told, bob.told, written]).toEqual([['talking true'], ['talking Ann'], 10]);
    await ann.talk();
    expect(written).toBe(11);
  });

  it('is refused while the audit trail cannot store it', async () => {
    storing = null;
    const [ann, bob] = [new Client(), new Client()];
    await ann.talk(LOUD, 400);
    expect([ann.told, bob.told, written]).toEqual([['refused not-recorded'], [], 0]);
    expect([log, desk.talks]).toEqual([['open', 'close'], 0]);
  });

  it('has its end recorded if it ended before its beginning was stored', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    storing = promise;
    const ann = new Client();
    await ann.talk();
    ann.talker.leave();
    resolve();
    await settled();
    expect([log, ann.told]).toEqual([['open', 'close', 'Ann: begin', 'Ann: end'], []]);
  });

  it('has one talker for each camera', async () => {
    const [ann, bob] = [new Client(), new Client()];
    await ann.talk();
    await bob.talk(LOUD, 60);
    expect(bob.told).toEqual(['talking Ann', 'refused busy']);
    const other = new Client({ camera: newRuuid() });
    await other.talk();
    expect([other.told, desk.talks]).toEqual([['talking true'], 2]);
    ann.talker.leave();
    clock.advance(1_000);
    await bob.talk();
    expect(bob.told.slice(2)).toEqual(['ended', 'talking true']);
  });

  it('refuses viewers who may not talk, once until they stop', async () => {
    const guest = new Client({ mayTalk: false, isByLink: true });
    await guest.talk(LOUD, 3_000);
    expect([guest.told, written, log]).toEqual([['refused not-authorized'], 0, []]);
    clock.advance(1_000);
    await guest.talk();
    expect(guest.told).toEqual(['refused not-authorized', 'refused not-authorized']);
  });

  it('ends within a second when the right to talk ends', async () => {
    const ann = new Client();
    await ann.talk();
    allowed.delete(ann.session);
    await ann.talk(LOUD, 400);
    expect(ann.told).toEqual(['talking true', 'ended', 'refused not-authorized']);
    expect(log.slice(2)).toEqual(['close', 'Ann: end']);
  });

  it('ends after a minute of silence', async () => {
    const ann = new Client();
    await ann.talk();
    await ann.talk(QUIET, TALK_SILENCE_MS - 1_000);
    expect(ann.talker.isTalking).toBe(true);
    await ann.talk(QUIET, 2_000);
    expect(ann.told).toEqual(['talking true', 'ended', 'refused silence']);
    clock.advance(1_000);
    await ann.talk(LOUD);
    expect(ann.told.at(-1)).toBe('talking true');
  });

  it.each([
    ['the camera has no speaker', RTSP_ERRORS.RTSP_NO_BACK_CHANNEL, 'capability-unavailable'],
    ['the camera cannot be reached', RTSP_ERRORS.RTSP_TIMEOUT, 'device-unavailable'],
  ])('ends when %s', async (_case, error, reason) => {
    const ann = new Client();
    await ann.talk();
    speaker.onEnded(new GatewayError(error));
    expect(ann.told).toEqual(['talking true', 'ended', `refused ${reason}`]);
  });

  it('has no way to the speakers of some cameras', async () => {
    hasSpeaker = false;
    const ann = new Client();
    await ann.talk();
    expect(ann.told).toEqual(['refused capability-unavailable']);
  });

  it('ends clients that send three messages in a row that mean nothing', async () => {
    const { talker } = new Client();
    const take = (...messages: Buffer[]) => messages.map((message) => talker.take(message, 0));
    expect(take(LOUD, QUIET, CONTROL, LOUD)).toEqual([true, true, true, true]);
    expect(take(Buffer.alloc(1_919), Buffer.alloc(16), Buffer.alloc(0))).toEqual([true, true, false]);
  });

  it('forgets a camera that nobody listens to', async () => {
    const ann = new Client();
    await ann.talk();
    ann.talker.leave();
    ann.talker.leave();
    expect([desk.talks, log.at(-1)]).toEqual([0, 'Ann: end']);
    clock.advance(1_000);
    expect(clock.pendingTimers).toBe(0);
  });
});
