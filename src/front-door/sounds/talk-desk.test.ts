import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { RTSP_ERRORS } from '../../rtsp/errors.ts';
import type { PrincipalActor } from '../../sharing/device-rows.ts';
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

beforeEach(() => {
  clock = new FakeClock();
  [allowed, hasSpeaker, log, written] = [new Set(), true, [], 0];
  desk = new TalkDesk({
    clock,
    log: silentLog,
    rights: {
      actorOf: (session) =>
        allowed.has(session) ? ({ uuid: newRuuid(), name: 'Ann', scheme: 'person' } as PrincipalActor) : null,
    },
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
    onTalk: (_session, { name }, change) => void log.push(`${name}: ${change}`),
  });
});

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
  talk(frame = LOUD, ms = FRAME_MS): boolean {
    this.talker.take(CONTROL, clock.monoMs());
    let isTaken = true;
    for (let spokenMs = 0; spokenMs < ms; spokenMs += FRAME_MS) {
      isTaken = this.talker.take(frame, clock.monoMs());
      clock.advance(FRAME_MS);
    }
    return isTaken;
  }
}

describe('TalkDesk', () => {
  it('lets a client talk, tells all that listen to the camera, and ends when no more comes', () => {
    const [ann, guest] = [new Client(), new Client({ mayTalk: false, isByLink: true })];
    const [colleague, elsewhere] = [new Client(), new Client({ camera: newRuuid() })];
    ann.talk(LOUD, 100);
    expect([written, ann.talker.isTalking, desk.talks]).toEqual([5, true, 1]);
    expect([ann.told, guest.told, colleague.told]).toEqual([['talking true'], ['talking'], ['talking Ann']]);
    expect(new Client().told).toEqual(['talking Ann']);
    clock.advance(1_250);
    expect([ann.told.at(-1), guest.told.at(-1), elsewhere.told]).toEqual(['ended', 'ended', []]);
    expect(log).toEqual(['open', 'Ann: begin', 'close', 'Ann: end']);
    expect([ann.talker.isTalking, clock.pendingTimers]).toEqual([false, 0]);
    ann.talk();
    expect(log.slice(4)).toEqual(['open', 'Ann: begin']);
  });

  it('has one talker for each camera', () => {
    const [ann, bob] = [new Client(), new Client()];
    ann.talk();
    bob.talk(LOUD, 60);
    expect(bob.told).toEqual(['talking Ann', 'refused busy']);
    const other = new Client({ camera: newRuuid() });
    other.talk();
    expect([other.told, desk.talks]).toEqual([['talking true'], 2]);
    ann.talker.leave();
    clock.advance(1_000);
    bob.talk();
    expect(bob.told.slice(2)).toEqual(['ended', 'talking true']);
  });

  it('refuses those who may not talk, once for as long as they go on', () => {
    const guest = new Client({ mayTalk: false, isByLink: true });
    guest.talk(LOUD, 3_000);
    expect([guest.told, written, log]).toEqual([['refused not-authorized'], 0, []]);
    clock.advance(1_000);
    guest.talk();
    expect(guest.told).toEqual(['refused not-authorized', 'refused not-authorized']);
  });

  it('ends within a second when the right to talk ends', () => {
    const ann = new Client();
    ann.talk();
    allowed.delete(ann.session);
    ann.talk(LOUD, 400);
    expect(ann.told).toEqual(['talking true', 'ended', 'refused not-authorized']);
    expect(log.slice(2)).toEqual(['close', 'Ann: end']);
  });

  it('ends after a minute of silence', () => {
    const ann = new Client();
    ann.talk();
    ann.talk(QUIET, TALK_SILENCE_MS - 1_000);
    expect(ann.talker.isTalking).toBe(true);
    ann.talk(QUIET, 2_000);
    expect(ann.told).toEqual(['talking true', 'ended', 'refused silence']);
    clock.advance(1_000);
    ann.talk(LOUD);
    expect(ann.told.at(-1)).toBe('talking true');
  });

  it.each([
    ['the camera has no speaker', RTSP_ERRORS.RTSP_NO_BACK_CHANNEL, 'capability-unavailable'],
    ['the camera cannot be reached', RTSP_ERRORS.RTSP_TIMEOUT, 'device-unavailable'],
  ])('ends when %s', (_case, error, reason) => {
    const ann = new Client();
    ann.talk();
    speaker.onEnded(new GatewayError(error));
    expect(ann.told).toEqual(['talking true', 'ended', `refused ${reason}`]);
  });

  it('has no way to the speakers of some cameras', () => {
    hasSpeaker = false;
    const ann = new Client();
    ann.talk();
    expect(ann.told).toEqual(['refused capability-unavailable']);
  });

  it('ends clients that send three messages in a row that mean nothing', () => {
    const { talker } = new Client();
    const take = (...messages: Buffer[]) => messages.map((message) => talker.take(message, 0));
    expect(take(LOUD, QUIET, CONTROL, LOUD)).toEqual([true, true, true, true]);
    expect(take(Buffer.alloc(1_919), Buffer.alloc(16), Buffer.alloc(0))).toEqual([true, true, false]);
  });

  it('forgets a camera that nobody listens to', () => {
    const ann = new Client();
    ann.talk();
    ann.talker.leave();
    ann.talker.leave();
    expect([desk.talks, log.at(-1)]).toEqual([0, 'Ann: end']);
    clock.advance(1_000);
    expect(clock.pendingTimers).toBe(0);
  });
});
