/** Microphones that are off, start late or stop; audio that is described or reported wrongly. */

import type { CameraFaults } from '../../../../src/synthetic-camera/faults.ts';
import type { CameraHabits } from '../../../../src/synthetic-camera/habits.ts';
import { type Behaviour, plays } from '../behaviour.ts';
import { camera, READINGS } from '../cameras.ts';
import { settingUp } from '../responses.ts';

const group = 'sound';
const FOREVER_MS = 1e9;
const CODED = ['AAC', 'G.711'] as const;

const MUTED: Readonly<Record<string, CameraFaults['muted']>> = {
  'never arrives': [{ fromMs: 0, toMs: FOREVER_MS }],
  'comes after 3 s': [{ fromMs: 0, toMs: 3_000 }],
  'stops after 3 s': [{ fromMs: 3_000, toMs: FOREVER_MS }],
  'stops and returns': [
    { fromMs: 1_500, toMs: 3_000 },
    { fromMs: 4_000, toMs: 4_500 },
    { fromMs: 6_000, toMs: 8_000 },
  ],
};

const WRONG: Readonly<Record<string, CameraFaults>> = {
  'RTP-Info of another session': { staleRtpInfo: true },
  'reports 5 s ahead': { audioReportsOff: { afterMs: 0, byMs: 5_000 } },
  'reports a minute behind': { audioReportsOff: { afterMs: 0, byMs: -60_000 } },
  'reports an hour ahead, later on': { audioReportsOff: { afterMs: 3_000, byMs: 3_600_000 } },
};

/** Payload type 0 becomes another one. */
function asPayloadType(payloadType: number): NonNullable<CameraHabits['connection']> {
  return () => ({
    packets: (packets) => {
      for (const packet of packets) {
        if ((packet[5]! & 0x7f) === 0) packet[5] = (packet[5]! & 0x80) | payloadType;
      }
      return packets;
    },
  });
}

const TALK_BACK = 'm=audio 0 RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\na=sendonly\r\na=control:trackID=9\r\n';

/** Accepts SETUP for the talk-back track, and receives nothing. */
const talkBack: CameraHabits = {
  describe: (sdp) => sdp + TALK_BACK,
  ...settingUp('trackID=9'),
};

const describing = (from: string | RegExp, to: string): CameraHabits => ({
  describe: (sdp) => sdp.replace(from, to),
});

const muted = Object.entries(MUTED).flatMap(([name, spans]) =>
  READINGS.flatMap((reading) =>
    CODED.map((sound) => {
      const isNever = name === 'never arrives';
      // A worker leaves out audio that does not arrive; with the direct engine, announced audio is silence then.
      const never = reading === 'worker' ? null : ('silent' as const);
      return plays(
        {
          group,
          name: `${sound} ${name}`,
          reading,
          start: camera({ sound, faults: { muted: spans! } }),
        },
        { watchSec: 9, takesWorker: sound === 'G.711', sound: isNever ? never : 'heard' },
      );
    }),
  ),
);

const wrong = Object.entries(WRONG).flatMap(([name, faults]) =>
  READINGS.flatMap((reading) =>
    CODED.map((sound) =>
      plays(
        { group, name: `${sound} ${name}`, reading, start: camera({ sound, faults }) },
        { takesWorker: sound === 'G.711', sound: 'heard' },
      ),
    ),
  ),
);

const described: readonly Behaviour[] = READINGS.flatMap((reading) => [
  plays(
    {
      group,
      name: 'a talk-back track after the microphone',
      reading,
      start: camera({ habits: talkBack }),
    },
    { sound: 'heard' },
  ),
  plays(
    {
      group,
      name: 'G.711 A-law',
      reading,
      start: camera({
        sound: 'G.711',
        habits: {
          describe: (sdp) => sdp.replace('RTP/AVP 0', 'RTP/AVP 8').replace('rtpmap:0 PCMU', 'rtpmap:8 PCMA'),
          connection: asPayloadType(8),
        },
      }),
    },
    { sound: 'heard', takesWorker: true },
  ),
  plays(
    {
      group,
      name: 'G.711 with a dynamic payload type',
      reading,
      start: camera({
        sound: 'G.711',
        habits: {
          describe: (sdp) => sdp.replace('RTP/AVP 0', 'RTP/AVP 100').replace('rtpmap:0 ', 'rtpmap:100 '),
          connection: asPayloadType(100),
        },
      }),
    },
    { sound: 'heard', takesWorker: true },
  ),
]);

const unknown: readonly Behaviour[] = [
  plays(
    {
      group,
      name: 'an unknown codec',
      reading: 'tcp',
      start: camera({ sound: 'G.711', habits: describing('PCMU/8000', 'X-VENDOR/8000') }),
    },
    { sound: null },
  ),
  plays(
    {
      group,
      name: 'G.711 without a rtpmap',
      reading: 'tcp',
      start: camera({ sound: 'G.711', habits: describing('a=rtpmap:0 PCMU/8000\r\n', '') }),
    },
    { sound: 'heard', takesWorker: true },
  ),
  plays(
    {
      group,
      name: 'inactive in the description',
      reading: 'tcp',
      start: camera({ habits: describing('a=control:trackID=1', 'a=inactive\r\na=control:trackID=1') }),
    },
    { sound: 'absent' },
  ),
  plays(
    {
      group,
      name: 'AAC without its configuration',
      reading: 'tcp',
      start: camera({ habits: describing(/;config=[0-9a-f]+/, '') }),
    },
    { sound: null, takesWorker: true },
  ),
];

export const cases: readonly Behaviour[] = [...muted, ...wrong, ...described, ...unknown];
