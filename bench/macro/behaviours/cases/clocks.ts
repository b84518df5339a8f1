/** Timestamps that jump, freeze, run fast or slow; encoders that restart; media that stops. */

import type { CameraFaults } from '../../../../src/synthetic-camera/faults.ts';
import type { CameraHabits } from '../../../../src/synthetic-camera/habits.ts';
import { type Behaviour, plays, playsAgain, type Reading } from '../behaviour.ts';
import { camera, READINGS, SOUNDS, type SoundKind } from '../cameras.ts';

const group = 'clocks';
const AFTER_MS = 3_000;
const HOUR_MS = 3_600_000;

const JUMPS: Readonly<Record<string, CameraFaults>> = {
  'a minute back': { timestampJump: { afterMs: AFTER_MS, byMs: -60_000 } },
  'half a minute ahead': { timestampJump: { afterMs: AFTER_MS, byMs: 30_000 } },
  'an hour ahead': { timestampJump: { afterMs: AFTER_MS, byMs: HOUR_MS } },
  'encoder restart': { encoderRestartAfterMs: AFTER_MS },
};

const ONE_TRACK: Readonly<Record<string, CameraFaults>> = {
  'video an hour ahead': { timestampJump: { afterMs: AFTER_MS, byMs: HOUR_MS, track: 'video' } },
  'video a minute back': { timestampJump: { afterMs: AFTER_MS, byMs: -60_000, track: 'video' } },
  'audio a minute back': { timestampJump: { afterMs: AFTER_MS, byMs: -60_000, track: 'audio' } },
  'audio an hour ahead': { timestampJump: { afterMs: AFTER_MS, byMs: HOUR_MS, track: 'audio' } },
};

const STOPS: Readonly<Record<string, CameraFaults>> = {
  'timestamps freeze': { freezePicturesAfterMs: 4_000 },
  'all media stops': { stallAfterMs: 4_000 },
  'connection closes': { closeAfterMs: 4_000 },
};

/** Silence limit, backoff, a handshake, a group of pictures; a worker's start takes a few more seconds. */
const AGAIN_SEC = { direct: 13, worker: 16 };

function jump(name: string, faults: CameraFaults, reading: Reading, sound: SoundKind): Behaviour {
  const start = camera({ faults, sound });
  return plays(
    { group, name: `${name}, sound: ${sound}`, reading, start },
    {
      mayLose: true,
      watchSec: 9,
      takesWorker: sound === 'G.711',
      sound: sound === 'none' ? 'absent' : 'heard',
    },
  );
}

function stop(name: string, faults: CameraFaults, reading: Reading, sound: SoundKind): Behaviour {
  const withinSec = reading === 'worker' ? AGAIN_SEC.worker : AGAIN_SEC.direct;
  const identity = { group, name: `${name}, sound: ${sound}`, reading, start: camera({ faults, sound }) };
  return playsAgain(identity, withinSec, { takesWorker: sound === 'G.711', watchSec: 20 });
}

/** Advances timestamps `rate` times as fast as time passes, from the first packet of each track on. */
function running(rate: number): CameraHabits {
  return {
    connection: () => {
      const firsts = new Map<number, number>();
      return {
        packets: (packets) => {
          for (const packet of packets) {
            const source = packet.readUInt32BE(12);
            const stamp = packet.readUInt32BE(8);
            const first = firsts.get(source) ?? stamp;
            firsts.set(source, first);
            const passed = ((stamp - first) >>> 0) * rate;
            packet.writeUInt32BE((first + Math.round(passed)) >>> 0, 8);
          }
          return packets;
        },
      };
    },
  };
}

/** The video's RTP clock passes 2³² three seconds after PLAY. RFC 3550 §5.1 */
function wrapping(): CameraHabits {
  return {
    connection: () => {
      let shift: number | null = null;
      return {
        packets: (packets) => {
          for (const packet of packets) {
            if ((packet[5]! & 0x7f) !== 96) continue;
            const stamp = packet.readUInt32BE(8);
            shift ??= (2 ** 32 - 90 * AFTER_MS - stamp) >>> 0;
            packet.writeUInt32BE((stamp + shift) >>> 0, 8);
          }
          return packets;
        },
      };
    },
  };
}

const rates = Object.entries({ 'a thousandth fast': 1.001, '2 % fast': 1.02, '2 % slow': 0.98 });

export const cases: readonly Behaviour[] = [
  ...Object.entries(JUMPS).flatMap(([name, faults]) =>
    READINGS.flatMap((reading) => SOUNDS.map((sound) => jump(name, faults, reading, sound))),
  ),
  ...Object.entries(ONE_TRACK).flatMap(([name, faults]) =>
    READINGS.map((reading) => jump(name, faults, reading, 'AAC')),
  ),
  ...Object.entries(STOPS).flatMap(([name, faults]) =>
    READINGS.flatMap((reading) => SOUNDS.map((sound) => stop(name, faults, reading, sound))),
  ),
  ...READINGS.flatMap((reading) =>
    (['AAC', 'G.711'] as const).map((sound) =>
      stop('video stops, audio continues', { stopPicturesAfterMs: 4_000 }, reading, sound),
    ),
  ),
  ...rates.flatMap(([name, rate]) =>
    (['tcp', 'worker'] as const).map((reading) =>
      plays({
        group,
        name: `clock ${name}`,
        reading,
        start: camera({ habits: running(rate), sound: 'none' }),
      }),
    ),
  ),
  ...READINGS.map((reading) =>
    plays({ group, name: 'timestamps wrap', reading, start: camera({ habits: wrapping(), sound: 'none' }) }),
  ),
];
