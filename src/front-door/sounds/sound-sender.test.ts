import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import { FakeSounds } from '../fake-live-camera.ts';
import { SoundMessages } from './sound-message.ts';
import { SoundSender, type TalkEntry } from './sound-sender.ts';
import type { Talker } from './talk-desk.ts';

const EPOCH_MS = 1_700_000_000_000;
const HEX_EPOCH = `01000008${EPOCH_MS.toString(16).padStart(16, '0')}`;

let sounds: FakeSounds;
let sent: string[];
let isBehind: boolean;
let gone: string | null;
let talk: FakeTalk;
let sender: SoundSender;

/** Someone who talks if the test says so. */
class FakeTalk implements TalkEntry {
  isTalking = false;
  readonly took: Buffer[] = [];
  left = 0;

  enter(): Talker {
    const take = (bytes: Buffer) => this.took.push(bytes) > 0;
    const isTalking = () => this.isTalking;
    const leave = () => void this.left++;
    return {
      take,
      leave,
      get isTalking() {
        return isTalking();
      },
    } as unknown as Talker;
  }

  nowMonoMs(): number {
    return 0;
  }
}

beforeEach(() => {
  sounds = new FakeSounds();
  [sent, isBehind, gone] = [[], false, null];
  talk = new FakeTalk();
  sender = new SoundSender(sounds, new SoundMessages(), talk);
  sender.attach({
    say: () => undefined,
    carry: (message) => {
      if (!isBehind) sent.push(message.toString('hex'));
      return !isBehind;
    },
    onGone: ({ code }) => {
      gone = code;
    },
  });
});

const publish = (afterMs: number, ...packet: number[]) =>
  sounds.publish({ epochMs: EPOCH_MS + afterMs, packet: Uint8Array.from(packet) });

/** The records: `0` for the time, in ms after EPOCH_MS, and the packets. */
const records = () =>
  sent.map((hex) =>
    hex.startsWith('01') ? `at ${Number(BigInt(`0x${hex.slice(8)}`)) - EPOCH_MS}` : hex.slice(8),
  );

describe('SoundSender', () => {
  it('sends the time, then packets', () => {
    publish(0, 0xf8, 7);
    expect(sent).toEqual([HEX_EPOCH, '02000002f807']);
  });

  it('sends the time again only when clients would count another one', () => {
    for (const [packet, ms] of [0, 20.4, 41, 58, 80, 160, 180, 170, 190].entries()) publish(ms, packet);
    expect(records().join(' ')).toBe('at 0 00 01 02 03 04 at 160 05 06 at 170 07 08');
  });

  it('leaves out what a listener is too slow for, and says the time when it goes on', () => {
    publish(0, 0);
    isBehind = true;
    publish(20, 1);
    isBehind = false;
    publish(40, 2);
    expect(records()).toEqual(['at 0', '00', 'at 40', '02']);
  });

  it('marks what someone hears while they talk', () => {
    publish(0, 1);
    talk.isTalking = true;
    publish(20, 2);
    talk.isTalking = false;
    publish(40, 3);
    expect(sent.slice(1)).toEqual(['0200000101', '8200000102', '0200000103']);
  });

  it('passes on what the client says, until it leaves', () => {
    expect(sender.takeBytes(Buffer.of(1))).toBe(true);
    sender.detach();
    expect(sender.takeBytes(Buffer.of(2))).toBe(true);
    expect([talk.took, talk.left, sounds.readers.size]).toEqual([[Buffer.of(1)], 1, 0]);
  });

  it('says that nothing more comes', () => {
    sounds.fail(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE));
    expect(gone).toBe('STREAM_OFFLINE');
  });
});
