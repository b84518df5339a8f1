/** Recorded sound as clients of this API family load it: `seg_<n>.mpd` next to the manifest, in step with the recorded picture. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { opusSamples } from '../../src/codec/opus/opus-packet.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import type { TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { beeps, behindOf, clipEpochMs, type TimedPacket } from '../support/opus-beeps.ts';
import { recordCamera, sessionQuery, type TestRange } from '../support/recorded-past.ts';
import { startCamera } from '../support/synthetic.ts';

const MAX_OFF_MS = 40;
/** A piece begins with the packet that is nearest. */
const MAX_START_OFF_MS = 50;
const PIECE_MS = 2_000;
const PIECE_PACKETS = 100;
const PIECES = 3;
const SEGMENTS = 9;
const WAIT_MS = 100_000;

/** As the facts say: 8 bytes of time, then packets behind their lengths. */
function packetsOf(piece: Buffer): TimedPacket[] {
  const startMs = Number(piece.readBigUInt64BE());
  const packets: TimedPacket[] = [];
  for (let at = 8; at < piece.length; ) {
    const end = at + 2 + piece.readUInt16BE(at);
    packets.push({ epochMs: startMs + packets.length * 20, packet: piece.subarray(at + 2, end) });
    at = end;
  }
  return packets;
}

describe.each([
  ['G.711', true],
  ['AAC', false],
] as const)('recorded %s', (_name, isPcmu) => {
  let camera: SyntheticCamera;
  let gateway: TestGateway;
  let cameraUuid: string;
  let range: TestRange;
  let folder: string;
  let query: string;

  beforeAll(async () => {
    camera = await startCamera(0, { isPcmu });
    const hls = { segmentTarget: '1s' };
    ({ gateway, cameraUuid, range } = await recordCamera('Gate', camera.url, SEGMENTS, { hls }));
    folder = `${gateway.mediaUrl}/media/${cameraUuid}/local/vod/${range.startSec}/${range.durationSec}`;
    query = await sessionQuery(gateway);
  }, WAIT_MS);

  afterAll(async () => {
    await gateway?.dispose();
    await camera?.close();
  });

  const piece = (number: number) => fetch(`${folder}/seg_${number}.mpd${query}`);

  it('comes in pieces of two seconds that fit together, in step with the picture', async () => {
    const packets: TimedPacket[] = [];
    for (let number = 1; number <= PIECES; number++) {
      const response = await piece(number);
      expect(response.status).toBe(200);
      const own = packetsOf(Buffer.from(await response.arrayBuffer()));
      expect(own).toHaveLength(PIECE_PACKETS);
      const behindMs = own[0]!.epochMs - range.startSec * 1_000 - (number - 1) * PIECE_MS;
      expect(Math.abs(behindMs)).toBeLessThan(MAX_START_OFF_MS);
      packets.push(...own);
    }
    for (const { packet } of packets) expect(opusSamples(packet, 0, packet.length)).toBe(960);
    const master = await (await fetch(`${folder}/file.m3u8${query}`)).text();
    const media = master.split('\n').find((line) => line !== '' && !line.startsWith('#'))!;
    const { segments, url } = await fetchPlaylist(new URL(media, `${folder}/`).href);
    const [first] = segments;
    const names = [first!.map.uri, first!.uri];
    const video = Buffer.concat(await Promise.all(names.map((name) => fetchOk(new URL(name, url).href))));
    const startMs = await clipEpochMs(first!.programDateTime!, video);
    const heard = await beeps(packets);
    expect(heard.length).toBeGreaterThanOrEqual((PIECES * PIECE_MS) / 1_000 - 1);
    for (const epochMs of heard) {
      const behindMs = behindOf(epochMs - startMs);
      expect(behindMs).toBeLessThan(MAX_OFF_MS);
    }
  });

  it('ends with the range, and is not there without sound or credentials', async () => {
    const count = Math.ceil((range.durationSec * 1_000) / PIECE_MS);
    expect((await piece(count)).status).toBe(200);
    expect((await piece(count + 1)).status).toBe(404);
    expect((await fetch(`${folder}/seg_1.mpd`)).status).toBe(401);
    const fields = { vodEnabled: true, vodPastSecs: 600, includeAudio: false };
    const { m3u8Url } = await gateway.share('Gate', fields);
    const live = new URL('.', await openShare(m3u8Url)).href;
    const path = `vod/${range.startSec}/${range.durationSec}`;
    expect((await fetch(`${live}${path}/seg_1.m4v`)).status).toBe(200);
    expect((await fetch(`${live}${path}/seg_1.mpd`)).status).toBe(404);
  });
});
