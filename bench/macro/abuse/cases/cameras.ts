/** Malicious cameras: floods, endless responses, and random damage to everything that a camera sends. */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RtspRequest } from '../../../../src/rtsp/message.ts';
import type { CameraHabits } from '../../../../src/synthetic-camera/habits.ts';
import {
  HOSTILE_CAMERAS,
  type HostileCamera,
  responding as respondingRaw,
  startHostileCamera,
} from '../../../../test/support/hostile-cameras.ts';
import { until } from '../../../../test/support/until.ts';
import { ChildModule } from '../../../support/child-module.ts';
import { camera } from '../../behaviours/cameras.ts';
import type { FloodSenderCalls } from '../../hostile/flooding-camera-sender.ts';
import { type Abuse, deviations, few, type Ground } from '../abuse.ts';

const group = 'cameras';
const ATTEMPTS = 2;
const ATTEMPTS_MS = 40_000;
const FUZZ_MS = { short: 4_000, long: 10_000 };
const FUZZERS = { short: 3, long: 12 };
const FLOOD_MS = { short: 5_000, long: 20_000 };

interface Listed {
  readonly name: string;
  readonly url: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Adds cameras to the file, has a viewer watch each, and removes them again. */
async function watched<T>(
  ground: Ground,
  listed: readonly Listed[],
  during: (uuids: readonly string[]) => Promise<T>,
): Promise<T> {
  const { gateway, config } = ground;
  const more = listed.map(({ name, url, fields }) => ({ name, rtsp: url, ...fields }));
  await reload(ground, [...(config.cameras ?? []), ...more]);
  const shares = [];
  for (const { name } of listed) shares.push(await until(name, () => gateway.share(name)));
  const stop = new AbortController();
  const viewers = shares.map(async ({ m3u8Url }) => {
    while (!stop.signal.aborted) {
      await fetch(m3u8Url, { signal: stop.signal })
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
      await delay(200);
    }
  });
  try {
    return await during(shares.map(({ cameraUuid }) => cameraUuid));
  } finally {
    stop.abort();
    await Promise.all(viewers);
    for (const share of shares) await gateway.revoke(share);
    await reload(ground, config.cameras ?? []);
  }
}

async function reload(
  { gateway, config }: Ground,
  cameras: readonly Record<string, unknown>[],
): Promise<void> {
  await gateway.configure({ ...config, cameras: [...cameras] });
  gateway.child.process.kill('SIGHUP');
  await until('the cameras of the file', async () => {
    const { cameraStates = [] } = await gateway.call('camera/getMinimalCameraStateList');
    return cameraStates.length === cameras.length;
  });
}

/** Codes with which attempts to open a camera ended. */
function endsOf({ gateway }: Ground, uuid: string): string[] {
  return gateway.child.lines
    .filter((line) => line.includes(uuid) && line.includes('"msg":"camera offline"'))
    .map((line) => (JSON.parse(line) as { err: { code: string } }).err.code);
}

function hostile(each: HostileCamera): Abuse {
  return {
    group,
    name: each.name,
    attack: async (ground) => {
      const started = await startHostileCamera(each);
      try {
        const name = `Hostile: ${each.name}`;
        return await watched(ground, [{ name, url: started.url }], async ([uuid]) => {
          await until(name, () => endsOf(ground, uuid!).length >= ATTEMPTS, ATTEMPTS_MS).catch(() => null);
          const codes = endsOf(ground, uuid!);
          const odd = codes.filter((code) => !each.codes.includes(code));
          return deviations([
            [`${codes.length} attempts ended`, codes.length >= ATTEMPTS],
            [`ended with ${odd.join(', ')}`, odd.length === 0],
          ]);
        });
      } finally {
        await started.close();
      }
    },
  };
}

const MORE_HOSTILE: readonly HostileCamera[] = [
  {
    name: 'endless SDP',
    codes: ['RTSP_MESSAGE_TOO_LARGE', 'RTSP_TIMEOUT', 'SDP_TOO_LARGE'],
    socket: respondingRaw((method, cseq) =>
      method === 'DESCRIBE'
        ? `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\nContent-Length: 4000000\r\n\r\n${'a=x:y\r\n'.repeat(570_000)}`
        : null,
    ),
  },
  {
    name: 'an SDP of 20,000 tracks',
    codes: [
      'RTSP_MESSAGE_TOO_LARGE',
      'SDP_TOO_LARGE',
      'SDP_INVALID',
      'RTSP_NO_SUPPORTED_VIDEO',
      'RTSP_REFUSED',
    ],
    socket: respondingRaw((method, cseq) => {
      const body = `v=0\r\n${'m=audio 0 RTP/AVP 0\r\n'.repeat(20_000)}`;
      return method === 'DESCRIBE'
        ? `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        : null;
    }),
  },
  {
    name: 'endless redirects',
    codes: ['RTSP_REDIRECT_REFUSED', 'DIRECT_UNREACHABLE'],
    socket: respondingRaw((method, cseq) =>
      method === 'DESCRIBE' || method === 'OPTIONS'
        ? `RTSP/1.0 302 Found\r\nCSeq: ${cseq}\r\nLocation: rtsp://127.0.0.1:9/${'x'.repeat(1_000)}\r\n\r\n`
        : null,
    ),
  },
  {
    name: 'endless challenges',
    codes: ['RTSP_AUTH_FAILED', 'RTSP_AUTH_UNSUPPORTED'],
    socket: respondingRaw(
      (_method, cseq) =>
        `RTSP/1.0 401 Unauthorized\r\nCSeq: ${cseq}\r\nWWW-Authenticate: Digest realm="${'r'.repeat(2_000)}", nonce="${Math.random()}", stale=true\r\n\r\n`,
    ),
  },
];

/** Repeatable: the same seed gives the same damage. The generator is that of Park and Miller. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 7_919 + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

function damaged(bytes: Buffer, random: (below: number) => number, from = 0): Buffer {
  const copy = Buffer.from(bytes);
  const times = 1 + random(4);
  for (let time = 0; time < times && copy.length > from; time++)
    copy[from + random(copy.length - from)] = random(256);
  return random(4) === 0 ? copy.subarray(0, Math.max(1, random(copy.length))) : copy;
}

const INTERLEAVED_BYTES = 4;

/** Damages bytes after the interleaved header, so that the framing holds and the damage is read. */
function damagedPacket(packet: Buffer, random: (below: number) => number): Buffer {
  const rtp = damaged(packet.subarray(INTERLEAVED_BYTES), random);
  const head = Buffer.from([0x24, packet[1]!, rtp.length >> 8, rtp.length & 0xff]);
  return Buffer.concat([head, rtp]);
}

const DAMAGE: Readonly<Record<string, (seed: number) => CameraHabits>> = {
  'damaged RTP': (seed) => ({
    connection: (index) => {
      const random = randomOf(seed + index * 101);
      return {
        packets: (packets) =>
          packets.map((packet) => (random(5) === 0 ? damagedPacket(packet, random) : packet)),
      };
    },
  }),
  'random RTCP': (seed) => ({
    connection: (index) => {
      const random = randomOf(seed + index * 101);
      return {
        packets: (packets) => {
          const channel = packets[0]?.[1] ?? 0;
          const rtcp = Buffer.from(Array.from({ length: 8 + random(200) }, () => random(256)));
          rtcp[0] = 0x80 | random(64);
          rtcp[1] = 200 + random(8);
          const head = Buffer.from([0x24, channel | 1, 0, rtcp.length]);
          return [...packets, Buffer.concat([head, rtcp])];
        },
      };
    },
  }),
  'damaged responses': (seed) => ({
    connection: (index) => {
      const random = randomOf(seed + index * 101);
      return {
        respond: (request: RtspRequest, response) =>
          request.method !== 'OPTIONS' && random(2) === 0 ? damaged(response, random) : response,
      };
    },
  }),
  'damaged descriptions': (seed) => ({
    describe: (sdp) => damaged(Buffer.from(sdp, 'latin1'), randomOf(seed)).toString('latin1'),
  }),
  'shuffled descriptions': (seed) => ({
    describe: (sdp) => {
      const random = randomOf(seed);
      const lines = sdp.split('\r\n').filter(() => random(5) > 0);
      return lines.map((line) => (random(6) === 0 ? lines[random(lines.length)]! : line)).join('\r\n');
    },
  }),
};

function fuzz(name: string, make: (seed: number) => CameraHabits, isWorker: boolean): Abuse {
  return {
    group,
    name: isWorker ? `${name}, read by workers` : name,
    attack: async (ground) => {
      const { isShort } = ground;
      const count = isWorker ? 3 : isShort ? FUZZERS.short : FUZZERS.long;
      const started = await Promise.all(
        Array.from({ length: count }, (_, seed) => camera({ habits: make(seed + 1) })()),
      );
      try {
        const listed = started.map(({ url }, index) => {
          const transport = index % 2 === 0 ? 'tcp' : 'udp';
          const fields = isWorker ? { engine: 'ffmpeg' } : { transport };
          return { name: `Fuzz: ${name} ${index} ${isWorker}`, url, fields };
        });
        return await watched(ground, listed, async () => {
          await delay(isShort ? FUZZ_MS.short : FUZZ_MS.long);
          return [];
        });
      } finally {
        await Promise.all(started.map((each) => each.close()));
      }
    },
  };
}

const flooding: Abuse = {
  group,
  name: 'floods over TCP, TLS and UDP',
  attack: async (ground) => {
    const file = join(import.meta.dirname, '../../hostile/flooding-camera-sender.ts');
    const sender = new ChildModule<FloodSenderCalls>(file);
    try {
      const { tcp, tls, udp } = await sender.call('start', null);
      const listed = [
        { name: 'Flood TCP', url: tcp, fields: { transport: 'tcp' } },
        { name: 'Flood TLS', url: tls, fields: { transport: 'tcp' } },
        { name: 'Flood UDP', url: udp, fields: { transport: 'udp' } },
      ];
      return await watched(ground, listed, async (uuids) => {
        await delay(ground.isShort ? FLOOD_MS.short : FLOOD_MS.long);
        return few(
          uuids.flatMap((uuid, index) =>
            endsOf(ground, uuid).includes('DIRECT_FLOOD') ? [] : [`${listed[index]!.name} was not ended`],
          ),
        );
      });
    } finally {
      await sender.end();
    }
  },
};

export const abuses: readonly Abuse[] = [
  ...[...HOSTILE_CAMERAS, ...MORE_HOSTILE].map(hostile),
  ...Object.entries(DAMAGE).map(([name, make]) => fuzz(name, make, false)),
  ...Object.entries(DAMAGE).map(([name, make]) => fuzz(name, make, true)),
  flooding,
];
